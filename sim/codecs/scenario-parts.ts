import type { Ratio } from "../faults/rule.ts";
import type { SiteName } from "../faults/site.ts";
import type { VerdictName } from "../faults/verdict.ts";
import type { PinnedChoice } from "../choices/pinned-choices.ts";

/** Strikes calls at a site: the n-th, or at a rate. */
export interface SiteFault {
  readonly site: SiteName;
  readonly verdict: VerdictName;
  readonly nth?: number | undefined;
  readonly times: number;
  readonly rate?: Ratio | undefined;
  readonly host?: string | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly for: number;
  readonly restartAfter: number;
}

type Link = readonly [from: string, to: string];

/** Strikes hosts and links at a virtual time. */
export type HostFault =
  | { readonly at: number; readonly crash: string; readonly restartAfter: number }
  | { readonly at: number; readonly pause: string; readonly for: number }
  | { readonly at: number; readonly cut: Link; readonly oneWay: boolean; readonly for: number }
  | { readonly at: number; readonly hold: Link; readonly bothWays: boolean; readonly for: number }
  | { readonly at: number; readonly clockStep: string; readonly by: number };

/** Random faults beside the listed ones: the chance of each kind, per host and virtual minute. */
export interface HostStorm {
  readonly crashes: Ratio;
  readonly pauses: Ratio;
  readonly cuts: Ratio;
}

/** What every scenario says. */
export interface ScenarioBase {
  readonly name: string;
  readonly story: string;
  readonly phases: { readonly safety: number; readonly liveness: number };
  /** The seed of the run, whatever seed is asked for. */
  readonly seed?: number | undefined;
  /** Instead of a seed: every decision is the calm one, but for these. */
  readonly choices?: readonly PinnedChoice[] | undefined;
  readonly expect: {
    readonly checkers: "all" | readonly string[];
    /** The promises that must break: for showing what another profile does. */
    readonly broken: readonly string[];
    /** Whether they break in every run, or only where chance has it so. */
    readonly brokenIn: "every-run" | "some-runs";
  };
}
