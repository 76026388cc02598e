import * as fc from "fast-check";
import type { RunReport } from "../../sim/run/run-report.ts";
import type { DrawnScenario } from "./drawn-scenario.ts";

/** A promise that must hold in every scenario which fast-check draws. */
export interface Law {
  readonly name: string;
  readonly scenarios: fc.Arbitrary<DrawnScenario>;
  /** Without a mark of this name in some run, the law was never tried. */
  readonly reaches: string;
  /** Returns what is wrong with the run, or nothing. */
  broken(report: RunReport): readonly string[];
}

const withSeed = (members: fc.Arbitrary<object>): Law["scenarios"] =>
  fc.record({ seed: fc.integer({ min: 1, max: 1_000_000 }), members });
const seconds = (min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((count) => `${count}s`);
const phases = fc.constant({ safety: "30s", liveness: "600s" });
const often = fc.constantFrom("1s", "300ms");

const slowFilter = fc.record(
  {
    slow: fc.constantFrom("1/5", "1/2"),
    slowFor: seconds(1, 5),
    rejects: fc.constantFrom("1/10", "1/3"),
  },
  { requiredKeys: [] },
);

/** Calls between a triggerer's parts and its surroundings that any deployment may lose. */
const streamFaults = fc.array(
  fc.record({
    site: fc.constantFrom("database.commit", "sync.request", "broker.settle", "broker.fetch"),
    verdict: fc.constantFrom("fail-before", "drop-reply", "delay"),
    nth: fc.integer({ min: 1, max: 20 }),
  }),
  { maxLength: 3 },
);

const crashes = fc.array(
  fc.record({ at: seconds(2, 25), crash: fc.constantFrom("runner-1", "supervisor-1") }),
  { maxLength: 1 },
);

function checkersIn(ids: readonly string[]): Law["broken"] {
  return ({ violations }) =>
    violations
      .filter(({ checker }) => ids.includes(checker))
      .map(({ checker, detail }) => `${checker}: ${detail}`);
}

/** Who comes and goes while events are outstanding. */
const comings = fc.array(
  fc.oneof(
    fc.record({
      at: seconds(1, 25),
      createTrigger: fc.constant("orders"),
      count: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ at: seconds(1, 25), cancelTriggers: fc.constant("orders") }),
  ),
  { minLength: 1, maxLength: 4 },
);

export const SNAPSHOT_AT_FAN_OUT: Law = {
  name: "snapshot at fan-out",
  scenarios: withSeed(
    fc.record({
      story: fc.constant("Triggers come and go while events are outstanding."),
      world: fc.constant("triggerer"),
      streams: fc.tuple(
        fc.record({
          name: fc.constant("orders"),
          partitions: fc.integer({ min: 1, max: 3 }),
          triggers: fc.integer({ min: 1, max: 3 }),
          publishEvery: often,
          filter: slowFilter,
        }),
      ),
      operations: comings,
      faults: fc.tuple(streamFaults, crashes).map((faults) => faults.flat()),
      phases,
    }),
  ),
  reaches: "a subscriber joined while events were outstanding",
  // Who must resolve an event is decided when it is broadcast, and each of them counts once.
  broken: checkersIn(["I2", "I3", "I9"]),
};

export const LANE_ORDERING: Law = {
  name: "lane ordering",
  scenarios: withSeed(
    fc.record({
      story: fc.constant("Lanes are resolved at different paces."),
      world: fc.constant("triggerer"),
      streams: fc.tuple(
        fc.record(
          {
            name: fc.constant("orders"),
            partitions: fc.constantFrom(3, 2, 1),
            triggers: fc.integer({ min: 1, max: 3 }),
            publishEvery: often,
            filter: slowFilter,
            slowPartition: fc.record({ partition: fc.constant(0), for: seconds(1, 5) }),
          },
          { requiredKeys: ["name", "partitions", "triggers", "publishEvery", "filter"] },
        ),
      ),
      faults: fc.tuple(streamFaults, crashes).map((faults) => faults.flat()),
      phases,
    }),
  ),
  reaches: "a batch held more than three items",
  // A batch is a prefix of its lane, and the largest; no lane waits for another.
  broken: checkersIn(["I5", "I7", "I8", "I10"]),
};

/** Everything that a worker does for its job, before and after the call. */
const TASK_SITES = [
  "job.submit",
  "api.set-task-state",
  "job.status",
  "api.get-task-state",
  "api.heartbeat",
  "job.result",
  "api.finish-attempt",
] as const;

const workerCrashes = fc.array(
  fc.record({
    site: fc.constantFrom(...TASK_SITES),
    verdict: fc.constantFrom("crash-before", "crash-after"),
    nth: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 3 },
);

/**
 * Whether a crash lies in the one window which the mixin cannot close: the system has accepted the
 * job, and the commit of its id has not begun.
 */
function isInWindow(site: string, verdict: string): boolean {
  if (site === "job.submit") return verdict === "crash the caller after the effect";
  return site === "api.set-task-state" && verdict === "crash the caller before the effect";
}

/** One job, and one more for each crash in the window: no more, no less. */
function jobsAreCounted({ trace }: RunReport): readonly string[] {
  let [accepted, inWindow] = [0, 0];
  for (const event of trace) {
    if (event.kind === "job-accepted") accepted += 1;
    if (event.kind === "fault" && isInWindow(event.site, event.verdict)) inWindow += 1;
  }
  if (accepted === 1 + inWindow) return [];
  return [`${accepted} jobs, and ${inWindow} crashes between a submit and the commit of its id`];
}

/** Crash-window resubmission, of the operator of this kind. */
export function crashWindowOf(operator: "resumable" | "plain"): Law {
  return {
    name: "crash-window resubmission",
    scenarios: withSeed(
      fc.record({
        story: fc.constant("The worker crashes around what it does for its job."),
        world: fc.constant("tasks"),
        heartbeat: fc.constant("10s"),
        schedulerEvery: fc.constant("2s"),
        tasks: fc.tuple(
          fc.record({
            name: fc.constant("report"),
            operator: fc.constant(operator),
            retries: fc.constant(10),
            retryDelay: seconds(1, 5),
            pollEvery: fc.constantFrom("5s", "1s"),
          }),
        ),
        faults: workerCrashes,
        phases: fc.constant({ safety: "300s" }),
      }),
    ),
    reaches: "a task succeeded at a later try",
    broken: jobsAreCounted,
  };
}
