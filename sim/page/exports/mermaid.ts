import { timeText } from "../../story/story.ts";
import type { JourneySubject } from "../model/journey.ts";
import type { RunModel } from "../model/run-model.ts";
import { DiagramParties, type DiagramStep, WORLD } from "./diagram-parties.ts";

/** More steps than these nobody reads in a diagram. */
const STEPS_MAX = 40;

/** What a diagram shows: what led to a break, or the way of a record, a task or a job. */
export type DiagramSubject =
  | { readonly kind: "break"; readonly violation: number }
  | JourneySubject;

/**
 * Returns a story of a run as a Mermaid sequence diagram, which GitHub and many wikis draw: who
 * sends what to whom, with the virtual time of each step. Of a long way, the first 40 steps.
 *
 * Holds: no name that a run contains can end a line or begin another statement.
 *
 * Source: mermaid.js.org, "Sequence diagrams"
 */
export function mermaidFrom(run: RunModel, subject: DiagramSubject): string {
  const all = subject.kind === "break" ? breakSteps(run, subject) : journeySteps(run, subject);
  const steps = all.slice(0, STEPS_MAX);
  const left = all.length - steps.length;
  const named = new Set(steps.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to])));
  if (named.size > 1) named.delete(WORLD);
  const ids = new Map([...named].map((name, at) => [name, `p${at + 1}`]));
  const everybody = ids.size > 1 ? `p1,p${ids.size}` : "p1";
  const placeOf = (name: string): string => ids.get(name) ?? everybody;
  const lines = [...ids].map(([name, id]) => `participant ${id} as ${escaped(name)}`);
  for (const { from, to, text } of steps) {
    const place =
      to === undefined ? `Note over ${placeOf(from)}` : `${placeOf(from)}->>${placeOf(to)}`;
    lines.push(`${place}: ${escaped(text)}`);
  }
  if (left > 0) lines.push(`Note over ${everybody}: ${left} more steps`);
  return `${["sequenceDiagram", ...lines.map((line) => `  ${line}`)].join("\n")}\n`;
}

function breakSteps(
  run: RunModel,
  { violation: nth }: { readonly violation: number },
): readonly DiagramStep[] {
  const violation = run.data.violations[nth];
  if (violation === undefined) return [];
  const parties = new DiagramParties(run);
  return run.story(violation, run.breaks[nth] ?? 0).map(({ text, event }) => {
    const words = text.trim().replace(/^(\d+\.\d{3} s) {2}/, "$1: ");
    const isVerdict = /^ *\d+\.\d{3} s {2}=> /.test(text);
    if (isVerdict || event === undefined) return { from: WORLD, text: words };
    return parties.stepOf(event, words);
  });
}

function journeySteps(run: RunModel, subject: JourneySubject): readonly DiagramStep[] {
  const parties = new DiagramParties(run);
  return run
    .journey(subject)
    .map(({ event }) =>
      parties.stepOf(event, `${timeText(run.trace.at(event))}: ${run.words(event)}`),
    );
}

/** Characters that end a statement, begin a comment, an entity, markup or a formula. */
const SPECIAL = /[#;%<&\\$]/g;
/** And the halves of pairs, when they stand alone. */
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]+/gu;
/** What is more is cut: a diagram has no room for it. */
const TEXT_MAX = 160;

function escaped(text: string): string {
  const cut = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}\u2026` : text;
  const line = cut.replaceAll(CONTROL, " ").trim();
  const safe = line.replaceAll(SPECIAL, (one) => `#${one.charCodeAt(0)};`);
  return safe === "" ? "-" : safe;
}
