import type { DatabaseErrorName } from "../faults/database-error.ts";
import type { Ratio } from "../faults/rule.ts";
import type { SiteName } from "../faults/site.ts";
import type { VerdictName } from "../faults/verdict.ts";
import type { PinnedChoice } from "../choices/pinned-choices.ts";
import type { HerdFault, OverloadFault } from "./crowd-faults.ts";

/**
 * A fault that strikes calls at a site: the n-th, or each with a probability.
 *
 * Units: virtual milliseconds.
 */
export interface SiteFault {
  /** The boundary at which calls are struck. */
  readonly site: SiteName;
  /** What happens to a struck call. */
  readonly verdict: VerdictName;
  /**
   * The error of the database that a struck call gets, with "fail-before", after it has waited as
   * long as `for` says; undefined: an error without a name, at once.
   */
  readonly error?: DatabaseErrorName | undefined;
  /** Strikes the n-th matching call, from 1. Default 1 without a rate. */
  readonly nth?: number | undefined;
  /** How many calls in a row are struck, with `nth`. */
  readonly times: number;
  /** Strikes each matching call with this probability, instead of the n-th. */
  readonly rate?: Ratio | undefined;
  /** Strikes calls of this host only. */
  readonly host?: string | undefined;
  /** Strikes calls from this virtual time on only. */
  readonly from?: number | undefined;
  /** Strikes calls before this virtual time only. */
  readonly until?: number | undefined;
  /**
   * How long a struck call, its commit or its reply is delayed, how long it waits for an error of
   * the database, or how late the copy of a call arrives.
   */
  readonly for: number;
  /** How long a crashed host stays down, for the verdicts that crash it. */
  readonly restartAfter: number;
}

/** The names of two hosts: messages go from the first to the second. */
export type HostLink = readonly [from: string, to: string];

/**
 * A fault that strikes a host or a link at a virtual time.
 *
 * - `crash`: the host crashes and restarts; with `halfOpen` calls to it are not refused, they time out.
 * - `pause`: the host stalls without crashing.
 * - `cut`: messages between two hosts are lost, with `oneWay` only those from the first.
 * - `hold`: messages from the first host are held back, then all delivered; with `bothWays` those
 *   from the second host, too.
 * - `clockStep`: the wall clock of the host's machine jumps, ahead or back; with `for` it is set
 *   right after that long.
 * - `clockDrift`: it runs fast or slow from then on, by so many millionths.
 * - `restartAll`: all hosts of a kind crash and come back in the same instant.
 * - `overload`: the host admits only so many calls a second, and refuses the others.
 *
 * Units: virtual milliseconds.
 */
export type HostFault =
  | {
      readonly at: number;
      readonly crash: string;
      readonly restartAfter: number;
      readonly halfOpen?: boolean | undefined;
    }
  | { readonly at: number; readonly pause: string; readonly for: number }
  | { readonly at: number; readonly cut: HostLink; readonly oneWay: boolean; readonly for: number }
  | {
      readonly at: number;
      readonly hold: HostLink;
      readonly bothWays: boolean;
      readonly for: number;
    }
  | {
      readonly at: number;
      readonly clockStep: string;
      readonly by: number;
      readonly for?: number | undefined;
    }
  | { readonly at: number; readonly clockDrift: string; readonly ppm: number }
  | HerdFault
  | OverloadFault;

/** The members that name what a host fault strikes: each has one of them. */
export const HOST_FAULTS = [
  "crash",
  "pause",
  "cut",
  "hold",
  "clockStep",
  "clockDrift",
  "restartAll",
  "overload",
] as const;

/**
 * Random faults in addition to the listed ones: the probability of each kind, per host and virtual
 * minute.
 */
export interface HostStorm {
  /** That a host crashes. */
  readonly crashes: Ratio;
  /** That a host stalls. */
  readonly pauses: Ratio;
  /** That a host is cut off from another one. */
  readonly cuts: Ratio;
}

/** What the scenarios of all worlds have in common. */
export interface ScenarioBase {
  /** The name of its file, without the extension. */
  readonly name: string;
  /** What happens and what must hold all the same, in a sentence or two. */
  readonly story: string;
  /** The instant at which all clocks begin, in UTC; 2026-01-01T00:00:00Z if absent. */
  readonly startsAt?: string | undefined;
  /** How long the run lasts with faults, and how long at most without, in virtual milliseconds. */
  readonly phases: { readonly safety: number; readonly liveness: number };
  /** The seed of the run; takes precedence over the seed that is passed to `simulate`. */
  readonly seed?: number | undefined;
  /** Replaces the seed: every choice is 0, the calm one, except for these. */
  readonly choices?: readonly PinnedChoice[] | undefined;
  /** What the run is judged by. */
  readonly expect: {
    /** The ids of the promises to check; "all": every promise of this world. */
    readonly checkers: "all" | readonly string[];
    /** The ids of the promises that must break, where a scenario demonstrates a failure. */
    readonly broken: readonly string[];
    /** Whether these break in every run or only with some seeds. */
    readonly brokenIn: "every-run" | "some-runs";
    /** The marks that a run must reach, as `RunStats.marks` names them. */
    readonly marks?: readonly string[] | undefined;
  };
}
