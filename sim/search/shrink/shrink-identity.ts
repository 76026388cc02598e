import type { Violation } from "../../checkers/mod.ts";

/** Violations with equal identities are the same failure, whatever the run and the record. */
export type FailureIdentity = Pick<Violation, "checker" | "symptom">;

export function identityOf({ checker, symptom }: Violation): FailureIdentity {
  return { checker, symptom };
}

export function isSameFailure(one: FailureIdentity, other: FailureIdentity): boolean {
  return one.checker === other.checker && one.symptom === other.symptom;
}
