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
