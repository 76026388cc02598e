import type { Violation } from "../checkers/mod.ts";
import { storyShape } from "../story/story-shape.ts";
import { type FailureIdentity, identityOf } from "./shrink/shrink-identity.ts";

/** What a search distinguishes failures by: promise, symptom, and what was seen, without its ids. */
export interface Failure extends FailureIdentity {
  /** The sentence of what was seen, with numbers, ids, keys and times replaced. */
  readonly shape: string;
}

export function failureFrom(violation: Violation): Failure {
  return { ...identityOf(violation), shape: storyShape(violation.detail) };
}

/** The name of a failure; equal names are failures of one group. */
export function failureName({ checker, symptom, shape }: Failure): string {
  return `${checker}: ${symptom}: ${shape}`;
}
