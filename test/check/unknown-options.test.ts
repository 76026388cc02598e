import { expect, test } from "vitest";
import {
  brokers,
  checkProducer,
  checkResumableJob,
  checkStateBackend,
} from "../../sim/check/mod.ts";
import { exploreCrashPoints, parseScenario, simulate } from "../../sim/mod.ts";

const UNKNOWN: object = { tocken: 1 };

function mustNot(): never {
  throw new Error("Nothing may be done where an option is unknown");
}

const broker = brokers.kafka();
const scenario = parseScenario("{ story: Mine, world: manager }", "mine");
const CALLS: readonly (readonly [what: string, call: () => Promise<unknown>])[] = [
  ["checkProducer", () => checkProducer({ broker, createProducer: mustNot, ...UNKNOWN })],
  ["checkResumableJob", () => checkResumableJob(mustNot, { system: "livy", ...UNKNOWN })],
  [
    "the job system livy",
    () => checkResumableJob(mustNot, { system: "livy", knobs: { ...UNKNOWN } }),
  ],
  ["simulate", () => simulate(scenario, { ...UNKNOWN })],
  ["exploreCrashPoints", () => exploreCrashPoints(scenario, { ...UNKNOWN })],
  ["checkStateBackend", () => checkStateBackend(mustNot, { ...UNKNOWN })],
];

test.each(CALLS)("%s refuses an option that it does not know", async (what, call) => {
  const called = call();
  await expect(called).rejects.toThrow(TypeError);
  await expect(called).rejects.toThrow(`Cannot use "tocken" as an option of ${what}: write {`);
});

test("a check refuses a value that an option of its broker cannot have", async () => {
  const made = brokers.nats({ ackPolicy: "some" as "all" });
  await expect(checkProducer({ broker: made, createProducer: mustNot })).rejects.toThrow(
    "Cannot use the ackPolicy given to brokers.nats: ",
  );
});
