import type { RunReport } from "../../run/run-report.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { type FailureIdentity, identityOf, isSameFailure } from "./shrink-identity.ts";

/** Returns the story of a shrunk scenario. */
export function storyOf({ name }: Scenario, { checker, symptom }: FailureIdentity): string {
  return `Shrunk from ${name}: breaks ${checker} (${symptom}).\n`;
}

/** Returns the lines of the comment above a shrunk scenario: the promise and what happened. */
export function remarksOf(report: RunReport, failure: FailureIdentity): readonly string[] {
  const it = report.violations.find((one) => isSameFailure(identityOf(one), failure));
  if (it === undefined) return [];
  return [`${it.checker}: ${it.promise}`, "", ...it.story, ""];
}
