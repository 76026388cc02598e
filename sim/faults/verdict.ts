import { FAULT_WORDS } from "../trace/fault-words.ts";

/**
 * The fault that strikes a call at a site, or `pass`. Plain data that can be written to a file.
 *
 * - `delay`: the request arrives `ms` later, in virtual milliseconds.
 * - `fail`: the caller gets an error at once, before or after the effect took place.
 * - `drop`: the request or its reply is lost, so the caller times out.
 * - `duplicate`: the effect takes place twice.
 * - `crash`: the caller, or the named host, crashes before or after the effect, and restarts after
 *   `restartAfterMs` if that is given.
 */
export type Verdict =
  | { readonly kind: "pass" }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "fail"; readonly when: "before" | "after" }
  | { readonly kind: "drop"; readonly what: "request" | "reply" }
  | { readonly kind: "duplicate" }
  | {
      readonly kind: "crash";
      readonly when: "before" | "after";
      readonly host?: string;
      readonly restartAfterMs?: number;
    };

export const PASS: Verdict = Object.freeze({ kind: "pass" });

/** The name of a verdict, as scenario files write it. */
export type VerdictName =
  | "fail-before"
  | "fail-after"
  | "drop-request"
  | "drop-reply"
  | "duplicate"
  | "delay"
  | "crash-before"
  | "crash-after";

/** The names of the verdicts in scenario files. */
export const VERDICT_NAMES: readonly VerdictName[] = [
  "fail-before",
  "fail-after",
  "drop-request",
  "drop-reply",
  "duplicate",
  "delay",
  "crash-before",
  "crash-after",
];

/**
 * Returns the verdict of this name.
 *
 * Units: `ms` is the length of a delay, `restartAfterMs` the time until a crashed host restarts
 * (undefined: it stays down), both in virtual milliseconds.
 */
export function verdictNamed(name: VerdictName, ms: number, restartAfterMs?: number): Verdict {
  const restart = restartAfterMs === undefined ? {} : { restartAfterMs };
  switch (name) {
    case "fail-before":
      return { kind: "fail", when: "before" };
    case "fail-after":
      return { kind: "fail", when: "after" };
    case "drop-request":
      return { kind: "drop", what: "request" };
    case "drop-reply":
      return { kind: "drop", what: "reply" };
    case "duplicate":
      return { kind: "duplicate" };
    case "delay":
      return { kind: "delay", ms };
    case "crash-before":
      return { kind: "crash", when: "before", ...restart };
    case "crash-after":
      return { kind: "crash", when: "after", ...restart };
    default:
      return name satisfies never;
  }
}

/** Describes a verdict in a few words, for traces, tables and stories. */
export function wordsFrom(verdict: Verdict): string {
  switch (verdict.kind) {
    case "pass":
      return "pass";
    case "delay":
      return `delay ${verdict.ms} ms`;
    case "fail":
      return FAULT_WORDS[`fail-${verdict.when}`];
    case "drop":
      return FAULT_WORDS[`drop-${verdict.what}`];
    case "duplicate":
      return FAULT_WORDS.duplicate;
    case "crash":
      return verdict.host === undefined
        ? FAULT_WORDS[`crash-${verdict.when}`]
        : `crash ${verdict.host} ${verdict.when} the effect`;
    default:
      return verdict satisfies never;
  }
}
