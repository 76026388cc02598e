/**
 * Oracles: one checker for each promise, which judges the trace alone.
 *
 * - They import the trace and each other's facts only: an oracle that imports what it judges would
 *   repeat its mistakes.
 * - A checker observes an event before the facts apply it.
 * - Some checkers have state of their own, so `createCheckers` creates them for each run.
 *
 * @module
 */
import { departuresAreDistinct } from "./task/departures.ts";
import { undurableLeavesTheStore } from "./task/durable.ts";
import {
  countsAddUp,
  nothingPendingAdvances,
  persistGate,
  snapshotAtFanOut,
  timeoutsAreKept,
} from "./stream/accounting.ts";
import type { Checker } from "./checker.ts";
import {
  onlyOutstandingIsKept,
  failedStayOut,
  lateConfirmsAreIgnored,
  rawEventsArriveBare,
  seqsAreUnique,
  siblingsAreApart,
} from "./stream/delivery.ts";
import { goodputReturns } from "./stream/goodput.ts";
import {
  advancedOnce,
  batchesAreWhole,
  failedAdvanceIsLast,
  lanesDoNotWait,
  lanesKeepOrder,
  noLostWakeup,
  oneAdvanceAtATime,
} from "./stream/lanes.ts";
import {
  closedOnce,
  failureReachesAll,
  keysMeanLivePolls,
  managerDoesNotThrow,
  onePollPerGroup,
  stopDrains,
} from "./stream/lifecycle.ts";
import { atLeastOnce, everythingSettles, persistedWhenClean } from "./stream/persistence.ts";

import { pollsReadOn } from "./stream/reads-on.ts";
import {
  duplicatesHaveTheirReason,
  recordedJobIsNotDoubled,
  succeededJobIsNotRunAgain,
  unknownIsNotTerminal,
} from "./task/job-submits.ts";
import {
  countersReconcile,
  crashesDoNotChangeResults,
  idIsStoredBeforeThePoll,
  killsDecideRightly,
  nothingIsOrphaned,
  polledJobIsTheOwn,
  storedIdIsTheNewest,
} from "./task/jobs.ts";
import { idsOutliveTheirJobs } from "./task/kept-ids.ts";
import { pagesAreLoadedOnce, tasksComeToRest, watermarkFollowsTheData } from "./task/progress.ts";
import { endedAttemptsAreKilled } from "./task/ended-attempts.ts";
import { deferralsTimeOut, endedDeferrals, triggersAreCleanedUp } from "./task/ended-deferrals.ts";
import { entriesExpireAsAsked } from "./task/expiry.ts";
import { tasksRecover } from "./task/recovery.ts";
import { runsAreApart } from "./task/runs-apart.ts";
import { httpShowsTheStore, httpWritesAreStored } from "./task/shown-state.ts";
import { attemptsStartWhereTheyLeft } from "./task/starts.ts";
import type { TaskFacts } from "./task/task-facts.ts";
import { orphanedAssetsAreCleared } from "./task/undeclared-assets.ts";
import { type OperatorsOf, usesAreApart } from "./task/uses.ts";
import { verdictsAreOfTheirJob } from "./task/verdicts.ts";
import { entriesAreDated } from "./task/write-times.ts";
import {
  assetsAreLeftAlone,
  cleanupFollowsSuccess,
  clearTakesItsScope,
  deadAttemptsDoNotWrite,
  nullIsNeverStored,
  readsSeeTheLastWrite,
  removalsTakeEffect,
  sweepTakesAllExpired,
  sweepTakesTheExpired,
  valuesAreJson,
} from "./task/task-store.ts";

import { nothingSpinsForEver } from "./spinning.ts";
import { nothingIsUncaught } from "./uncaught.ts";
import { PRODUCER_CHECKERS } from "./producer/producer-checkers.ts";

export { CRASH_POINTS, CrashPointCounter } from "./stream/crash-points.ts";
export { type Checker, CheckerRunner, type Violation } from "./checker.ts";
export { StreamFacts } from "./stream/stream-facts.ts";
export { type OrphanedJob, OrphanedJobs, type OrphanReason } from "./task/orphaned-jobs.ts";
export { TaskFacts } from "./task/task-facts.ts";

/** Creates every checker of a world with shared streams, for one run. */
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
    onlyOutstandingIsKept,
    persistedWhenClean(),
    failedAdvanceIsLast,
    managerDoesNotThrow,
    atLeastOnce(),
    goodputReturns(),
    pollsReadOn(),
    everythingSettles(),
    nothingIsUncaught,
    nothingSpinsForEver,
  ];
}

const HEARTBEAT_MS = 10_000;

/** What the checkers of a world of tasks cannot see in its trace. */
export interface TaskCheckerOptions {
  /** How many retries each of its tasks has at least; default 0. */
  readonly retriesMin?: number;
  /** Who wrote their operators; default the kit. */
  readonly operatorsOf?: OperatorsOf;
  /** How often a worker sends a heartbeat for its attempt, in milliseconds; default 10 s. */
  readonly heartbeatMs?: number;
}

/** Creates every checker of a world of tasks, for one run. */
export function createTaskCheckers(
  options: TaskCheckerOptions = {},
): readonly Checker<TaskFacts>[] {
  const { retriesMin = 0, operatorsOf = "kit", heartbeatMs = HEARTBEAT_MS } = options;
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
    sweepTakesAllExpired(),
    entriesExpireAsAsked(),
    httpShowsTheStore(),
    httpWritesAreStored(),
    entriesAreDated(),
    clearTakesItsScope,
    removalsTakeEffect(),
    assetsAreLeftAlone,
    orphanedAssetsAreCleared(),
    pagesAreLoadedOnce,
    watermarkFollowsTheData,
    killsDecideRightly,
    countersReconcile,
    cleanupFollowsSuccess,
    deadAttemptsDoNotWrite,
    valuesAreJson,
    polledJobIsTheOwn,
    crashesDoNotChangeResults,
    undurableLeavesTheStore,
    idsOutliveTheirJobs,
    verdictsAreOfTheirJob(),
    usesAreApart(operatorsOf),
    runsAreApart,
    attemptsStartWhereTheyLeft(),
    departuresAreDistinct(),
    nothingIsOrphaned,
    tasksComeToRest,
    tasksRecover(retriesMin),
    endedDeferrals(),
    endedAttemptsAreKilled(heartbeatMs),
    deferralsTimeOut(),
    triggersAreCleanedUp(),
    nothingIsUncaught,
    nothingSpinsForEver,
  ];
}

/** The ids of the promises about shared streams, which a scenario may list under `expect`. */
export const CHECKER_IDS: readonly string[] = createCheckers().map(({ id }) => id);

/** The ids of the promises about producers. */
export const PRODUCER_CHECKER_IDS: readonly string[] = PRODUCER_CHECKERS.map(({ id }) => id);

/** The ids of the promises about tasks, their jobs and their state. */
export const TASK_CHECKER_IDS: readonly string[] = createTaskCheckers().map(({ id }) => id);
