import type { Violation } from "../../checkers/mod.ts";

/** Identifies a failure: the broken promise, and what was seen with numbers and names removed. */
export interface FailureIdentity {
  readonly checker: string;
  readonly detail: string;
}

/** A record's name ("orders/0@12", "k1/0#7"). */
const REF = /[\w-]+\/[\w-]+[@#]\d+/g;
/** A stream key, or another list written as JSON. */
const LIST = /\[[^[\]]*\]/g;
const NUMBERED = /\d+/g;

export function identityOf({ checker, detail }: Violation): FailureIdentity {
  const general = detail.replace(REF, "<ref>").replace(LIST, "<key>").replace(NUMBERED, "<n>");
  return { checker, detail: general };
}

export function isSameFailure(one: FailureIdentity, other: FailureIdentity): boolean {
  return one.checker === other.checker && one.detail === other.detail;
}
