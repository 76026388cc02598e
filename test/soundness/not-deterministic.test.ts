import { expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import type { KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import { checkResumableJob } from "../../sim/check/check-resumable-job.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import type { LikelySource, NotDeterministic } from "../../sim/run/not-deterministic.ts";
import { OperatorUnderTest } from "../../sim/worlds/operator/operator-under-test.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { OrdersProducer } from "../../scenarios/producers/orders.ts";
import { LivyBatch } from "../check/livy-batch.ts";

/** How long code waits before its work: what makes it deterministic or not. */
interface Waiting {
  readonly name: string;
  /** Creates the source of one module: its state outlives the runs. */
  readonly create: () => () => number;
  readonly likely: readonly LikelySource[];
}

const STATE: LikelySource = "state-outlives-run";
const REAL: LikelySource = "real-time-or-chance";

const LEAKING: readonly Waiting[] = [
  {
    name: "a counter",
    create: () => {
      let calls = 0;
      return () => (calls += 1) * 10;
    },
    likely: [STATE],
  },
  {
    name: "a counter with large steps",
    create: () => {
      let calls = 0;
      return () => (calls += 1) * 1_000;
    },
    // So much changes what happens, too.
    likely: [STATE, REAL],
  },
  {
    name: "a counter in shared memory",
    create: () => {
      const cells = new Int32Array(new SharedArrayBuffer(4));
      return () => 10 * (1 + Atomics.add(cells, 0, 1));
    },
    likely: [STATE],
  },
  {
    name: "a cache that the first run fills",
    create: () => {
      const cache = new Map<number, number>();
      let calls = 0;
      return () => {
        calls += 1;
        const wait = cache.get(1) ?? 20_000;
        if (calls > 2) cache.set(1, 5);
        return wait;
      };
    },
    likely: [STATE],
  },
  {
    name: "a set of objects that grows",
    create: () => {
      const seen = new Set<object>();
      return () => seen.add({}).size * 10;
    },
    likely: [STATE],
  },
  {
    name: "numbers that look like chance",
    create: () => {
      let calls = 0;
      return () => ((calls += 1) * 7_919) % 20_011;
    },
    likely: [REAL],
  },
  {
    name: "a switch that each run turns",
    create: () => {
      let isOn = false;
      return () => {
        isOn = !isOn;
        return isOn ? 5 : 20_000;
      };
    },
    likely: [STATE, "unknown"],
  },
];

const SOUND: readonly Waiting[] = [
  {
    name: "a counter that nobody sees",
    create: () => {
      let calls = 0;
      return () => ((calls += 1) > 0 ? 5 : 6);
    },
    likely: [],
  },
  {
    name: "a cache of what is the same each time",
    create: () => {
      const cache = new Map<number, number>();
      return () => {
        const wait = cache.get(1) ?? 5;
        cache.set(1, wait);
        return wait;
      };
    },
    likely: [],
  },
  {
    name: "virtual time and chance",
    create: () => () => (Date.now() % 7) + Math.floor(Math.random() * 50),
    likely: [],
  },
];

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** A correct producer that waits before it opens its stream. */
function createProducerThat(wait: () => number) {
  class Waiting extends OrdersProducer {
    override async *openStream(signal: AbortSignal): ReturnType<OrdersProducer["openStream"]> {
      await pause(wait());
      if (!signal.aborted) yield* super.openStream(signal);
    }
  }
  return ({ client }: { readonly client: KafkaClient }): OrdersProducer => new Waiting(client);
}

/** A correct job that waits before it is submitted. */
function createJobThat(wait: () => number): ConstructorParameters<typeof OperatorUnderTest>[0] {
  class Waiting extends LivyBatch {
    override async submitJob(): Promise<number> {
      await pause(wait());
      return super.submitJob();
    }
  }
  return (client, { task }) => new Waiting(client, task);
}

const broker = brokers.kafka({ partitions: 3 });

async function reasonOf(check: Promise<unknown>): Promise<NotDeterministic> {
  return await check.then(
    () => undefined as never,
    (error: NotDeterministic) => error,
  );
}

test.each(LEAKING)("checkProducer() does not judge a producer with $name", async (one) => {
  const createProducer = createProducerThat(one.create());
  const error = await reasonOf(checkProducer({ broker, createProducer, numRuns: 40 }));
  expect(error).toMatchObject({ name: "NotDeterministic", subject: "producer" });
  expect(one.likely).toContain(error.likely);
  expect(error.first).not.toEqual(error.second);
});

test.each(LEAKING)("checkResumableJob() does not judge a job with $name", async (one) => {
  const createJob = createJobThat(one.create());
  const error = await reasonOf(checkResumableJob(createJob, { system: "livy", numRuns: 40 }));
  expect(error).toMatchObject({ name: "NotDeterministic", subject: "job" });
  expect(one.likely).toContain(error.likely);
});

test.each(SOUND)("checkProducer() judges a producer with $name", async ({ create }) => {
  const createProducer = createProducerThat(create());
  await expect(checkProducer({ broker, createProducer, numRuns: 40 })).resolves.toMatchObject({
    runs: 40,
  });
});

test.each(SOUND)("checkResumableJob() judges a job with $name", async ({ create }) => {
  const check = checkResumableJob(createJobThat(create()), { system: "livy", numRuns: 40 });
  await expect(check).resolves.toMatchObject({ runs: 40 });
});

test("checkProducer() does not accuse a producer that earlier runs have spoilt", async () => {
  let opened = 0;
  class Spoilt extends OrdersProducer {
    override async *openStream(signal: AbortSignal): ReturnType<OrdersProducer["openStream"]> {
      opened += 1;
      if (opened > 100) yield "no pair" as never;
      yield* super.openStream(signal);
    }
  }
  const createProducer = ({ client }: { readonly client: KafkaClient }): OrdersProducer =>
    new Spoilt(client);
  const error = await reasonOf(checkProducer({ broker, createProducer, numRuns: 200 }));
  expect(error).toMatchObject({ name: "NotDeterministic", likely: STATE, isCertain: false });
  expect(error.message.split("\n")[0]).toMatch(
    /^Cannot judge the producer: two runs from seed \d+ differ at [\d,]+ ms: first run ".+", second run ".+"; likely source: state that outlives a run \(a counter or a cache, of the module or of one that it imports\); create it in createProducer$/,
  );
});

test("checkProducer() is certain of the source when a module that is loaded anew repeats", async () => {
  const createProducerOf = (): ReturnType<typeof createProducerThat> => {
    let calls = 0;
    // It looks like chance, and is a counter.
    return createProducerThat(() => ((calls += 1) * 7_919) % 1_000);
  };
  const error = await reasonOf(
    checkProducer({
      broker,
      createProducer: createProducerOf(),
      loadAnew: () => Promise.resolve(createProducerOf()),
      numRuns: 40,
    }),
  );
  expect(error).toMatchObject({ likely: STATE, isCertain: true });
  expect(error.message).toContain("; source: state that outlives a run");
});

const CALM = "{ story: Nothing happens, world: operator, system: livy }";

test("simulate() with repeat makes two runs and compares them", async () => {
  const [counter] = LEAKING;
  const createJob = createJobThat(counter?.create() ?? (() => 0));
  const scenario = parseScenario(CALM, "calm");
  const operator = new OperatorUnderTest(createJob);
  await expect(simulate(scenario, { operator, seed: 3 })).resolves.toMatchObject({ seed: 3 });
  await expect(simulate(scenario, { operator, seed: 3, repeat: true })).rejects.toMatchObject({
    name: "NotDeterministic",
    subject: "operator",
    scenario: "calm",
    seed: 3,
  });

  const sound = new OperatorUnderTest(createJobThat(() => 5));
  const report = await simulate(scenario, { operator: sound, repeat: true });
  expect(report.verdict).toBe("held");
  const rules = [{ name: "none", decide: () => ({ kind: "pass" }) as const }];
  await expect(simulate(scenario, { operator: sound, repeat: true, rules })).rejects.toThrow(
    "Cannot repeat a run with rules",
  );
});

test("simulate() repeats the choices that it was given", async () => {
  const scenario = parseScenario(CALM, "calm");
  const operator = new OperatorUnderTest(createJobThat(() => Math.floor(Math.random() * 50)));
  const { choices, digest } = await simulate(scenario, { operator, seed: 5 });
  const again = await simulate(scenario, { operator, replay: choices, repeat: true });
  expect(again.digest).toBe(digest);
});
