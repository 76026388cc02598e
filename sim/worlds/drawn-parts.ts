import type { Dice } from "../choices/dice.ts";
import type { HostFault, ScenarioBase, SiteFault } from "../codecs/scenario-parts.ts";
import type { DatabaseErrorName } from "../faults/database-error.ts";
import type { SiteName } from "../faults/site.ts";
import type { VerdictName } from "../faults/verdict.ts";

/** Longer than a caller waits. */
export const LATE_COMMIT_MS = 12_000;

/** Every promise is checked. */
export const EXPECT_ALL: ScenarioBase["expect"] = Object.freeze({
  checkers: "all",
  broken: [],
  brokenIn: "every-run",
});

/** A fault that strikes one in `n` calls of a site, with the lengths that a file would leave out. */
export function siteFaultAtRate(site: SiteName, verdict: VerdictName, n: number): SiteFault {
  return {
    site,
    verdict,
    times: 1,
    rate: { numerator: 1, denominator: n },
    for: 2_000,
    restartAfter: 3_000,
  };
}

/** An error of the database at one in `n` calls of a site, after a wait of two virtual seconds. */
export function databaseErrorAtRate(
  site: SiteName,
  error: DatabaseErrorName,
  n: number,
): SiteFault {
  return { ...siteFaultAtRate(site, "fail-before", n), error };
}

/** Commits of which one in `n` takes so long that its caller gives up. */
export function lateCommitAtRate(site: SiteName, n: number): SiteFault {
  return { ...siteFaultAtRate(site, "delay-commit", n), for: LATE_COMMIT_MS };
}

/** Draws errors of the database and late commits, in one of four scenarios. */
export function drawDatabaseFaults(dice: Dice, faults: readonly SiteFault[]): readonly SiteFault[] {
  return dice.oneIn(4) ? dice.some(faults, 3) : [];
}

/** What a herd that restarts meets. */
export interface CrowdParts {
  /** The kind of host of which all restart at once. */
  readonly herd: string;
  /** Who may have too much to do when they come back. */
  readonly hosts: readonly string[];
  readonly safety: number;
}

/**
 * In one of eight scenarios all hosts of a kind come back in the same instant, and one that they
 * all call admits only a few of the calls for a while.
 */
export function drawCrowd(dice: Dice, { herd, hosts, safety }: CrowdParts): readonly HostFault[] {
  if (!dice.oneIn(8)) return [];
  const at = dice.below(safety);
  const restartAfter = 1_000 + dice.below(5_000);
  return [
    { at, restartAll: herd, restartAfter },
    drawOverload(dice, { host: dice.from(hosts), from: Math.min(safety, at + restartAfter) }),
  ];
}

/** Draws how few calls a host admits, and for how long. */
export function drawOverload(
  dice: Dice,
  { host, from }: { readonly host: string; readonly from: number },
): HostFault {
  const admits = dice.from([2, 1, 4]);
  return { at: from, overload: host, admits, for: 5_000 + dice.below(25_000) };
}

/** What a world has that can befall a callee. */
export interface CalleeFaults {
  /** Faults of single calls, of which some are drawn. */
  readonly ofCalls: readonly SiteFault[];
  /** Hosts that may crash without a word to their callers. */
  readonly hosts: readonly string[];
  /** Crashes come within so many virtual milliseconds. */
  readonly safety: number;
}

/** Draws faults of callees: few of single calls, and a crash that callers do not notice. */
export function drawCalleeFaults(
  dice: Dice,
  { ofCalls, hosts, safety }: CalleeFaults,
): readonly (SiteFault | HostFault)[] {
  const faults: (SiteFault | HostFault)[] = [];
  if (dice.oneIn(4)) faults.push(...dice.some(ofCalls, 3));
  if (dice.oneIn(8)) {
    const crash = dice.from(hosts);
    const restartAfter = 1_000 + dice.below(20_000);
    faults.push({ at: dice.below(safety), crash, restartAfter, halfOpen: true });
  }
  return faults;
}
