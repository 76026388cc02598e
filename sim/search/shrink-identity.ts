import type { Violation } from "../checkers/mod.ts";

/** Which failure it is, whatever the numbers: the promise, and what is said of it in general. */
export interface FailureIdentity {
  readonly checker: string;
  readonly detail: string;
}

/** A record's name ("orders/0@12", "k1/0#7"). */
const REF = /[\w-]+\/[\w-]+[@#]\d+/g;
/** A key, and what else is told as JSON. */
const LIST = /\[[^[\]]*\]/g;
const NUMBERED = /\d+/g;

export function identityOf({ checker, detail }: Violation): FailureIdentity {
  const general = detail.replace(REF, "<ref>").replace(LIST, "<key>").replace(NUMBERED, "<n>");
  return { checker, detail: general };
}

export function isSameFailure(one: FailureIdentity, other: FailureIdentity): boolean {
  return one.checker === other.checker && one.detail === other.detail;
}
