import { isCollection, parseDocument } from "yaml";
import { parseScenario, ScenarioError } from "../scenario/parse.ts";
import type { Problem } from "./messages.ts";

/** Returns what is wrong with the text of a scenario, and where. */
export function problemsOfText(text: string): readonly Problem[] {
  try {
    parseScenario(text, "scenario");
    return [];
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    const message = error.message.replace(/^Cannot use scenario "scenario"( at [^:]*)?: /, "");
    return [{ ...placeOf(text, error.path), message }];
  }
}

/** Returns the range of `faults[2].site`, or of the closest thing around it that is there. */
function placeOf(text: string, path: string): { readonly from: number; readonly to: number } {
  const document = parseDocument(text);
  const [syntax] = document.errors;
  if (syntax !== undefined) return rangeOf(text, syntax.pos);
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  for (let length = steps.length; length > 0; length -= 1) {
    const keys = steps.slice(0, length).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const node: unknown = document.getIn(keys, true);
    const range = (node as { range?: readonly [number, number, number] } | undefined)?.range;
    if (range) return rangeOf(text, isCollection(node) ? [range[0], range[0] + 1] : range);
  }
  return rangeOf(text, [0, text.indexOf("\n")]);
}

function rangeOf(
  text: string,
  [from, to]: readonly number[],
): { readonly from: number; readonly to: number } {
  const start = Math.min(Math.max(0, from ?? 0), text.length);
  return { from: start, to: Math.min(Math.max(start, to ?? start), text.length) };
}
