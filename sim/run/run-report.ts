import type { OrphanedJob, Violation } from "../checkers/mod.ts";
import type { Choice } from "../choices/choices.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { TraceEvent } from "../trace/trace.ts";
import type { Vacuity } from "./vacuity.ts";

/** Counts and virtual time of a run; nothing that differs between machines. */
export interface RunStats {
  /** How long the run lasted, in virtual milliseconds. */
  readonly virtualMs: number;
  /** How many scheduled steps the world took. */
  readonly steps: number;
  /** How many events the trace has. */
  readonly events: number;
  /** How many choices were recorded. */
  readonly choices: number;
  /** How often each fault struck, by name, sorted by name. */
  readonly faults: readonly (readonly [fault: string, times: number])[];
  /** How often each crash point of the triggerer's flow was hit, K1 to K30. */
  readonly crashPoints: readonly (readonly [point: string, times: number])[];
  /**
   * How often each mark was reached, those never reached included. A mark names a situation that a
   * good set of scenarios runs into now and then.
   */
  readonly marks: readonly (readonly [mark: string, times: number])[];
}

/**
 * How a run ended.
 *
 * - `held`: no promise broke.
 * - `broken`: a promise broke that the scenario does not list under `expect.broken`.
 * - `expected-failure`: promises broke, all of them listed under `expect.broken`.
 * - `unexpected-success`: a promise held that is listed there for every run.
 */
export type RunVerdict = "held" | "broken" | "expected-failure" | "unexpected-success";

/** Whether a run ended as its scenario expects: nothing broke, or exactly what was to break. */
export function isGood(verdict: RunVerdict): boolean {
  return verdict === "held" || verdict === "expected-failure";
}

/** What `simulate` returns: the verdict on one run, and what is needed to explain it. */
export interface RunReport {
  /** The name of the scenario. */
  readonly scenario: string;
  /** The seed that the run was made from. */
  readonly seed: number;
  /** The scenario as it was played: what it left to be drawn is listed. */
  readonly played: Scenario;
  /** SHA-256 of the canonical trace, in hex; empty with `digest: false`. */
  readonly digest: string;
  /** Whether the promises held, in view of what the scenario expects. */
  readonly verdict: RunVerdict;
  /** The broken promises in the order in which they were detected, expected ones included. */
  readonly violations: readonly Violation[];
  /** What the scenario lists and came to nothing in this run, about which it says nothing. */
  readonly vacuous: readonly Vacuity[];
  /** The jobs of outside systems that ran on without a task that waited for them, and why. */
  readonly orphans: readonly OrphanedJob[];
  /** Counts and virtual time. */
  readonly stats: RunStats;
  /** The events of the run; empty with `trace: false`. */
  readonly trace: readonly TraceEvent[];
  /** Every choice of the run, from which `replay` repeats it; empty with `trace: false`. */
  readonly choices: readonly Choice[];
}

/** Returns the verdict on a run in which these promises broke, in view of the expected ones. */
export function verdictFrom(
  broken: ReadonlySet<string>,
  expect: Pick<Scenario["expect"], "broken" | "brokenIn">,
): RunVerdict {
  for (const id of broken) if (!expect.broken.includes(id)) return "broken";
  if (expect.brokenIn === "some-runs") return broken.size === 0 ? "held" : "expected-failure";
  for (const id of expect.broken) if (!broken.has(id)) return "unexpected-success";
  return expect.broken.length === 0 ? "held" : "expected-failure";
}
