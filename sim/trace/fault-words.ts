/** What a fault does to the call that it strikes, or what befalls by itself. */
export type FaultName =
  | "fail-before"
  | "fail-after"
  | "drop-request"
  | "drop-reply"
  | "duplicate"
  | "crash-before"
  | "late-copy"
  | "commit-waits"
  | "crash-after"
  | "crash-callee-before"
  | "crash-callee-after"
  | "corrupt-reply"
  | "answer-other"
  | "too-many-requests"
  | "raise"
  | "encode"
  | "expire";

/**
 * The words of the faults that need no number and no name, for traces, tables and stories.
 *
 * Who writes a fault and who reads one both take its words from here.
 */
export const FAULT_WORDS: Readonly<Record<FaultName, string>> = Object.freeze({
  "fail-before": "fail before the effect",
  "fail-after": "fail after the effect",
  "drop-request": "lose the request",
  "drop-reply": "lose the reply",
  duplicate: "duplicate",
  "late-copy": "a late copy of the call arrives",
  "commit-waits": "the commit waits behind a slow one",
  "crash-before": "crash the caller before the effect",
  "crash-after": "crash the caller after the effect",
  "crash-callee-before": "crash the callee before the effect",
  "crash-callee-after": "crash the callee after the effect",
  "corrupt-reply": "the reply is damaged, and its checksum shows it",
  "answer-other": "the answer is about another's, under the other's id",
  "too-many-requests": "refused: too many requests (429)",
  raise: "raises",
  encode: "cannot be encoded",
  expire: "expires",
});
