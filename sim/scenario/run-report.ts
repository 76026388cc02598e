import type { Violation } from "../checkers/mod.ts";
import type { Choice } from "../choices.ts";
import type { Scenario } from "./scenario.ts";
import type { TraceEvent } from "../trace.ts";

/** What a run amounted to; counts and virtual time, nothing that differs between machines. */
export interface RunStats {
  readonly virtualMs: number;
  readonly steps: number;
  readonly events: number;
  readonly choices: number;
  /** How often each fault struck, by name, sorted by name. */
  readonly faults: readonly (readonly [fault: string, times: number])[];
  /** How often each crash point of the triggerer's flow was hit, K1 to K30. */
  readonly crashPoints: readonly (readonly [point: string, times: number])[];
  /** How often each thing happened that should happen now and then, also those that never did. */
  readonly marks: readonly (readonly [mark: string, times: number])[];
}

/**
 * `held`: no promise broke. `broken`: one did that should not. `broken-as-told`: exactly the
 * promises broke that the scenario lists under `expect.broken`. `not-broken`: one that is listed
 * there held.
 */
export type RunVerdict = "held" | "broken" | "broken-as-told" | "not-broken";

/** What `simulate` answers. */
export interface RunReport {
  readonly scenario: string;
  readonly seed: number;
  /** SHA-256 of the canonical trace, in hex. */
  readonly digest: string;
  readonly verdict: RunVerdict;
  readonly violations: readonly Violation[];
  readonly stats: RunStats;
  /** The events of the run; empty with `trace: false`. */
  readonly trace: readonly TraceEvent[];
  /** What was chosen; the replay artifact. Empty with `trace: false`. */
  readonly choices: readonly Choice[];
}

/** The verdict that the broken promises give, in the light of those that were to break. */
export function verdictFrom(
  broken: ReadonlySet<string>,
  expect: Pick<Scenario["expect"], "broken" | "brokenIn">,
): RunVerdict {
  for (const id of broken) if (!expect.broken.includes(id)) return "broken";
  if (expect.brokenIn === "some-runs") return broken.size === 0 ? "held" : "broken-as-told";
  for (const id of expect.broken) if (!broken.has(id)) return "not-broken";
  return expect.broken.length === 0 ? "held" : "broken-as-told";
}
