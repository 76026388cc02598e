import type { PropertyViolation } from "../check/property-violation.ts";
import { type FormatFlags, isText, lineOf, printCases } from "./format.ts";
import { print, printJson } from "./output.ts";

/** A check that held. */
export interface HeldCheck {
  /** The module or the scenario. */
  readonly path: string;
  /** What was tried: "kafka", "livy", or the scenario's own run. */
  readonly on: string;
  readonly words: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Prints a check that held, in the form that was asked for. */
export function printHeld({ path, on, words, document }: HeldCheck, flags: FormatFlags): void {
  if (flags.json === true) printJson({ verdict: "held", held: true, ...document });
  if (isText(flags)) print(words);
  printCases([{ file: path, line: lineOf(path), name: `check on ${on}` }], flags);
}

/** A check in which a promise broke. */
export interface BrokenCheckResult {
  readonly path: string;
  readonly on: string;
  /** The message of the violation, with the command that makes the run again. */
  readonly words: string;
  readonly violation: Pick<PropertyViolation, "guarantee" | "promise" | "detail">;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Prints a check in which a promise broke, in the form that was asked for. */
export function printBroken(result: BrokenCheckResult, flags: FormatFlags): void {
  const { path, on, words, document } = result;
  const { guarantee: type, promise, detail } = result.violation;
  if (flags.json === true) printJson({ verdict: "broken", held: false, ...document });
  if (isText(flags)) print(words);
  const failure = { type, message: `${promise}: ${detail}`, text: words };
  printCases([{ file: path, line: lineOf(path), name: `check on ${on}`, failure }], flags);
}

/** Returns the message of a broken check with where its scenario and its page lie. */
export function brokenWords(
  message: string,
  play: string | undefined,
  page: string | undefined,
): string {
  return [
    message,
    ...(play === undefined ? [] : [`  scenario: ${play}`]),
    ...(page === undefined ? [] : [`  report: ${page}`]),
  ].join("\n");
}
