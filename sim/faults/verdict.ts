import { FAULT_WORDS } from "../trace/fault-words.ts";
import { DATABASE_ERRORS, type DatabaseErrorName } from "./database-error.ts";

/**
 * The fault that strikes a call at a site, or `pass`. Plain data that can be written to a file.
 *
 * - `delay`: the request arrives `ms` later, in virtual milliseconds; with `what: "reply"` the effect
 *   is not late, and its reply is; with `what: "commit"` the callee has the request at once and takes
 *   so long to commit it, whether or not its caller still waits, and later commits wait behind it.
 * - `fail`: the caller gets an error at once, before or after the effect took place; with `error` it
 *   gets that one of the database, after a wait of `ms`; with `refusal` the callee has too much to do.
 * - `drop`: the request or its reply is lost, so the caller times out.
 * - `corrupt`: the reply is damaged on its way, and the client library notices: the caller gets an
 *   error after the effect.
 * - `lie`: the callee answers about somebody else's thing, under the other's id.
 * - `duplicate`: the effect takes place twice, at once or, with `afterMs`, again when a copy of the
 *   request arrives that much later, after calls that were made meanwhile.
 * - `crash`: the caller, the named host or the callee crashes before or after the effect, and
 *   restarts after `restartAfterMs` if that is given. A caller whose callee crashes gets an error.
 */
export type Verdict =
  | { readonly kind: "pass" }
  | { readonly kind: "delay"; readonly ms: number; readonly what?: "reply" | "commit" }
  | { readonly kind: "fail"; readonly when: "before" | "after" }
  | {
      readonly kind: "fail";
      readonly when: "before";
      readonly error: DatabaseErrorName;
      readonly ms: number;
    }
  | { readonly kind: "fail"; readonly when: "before"; readonly refusal: "too-many-requests" }
  | { readonly kind: "drop"; readonly what: "request" | "reply" }
  | { readonly kind: "corrupt" }
  | { readonly kind: "lie" }
  | { readonly kind: "duplicate"; readonly afterMs?: number }
  | {
      readonly kind: "crash";
      readonly when: "before" | "after";
      readonly who?: "callee";
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
  | "corrupt-reply"
  | "answer-other"
  | "duplicate"
  | "duplicate-late"
  | "delay"
  | "delay-reply"
  | "delay-commit"
  | "crash-before"
  | "crash-after"
  | "crash-callee-before"
  | "crash-callee-after";

/** The names of the verdicts in scenario files. */
export const VERDICT_NAMES: readonly VerdictName[] = [
  "fail-before",
  "fail-after",
  "drop-request",
  "drop-reply",
  "corrupt-reply",
  "answer-other",
  "duplicate",
  "duplicate-late",
  "delay",
  "delay-reply",
  "delay-commit",
  "crash-before",
  "crash-after",
  "crash-callee-before",
  "crash-callee-after",
];

/**
 * Returns the verdict of this name.
 *
 * Units: `ms` is the length of a delay, or how late a copy is, `restartAfterMs` the time until a
 * crashed host restarts (undefined: it stays down), both in virtual milliseconds.
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
    case "corrupt-reply":
      return { kind: "corrupt" };
    case "answer-other":
      return { kind: "lie" };
    case "duplicate":
      return { kind: "duplicate" };
    case "duplicate-late":
      return { kind: "duplicate", afterMs: ms };
    case "delay":
      return { kind: "delay", ms };
    case "delay-reply":
      return { kind: "delay", ms, what: "reply" };
    case "delay-commit":
      return { kind: "delay", ms, what: "commit" };
    case "crash-before":
      return { kind: "crash", when: "before", ...restart };
    case "crash-after":
      return { kind: "crash", when: "after", ...restart };
    case "crash-callee-before":
      return { kind: "crash", when: "before", who: "callee", ...restart };
    case "crash-callee-after":
      return { kind: "crash", when: "after", who: "callee", ...restart };
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
      return verdict.what === undefined
        ? `delay ${verdict.ms} ms`
        : `delay the ${verdict.what} ${verdict.ms} ms`;
    case "fail":
      if ("error" in verdict) return databaseErrorWords(verdict.error, verdict.ms);
      if ("refusal" in verdict) return FAULT_WORDS[verdict.refusal];
      return FAULT_WORDS[`fail-${verdict.when}`];
    case "drop":
      return FAULT_WORDS[`drop-${verdict.what}`];
    case "corrupt":
      return FAULT_WORDS["corrupt-reply"];
    case "lie":
      return FAULT_WORDS["answer-other"];
    case "duplicate":
      return verdict.afterMs === undefined
        ? FAULT_WORDS.duplicate
        : `duplicate, the copy ${verdict.afterMs} ms late`;
    case "crash":
      if (verdict.who === "callee") return FAULT_WORDS[`crash-callee-${verdict.when}`];
      return verdict.host === undefined
        ? FAULT_WORDS[`crash-${verdict.when}`]
        : `crash ${verdict.host} ${verdict.when} the effect`;
    default:
      return verdict satisfies never;
  }
}

function databaseErrorWords(error: DatabaseErrorName, ms: number): string {
  const { code, message } = DATABASE_ERRORS[error];
  const what = code === undefined ? message : `${message} (${code})`;
  return `${what} after ${ms} ms`;
}
