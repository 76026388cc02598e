import { expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import { checkResumableJob } from "../../sim/check/check-resumable-job.ts";
import type { CreateJob } from "../../sim/worlds/operator/operator-under-test.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { serialize } from "../../sim/kernel/serialize.ts";
import { World } from "../../sim/kernel/world.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { createProducer } from "../../scenarios/producers/orders.ts";
import { LivyBatch } from "../check/livy-batch.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const scenario = readScenario("everything-at-once");
const createJob: CreateJob = (client, { task }) => new LivyBatch(client, task);
const broker = brokers.kafka({ partitions: 3 });

/** What a run replaces. */
function globalsNow(): readonly unknown[] {
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval } = globalThis;
  const { clearImmediate, Date, fetch } = globalThis;
  return [
    ...[setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate],
    ...[Date, fetch, performance.now, AbortSignal.timeout, Math.random],
    ...[crypto.randomUUID, crypto.getRandomValues],
  ];
}

// The story: runs and checks each had a queue of their own. The one that ended first put back the real
// globals, the other one then put back those of the first, for good.
test("a run and checks started at once restore every global and judge as they do alone", async () => {
  // The first run puts the gates in place, which stay and pass through.
  await simulate(scenario, { seed: 1, trace: false });
  const before = globalsNow();
  const alone = await simulate(scenario, { seed: 3, trace: false });
  const producerAlone = await checkProducer({ broker, createProducer, numRuns: 40 });
  const jobAlone = await checkResumableJob(createJob, { system: "livy", numRuns: 40 });
  const [run, producer, job] = await Promise.all([
    simulate(scenario, { seed: 3, trace: false }),
    checkProducer({ broker, createProducer, numRuns: 40 }),
    checkResumableJob(createJob, { system: "livy", numRuns: 40 }),
  ]);
  expect(globalsNow()).toEqual(before);
  expect([run.digest, run.verdict]).toEqual([alone.digest, alone.verdict]);
  expect(producer).toEqual(producerAlone);
  expect(job).toEqual(jobAlone);
});

test("serialize() lets the next run begin when one rejects", async () => {
  const ran: string[] = [];
  const broken = serialize(() => Promise.reject(new Error("broken")));
  const next = serialize(async () => void ran.push("next"));
  await expect(broken).rejects.toThrow("broken");
  await next;
  expect(ran).toEqual(["next"]);
});

test("serialize() ends a run only when what it started and did not wait for has ended", async () => {
  const ran: string[] = [];
  const outer = serialize(async () => {
    void serialize(async () => {
      for (let hops = 0; hops < 50; hops += 1) await Promise.resolve();
      ran.push("inner ends");
    });
  });
  const next = serialize(async () => void ran.push("next"));
  await outer;
  ran.push("outer ends");
  await next;
  expect(ran[0]).toBe("inner ends");
  expect(ran).toHaveLength(3);
});

test("serialize() runs what a run starts inside of that run, one after the other", async () => {
  const ran: string[] = [];
  const step = (name: string) => async (): Promise<void> => {
    ran.push(`${name} begins`);
    await Promise.resolve();
    ran.push(`${name} ends`);
  };
  const outer = serialize(async () => {
    await Promise.all([serialize(step("a")), serialize(step("b"))]);
    ran.push("outer ends");
  });
  await Promise.all([outer, serialize(step("next"))]);
  expect(ran).toEqual([
    ...["a begins", "a ends", "b begins", "b ends", "outer ends"],
    ...["next begins", "next ends"],
  ]);
});

test("simulate() called by code under test has the digest that it has outside", async () => {
  const before = globalsNow();
  const { digest } = await simulate(scenario, { seed: 3, trace: false });
  const world = new World(new CalmChoices(), { keepTrace: true });
  const inside: Promise<{ readonly digest: string }>[] = [];
  const seen: number[] = [];
  const outer = serialize((turn) =>
    world.realm.during(turn, async () => {
      world.schedule(10, { lane: "a" }, () => {
        inside.push(simulate(scenario, { seed: 3, trace: false }));
        setTimeout(() => seen.push(world.now), 700);
      });
      await world.run(1_000);
    }),
  );
  const next = simulate(scenario, { seed: 3, trace: false });
  await outer;
  expect(seen).toEqual([710]);
  expect((await inside[0])?.digest).toBe(digest);
  expect((await next).digest).toBe(digest);
  expect(globalsNow()).toEqual(before);
});
