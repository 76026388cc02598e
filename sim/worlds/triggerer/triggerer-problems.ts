import {
  emptyProblems,
  type FaultGround,
  faultProblems,
  HostNames,
  nameProblems,
  type Problem,
  sitesFrom,
  twiceProblems,
} from "../problems.ts";
import { durationText } from "../../codecs/duration.ts";
import type { Operation, OwnTriggererFault, TriggererScenario } from "./triggerer-scenario.ts";

/** The database and the broker have one connection each, the runner a pipe to its supervisor. */
const CALLS = [
  "database.query",
  "database.commit",
  "database.queue",
  "sync.request",
  "broker.fetch",
  "broker.settle",
  "broker.produce",
  "producer.close",
] as const;

const SITES: FaultGround["sites"] = sitesFrom({
  calls: CALLS,
  connections: CALLS,
  points: [
    "supervisor.handle",
    "supervisor.confirm",
    "runner.filter",
    "runner.yield",
    "runner.bound",
    "runner.confirm",
    "producer.connect",
    "producer.fetched",
    "producer.broadcast",
    "producer.advance",
  ],
});

/** Finds what cannot come about in a world of triggerers. */
export function* triggererProblems(scenario: TriggererScenario): Generator<Problem> {
  const { triggerers, streams, faults, phases } = scenario;
  const names = streams.map(({ name }) => name);
  yield* twiceProblems(names, (at) => ["streams", at, "name"], "stream");
  yield* streamProblems(scenario);
  const known = { noun: "stream", known: names };
  const hosts = new HostNames(["broker", "database"], {
    supervisor: triggerers,
    runner: triggerers,
  });
  const ground = { hosts, sites: SITES, safety: phases.safety };
  yield* faultProblems<OwnTriggererFault>(faults, ground, function* own(fault, path) {
    if ("memoryLimit" in fault) {
      if (fault.for !== undefined) yield* emptyProblems(fault.for, [...path, "for"]);
    } else if ("rebalance" in fault) {
      yield* nameProblems(fault.rebalance, [...path, "rebalance"], known);
    } else {
      yield* nameProblems(fault.expireConsumers, [...path, "expireConsumers"], known);
    }
  });
  yield* operationProblems(scenario, names);
}

function* streamProblems({ streams, operations }: TriggererScenario): Generator<Problem> {
  for (const [
    at,
    { name, triggers, partitions, stuckTrigger, slowPartition },
  ] of streams.entries()) {
    const created = operations.reduce((sum, one) => sum + createdFor(name, one), 0);
    if (stuckTrigger !== undefined && stuckTrigger > triggers + created) {
      const words = `expected the number of one of its ${triggers + created} triggers, from 1; found ${stuckTrigger}`;
      yield { path: ["streams", at, "stuckTrigger"], words };
    }
    if (slowPartition !== undefined && slowPartition.partition >= partitions) {
      const words = `expected the number of one of its ${partitions} partitions, from 0; found ${slowPartition.partition}`;
      yield { path: ["streams", at, "slowPartition", "partition"], words };
    }
  }
}

function createdFor(stream: string, operation: Operation): number {
  return "createTrigger" in operation && operation.createTrigger === stream ? operation.count : 0;
}

function* operationProblems(
  { operations, triggerers, phases }: TriggererScenario,
  streams: readonly string[],
): Generator<Problem> {
  const known = { noun: "stream", known: streams };
  const end = phases.safety + phases.liveness;
  for (const [nth, operation] of operations.entries()) {
    const path = ["operations", nth];
    if (operation.at > end) {
      const words = `expected a time up to ${durationText(end)}, when the run is over; found ${durationText(operation.at)}`;
      yield { path: [...path, "at"], words };
    }
    if ("createTrigger" in operation) {
      yield* nameProblems(operation.createTrigger, [...path, "createTrigger"], known);
    } else if ("cancelTriggers" in operation) {
      yield* nameProblems(operation.cancelTriggers, [...path, "cancelTriggers"], known);
    } else if ("shutDown" in operation) {
      const names = new HostNames([], { triggerer: triggerers });
      yield* nameProblems(operation.shutDown, [...path, "shutDown"], {
        noun: "triggerer",
        known: names,
      });
    }
  }
}
