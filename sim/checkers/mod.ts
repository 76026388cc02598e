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

import {
  countersReconcile,
  crashesDoNotChangeResults,
  duplicatesHaveTheirReason,
  idIsStoredBeforeThePoll,
  killsDecideRightly,
  nothingIsOrphaned,
  polledJobIsTheOwn,
  recordedJobIsNotDoubled,
  storedIdIsTheNewest,
  succeededJobIsNotRunAgain,
  unknownIsNotTerminal,
} from "./jobs.ts";
import { pagesAreLoadedOnce, tasksComeToRest, watermarkFollowsTheData } from "./progress.ts";
import type { TaskFacts } from "./task-facts.ts";
import {
  assetsAreLeftAlone,
  cleanupFollowsSuccess,
  clearTakesItsScope,
  deadAttemptsDoNotWrite,
  nullIsNeverStored,
  readsSeeTheLastWrite,
  sweepTakesTheExpired,
  valuesAreJson,
} from "./task-store.ts";

export { CRASH_POINTS, CrashPointCounter } from "./crash-points.ts";
export { type Checker, Judge, type Violation } from "./checker.ts";
export { StreamFacts } from "./stream-facts.ts";
export { TaskFacts } from "./task-facts.ts";

/** Every checker of a world with shared streams, fresh for one run. */
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

/** Every checker of a world of tasks, fresh for one run. */
export function createTaskCheckers(): readonly Checker<TaskFacts>[] {
  return [
    duplicatesHaveTheirReason,
    idIsStoredBeforeThePoll,
    recordedJobIsNotDoubled,
    succeededJobIsNotRunAgain,
    unknownIsNotTerminal,
    storedIdIsTheNewest,
    readsSeeTheLastWrite,
    nullIsNeverStored,
    sweepTakesTheExpired,
    clearTakesItsScope,
    assetsAreLeftAlone,
    pagesAreLoadedOnce,
    watermarkFollowsTheData,
    killsDecideRightly,
    countersReconcile,
    cleanupFollowsSuccess,
    deadAttemptsDoNotWrite,
    valuesAreJson,
    polledJobIsTheOwn(),
    crashesDoNotChangeResults,
    nothingIsOrphaned,
    tasksComeToRest,
  ];
}

/** The checkers of shared streams, by name. */
export const CHECKER_IDS: readonly string[] = createCheckers().map(({ id }) => id);

/** The checkers of tasks, their jobs and their state, by name. */
export const TASK_CHECKER_IDS: readonly string[] = createTaskCheckers().map(({ id }) => id);
