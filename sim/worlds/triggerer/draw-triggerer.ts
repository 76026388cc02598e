import type { Dice } from "../../choices/dice.ts";
import { NEVER } from "../../codecs/ratio.ts";
import type { HostFault, SiteFault } from "../../codecs/scenario-parts.ts";
import type { Ratio } from "../../faults/rule.ts";
import { FILTER_FORMS } from "../../workloads/filter-form.ts";
import type { FilterSpec, StreamSpec } from "../../workloads/stream-spec.ts";
import {
  databaseErrorAtRate,
  drawCalleeFaults,
  drawCrowd,
  drawDatabaseFaults,
  EXPECT_ALL,
  lateCommitAtRate,
  siteFaultAtRate,
} from "../drawn-parts.ts";
import { drawManagerSettings } from "../draw-manager-settings.ts";
import type {
  BrokerFault,
  MemoryLimit,
  Operation,
  TriggererScenario,
} from "./triggerer-scenario.ts";

const STREAM_NAMES = ["orders", "payments", "ticks"] as const;
const STANDALONE_NAME = "alarms";
const TRIGGERS_MAX = 4;
const ALWAYS: Ratio = { numerator: 1, denominator: 1 };
const SOMETIMES: Ratio = { numerator: 1, denominator: 20 };
/** Longer than a fetch's worth of records: a shorter queue overflows at each re-read, for ever. */
const QUEUES = [1_024, 256] as const;
/** Long enough to store a backlog; a shorter one times out at each re-read, for ever. */
const ACK_TIMEOUTS_MS = [60_000, 30_000, 300_000] as const;
const SAFETIES_MS = [60_000, 30_000, 120_000] as const;

/** Calls that any deployment may lose, at rates that leave it time to recover. */
const SITE_FAULTS: readonly SiteFault[] = [
  siteFaultAtRate("database.query", "fail-before", 60),
  siteFaultAtRate("database.commit", "fail-after", 100),
  siteFaultAtRate("database.commit", "drop-reply", 150),
  siteFaultAtRate("database.queue", "fail-before", 150),
  siteFaultAtRate("sync.request", "drop-reply", 60),
  siteFaultAtRate("sync.request", "drop-request", 80),
  siteFaultAtRate("sync.request", "delay", 40),
  siteFaultAtRate("broker.settle", "fail-after", 40),
  siteFaultAtRate("broker.settle", "drop-reply", 60),
  siteFaultAtRate("broker.fetch", "fail-before", 80),
  siteFaultAtRate("producer.fetched", "crash-before", 900),
  siteFaultAtRate("producer.advance", "crash-after", 300),
  siteFaultAtRate("runner.bound", "crash-before", 900),
  siteFaultAtRate("runner.yield", "crash-before", 900),
  siteFaultAtRate("supervisor.handle", "crash-before", 900),
  siteFaultAtRate("supervisor.confirm", "crash-before", 900),
];

/** What befalls the callee, or the reply after the effect. */
const CALLEE_FAULTS: readonly SiteFault[] = [
  siteFaultAtRate("database.commit", "delay-reply", 20),
  siteFaultAtRate("database.commit", "crash-callee-after", 100),
  siteFaultAtRate("database.queue", "crash-callee-before", 100),
  siteFaultAtRate("broker.settle", "crash-callee-after", 60),
  siteFaultAtRate("broker.settle", "delay-reply", 20),
  siteFaultAtRate("broker.fetch", "crash-callee-before", 80),
  siteFaultAtRate("sync.request", "crash-callee-after", 100),
];

const DATABASE_FAULTS: readonly SiteFault[] = [
  databaseErrorAtRate("database.query", "pool-exhausted", 60),
  databaseErrorAtRate("database.query", "lock-timeout", 100),
  databaseErrorAtRate("database.commit", "deadlock", 150),
  databaseErrorAtRate("database.queue", "lock-timeout", 150),
  databaseErrorAtRate("database.queue", "deadlock", 150),
  lateCommitAtRate("database.commit", 150),
  lateCommitAtRate("database.queue", 150),
];

/** Hosts that may crash without a word to their callers. */
const CALLEES: readonly string[] = ["broker", "database"];

/** So many records of every stream at once are stored within the shortest ack timeout. */
const IN_FLIGHT_MAX = 40;

/** Draws a whole scenario of the triggerer world that checks every promise. */
export function drawTriggererScenario(dice: Dice): Omit<TriggererScenario, "name"> {
  const scenario = drawBasis(dice);
  // Drawn last, so that the rest of a seed's scenario stays as it was before there were these.
  const { faults, phases } = scenario;
  const { safety } = phases;
  const ofCallees = { ofCalls: CALLEE_FAULTS, hosts: CALLEES, safety };
  const more = [...drawCalleeFaults(dice, ofCallees), ...drawDatabaseFaults(dice, DATABASE_FAULTS)];
  const streams = [
    ...scenario.streams.map((spec) =>
      dice.oneIn(3) ? { ...spec, filter: { ...spec.filter, rejectsLate: SOMETIMES } } : spec,
    ),
    ...(dice.oneIn(3) ? [drawStandalone(dice)] : []),
  ];
  const crowd = drawCrowd(dice, { herd: "supervisor", hosts: CALLEES, safety });
  const memory = dice.oneIn(8) ? [drawMemoryLimit(dice, safety)] : [];
  const upgrades = dice.oneIn(8) ? [drawUpgrade(dice, safety)] : [];
  return {
    ...scenario,
    faults: [...faults, ...more, ...crowd, ...memory],
    streams,
    operations: [...scenario.operations, ...upgrades],
  };
}

/** Below what a slow filter lets a stream hold, for a while. */
function drawMemoryLimit(dice: Dice, safety: number): MemoryLimit {
  const memoryLimit = dice.from([10, 20, 5]);
  const ms = 10_000 + dice.below(30_000);
  return { at: dice.below(safety), memoryLimit, for: ms, restartAfter: 3_000 };
}

/** To a version with other settings, and back. */
function drawUpgrade(dice: Dice, safety: number): Operation {
  const strictPersistence = dice.oneIn(2);
  const maxSubscriberQueue = dice.from(QUEUES);
  const every = 5_000 + dice.below(20_000);
  return { at: dice.below(safety), upgrade: { strictPersistence, maxSubscriberQueue }, every };
}

function drawBasis(dice: Dice): Omit<TriggererScenario, "name"> {
  const triggerers = 1 + dice.below(3);
  const names = STREAM_NAMES.slice(0, 1 + dice.below(STREAM_NAMES.length));
  const streams = names.map((name) => drawStream(dice, name));
  const safety = dice.from(SAFETIES_MS);
  return {
    story: "Drawn from a seed.",
    world: "triggerer",
    ...drawManagerSettings(dice, { queues: QUEUES, ackTimeouts: ACK_TIMEOUTS_MS }),
    triggerers,
    streams,
    heartbeat: dice.from([5_000, 2_000]),
    syncEvery: dice.from([1_000, 250, 3_000]),
    claimAfter: dice.from([30_000, 15_000]),
    fetchWait: dice.from([15_000, 5_000]),
    restartRunnerAlone: false,
    operations: drawOperations(dice, names, safety),
    faults: [...dice.some(SITE_FAULTS, 4), ...drawTimedFaults(dice, { names, triggerers, safety })],
    storm: dice.oneIn(3)
      ? {
          crashes: { numerator: 1, denominator: 6 },
          pauses: { numerator: 1, denominator: 4 },
          cuts: { numerator: 1, denominator: 4 },
          rebalances: { numerator: 1, denominator: 3 },
        }
      : undefined,
    phases: { safety, liveness: 600_000 },
    expect: EXPECT_ALL,
  };
}

function drawStream(dice: Dice, name: string): StreamSpec {
  const partitions = 1 + dice.below(3);
  const triggers = 1 + dice.below(TRIGGERS_MAX);
  return {
    name,
    mode: dice.oneIn(5) ? "fast" : "ack",
    partitions,
    triggers,
    publishEvery: dice.from([2_000, 800, 5_000]),
    burst: dice.from([1, 1, 3]),
    // Without it a long backlog outlives the ack timeout, whatever the manager does.
    inFlightMax: IN_FLIGHT_MAX,
    filter: drawFilter(dice),
    // A stuck trigger without siblings would leave its stream without a subscriber.
    stuckTrigger: triggers > 1 && dice.oneIn(8) ? 1 + dice.below(triggers) : undefined,
    slowPartition: dice.oneIn(8) ? { partition: dice.below(partitions), for: 300 } : undefined,
    advanceThrows: dice.oneIn(8)
      ? { nth: 1 + dice.below(6), error: dice.from(["Error", "AbortError"] as const) }
      : undefined,
  };
}

/** Few records and few triggers, because each of them reads all of them again when it restarts. */
function drawStandalone(dice: Dice): StreamSpec {
  return {
    name: STANDALONE_NAME,
    mode: "standalone",
    partitions: 1 + dice.below(2),
    triggers: 1 + dice.below(2),
    publishEvery: dice.from([5_000, 2_000]),
    burst: 1,
    inFlightMax: IN_FLIGHT_MAX,
    filter: drawFilter(dice),
  };
}

function drawFilter(dice: Dice): FilterSpec {
  const rate = (denominators: readonly number[]): Ratio =>
    dice.oneIn(3) ? { numerator: 1, denominator: dice.from(denominators) } : NEVER;
  return {
    fires: dice.oneIn(3) ? { numerator: 3, denominator: 4 } : ALWAYS,
    firesTwice: rate([10]),
    rejects: rate([20, 5]),
    rejectsLate: NEVER,
    raises: rate([80]),
    unencodable: rate([80]),
    returns: rate([60]),
    slow: rate([40, 10]),
    slowFor: dice.from([5_000, 1_000]),
    form: dice.from(FILTER_FORMS),
  };
}

function drawOperations(dice: Dice, streams: readonly string[], safety: number): Operation[] {
  const operations: Operation[] = [];
  const at = (): number => dice.below(safety);
  if (dice.oneIn(3)) operations.push({ at: at(), createTrigger: dice.from(streams), count: 1 });
  if (dice.oneIn(6)) {
    operations.push({ at: at(), shutDown: "triggerer-1", restartAfter: 3_000 });
  }
  return operations;
}

function drawTimedFaults(
  dice: Dice,
  {
    names,
    triggerers,
    safety,
  }: { readonly names: readonly string[]; readonly triggerers: number; readonly safety: number },
): (HostFault | BrokerFault)[] {
  const faults: (HostFault | BrokerFault)[] = [];
  const number = 1 + dice.below(triggerers);
  const hosts = [`supervisor-${number}`, `runner-${number}`, "broker", "database"];
  const at = (): number => dice.below(safety);
  if (dice.oneIn(3)) {
    faults.push({ at: at(), crash: dice.from(hosts), restartAfter: 1_000 + dice.below(9_000) });
  }
  if (dice.oneIn(4)) {
    faults.push({ at: at(), pause: dice.from(hosts), for: 1_000 + dice.below(40_000) });
  }
  if (dice.oneIn(4)) {
    const cut = [`runner-${number}`, "broker"] as const;
    faults.push({ at: at(), cut, oneWay: dice.oneIn(2), for: 1_000 + dice.below(30_000) });
  }
  if (dice.oneIn(6)) {
    const hold = [`supervisor-${number}`, "database"] as const;
    faults.push({ at: at(), hold, bothWays: false, for: 1_000 + dice.below(20_000) });
  }
  if (dice.oneIn(6)) faults.push({ at: at(), clockStep: dice.from(hosts), by: 3_600_000 });
  if (dice.oneIn(4)) faults.push({ at: at(), rebalance: dice.from(names) });
  if (dice.oneIn(6)) faults.push({ at: at(), expireConsumers: dice.from(names) });
  return faults;
}
