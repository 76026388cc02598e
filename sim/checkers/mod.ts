/**
 * Oracles: one checker per promise, each a judge of the trace alone.
 *
 * - They import the trace and each other's facts, nothing else: an oracle that imports what it
 *   judges will excuse it.
 * - A checker is told of an event before the facts take it in.
 * - Some keep a memory of their own, so `createCheckers` makes them anew for each run.
 *
 * @module
 */
import {
  countsAddUp,
  nothingPendingAdvances,
  persistGate,
  snapshotAtFanOut,
  timeoutsAreKept,
} from "./accounting.ts";
import type { Checker } from "./checker.ts";
import {
  booksAreClean,
  failedStayOut,
  lateConfirmsAreIgnored,
  rawEventsArriveBare,
  seqsAreUnique,
  siblingsAreApart,
} from "./delivery.ts";
import {
  advancedOnce,
  batchesAreWhole,
  failedAdvanceIsLast,
  lanesDoNotWait,
  lanesKeepOrder,
  noLostWakeup,
  oneAdvanceAtATime,
} from "./lanes.ts";
import {
  closedOnce,
  failureReachesAll,
  keysMeanLivePolls,
  onePollPerGroup,
  stopDrains,
} from "./lifecycle.ts";
import { atLeastOnce, everythingSettles, persistedWhenClean } from "./persistence.ts";

export { CRASH_POINTS } from "./crash-points.ts";
export { type Checker, Judge, type Violation } from "./checker.ts";

/** Every checker, fresh for one run. */
export function createCheckers(): readonly Checker[] {
  return [
    keysMeanLivePolls,
    snapshotAtFanOut,
    countsAddUp,
    persistGate,
    lanesKeepOrder,
    oneAdvanceAtATime,
    batchesAreWhole,
    advancedOnce,
    nothingPendingAdvances,
    lanesDoNotWait,
    timeoutsAreKept,
    siblingsAreApart,
    failureReachesAll,
    closedOnce,
    stopDrains,
    seqsAreUnique,
    lateConfirmsAreIgnored,
    failedStayOut,
    rawEventsArriveBare,
    onePollPerGroup,
    noLostWakeup,
    booksAreClean,
    persistedWhenClean(),
    failedAdvanceIsLast,
    atLeastOnce(),
    everythingSettles(),
  ];
}

/** The names that a scenario may list under `expect.checkers`. */
export const CHECKER_IDS: readonly string[] = createCheckers().map(({ id }) => id);
