/**
 * What may befall a call at a site. Closed, flat, serialisable.
 *
 * `fail` answers with an error at once, before or after the effect; `drop` answers never, so that
 * the caller runs into its timeout, and loses the request or only the reply; `crash` takes down the
 * caller (or the host named), before or after the effect.
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

/** What may be written of a verdict in a file. */
export type VerdictName =
  | "fail-before"
  | "fail-after"
  | "drop-request"
  | "drop-reply"
  | "duplicate"
  | "delay"
  | "crash-before"
  | "crash-after";

/** The verdict of this name; how long a delay is, and when who crashed comes back, if ever. */
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

/** The verdict in a few words, for traces, tables and stories. */
export function wordsFrom(verdict: Verdict): string {
  switch (verdict.kind) {
    case "pass":
      return "pass";
    case "delay":
      return `delay ${verdict.ms} ms`;
    case "fail":
      return `fail ${verdict.when} the effect`;
    case "drop":
      return `lose the ${verdict.what}`;
    case "duplicate":
      return "duplicate";
    case "crash":
      return `crash ${verdict.host ?? "the caller"} ${verdict.when} the effect`;
    default:
      return verdict satisfies never;
  }
}
