import { refIn } from "../../sim/brokers/ref-in.ts";
import { expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import type { CounterexampleSize } from "../../sim/check/producer/counterexample-size.ts";
import { PropertyViolation } from "../../sim/check/property-violation.ts";
import type { KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import { KAFKA_BUGS } from "./producers/kafka/bugs.ts";
import { createProducer, OrdersProducer } from "../../scenarios/producers/orders.ts";
import { loadWithBug, type SourceBug } from "./producers/source-bug.ts";

const source = new URL("../../scenarios/producers/orders.ts", import.meta.url);
const broker = brokers.kafka({ partitions: 3 });

function bug(id: string): SourceBug {
  const found = KAFKA_BUGS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`No bug ${id}`);
  return found;
}

async function violationOf(id: string): Promise<PropertyViolation<CounterexampleSize>> {
  const check = checkProducer({
    broker,
    createProducer: await loadWithBug<KafkaClient>(source, bug(id)),
  });
  const error = await check.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof PropertyViolation) return error as PropertyViolation<CounterexampleSize>;
  throw new Error(`${id} was not found`, { cause: error });
}

test("checkProducer() says what it tried when all held, and what never came about", async () => {
  const report = await checkProducer({ broker, createProducer, numRuns: 60 });
  expect(report.runs).toBe(60);
  expect(report.copies).toBeGreaterThan(report.events);
  expect(report.faults.length).toBeGreaterThan(10);
  expect(report.crashPoints.length).toBeGreaterThan(3);
  const counts = new Map(report.situations);
  expect(counts.get("a batch held a failed event and others behind it")).toBeGreaterThan(0);

  const one = await checkProducer({ broker, createProducer, numRuns: 1 });
  expect(one.neverOccurred).toContain("a factory failed after it had made its producer");
  expect(one.neverOccurred).toContain("the triggerer died at producer.advance");
});

// A batch that was fetched before its partition was paused came after the pause, and had a say.
test("checkProducer() holds on the run of a correct producer that was broken once", async () => {
  const two = brokers.kafka({ partitions: 2 });
  const check = checkProducer({ broker: two, createProducer, seed: 3_711, numRuns: 1 });
  expect((await check).runs).toBe(1);
});

test("checkProducer() finds the same smallest counterexample for the same seed", async () => {
  const first = await violationOf("P-05");
  const again = await violationOf("P-05");
  expect(again.message).toBe(first.message);
  expect(bug("P-05").guarantees).toContain(first.guarantee);
  expect(first.story.length).toBeLessThanOrEqual(15);
  expect(first.message).toContain(`seed: ${first.seed}`);
});

test("checkProducer() finds it again from the seed that it names, in one run", async () => {
  const { seed, guarantee, detail } = await violationOf("P-16");
  const createBroken = await loadWithBug<KafkaClient>(source, bug("P-16"));
  const again = checkProducer({ broker, createProducer: createBroken, seed, numRuns: 1 });
  await expect(again).rejects.toMatchObject({ guarantee, detail });
});

test("checkProducer() rejects with an error that points at its call", async () => {
  const { stack = "", message } = await violationOf("P-16");
  const [first = ""] = stack.replace(`PropertyViolation: ${message}\n`, "").split("\n");
  expect(first).toContain("check-producer.test.ts");
});

test("checkProducer() plays the scenario of a violation, and nothing else", async () => {
  const { scenario, guarantee, detail, size } = await violationOf("P-16");
  const createBroken = await loadWithBug<KafkaClient>(source, bug("P-16"));
  const again = checkProducer({ broker, createProducer: createBroken, scenario });
  await expect(again).rejects.toMatchObject({ guarantee, detail, size, scenario });

  const { runs, events } = await checkProducer({ broker, createProducer, scenario });
  expect({ runs, events }).toEqual({ runs: 1, events: size.events });
  const idle = { openStream: () => asking(() => Promise.resolve(), new AbortController().signal) };
  const elsewhere = checkProducer({
    broker: brokers.sqs(),
    createProducer: () => ({ ...idle, advance: () => Promise.resolve() }),
    scenario,
  });
  await expect(elsewhere).rejects.toThrow('Cannot play a scenario for "kafka" on "sqs"');
});

/** Waits for its signal by asking again and again. */
async function* asking(
  wait: () => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<readonly [string, object]> {
  while (!signal.aborted) await wait();
  yield ["the end", {}];
}

test.each([
  ["setTimeout", () => new Promise<void>((resolve) => void setTimeout(resolve, 0))],
  ["setImmediate", () => new Promise<void>((resolve) => void setImmediate(resolve))],
])("checkProducer() comes to its end when a producer spins by %s", async (_name, wait) => {
  const check = checkProducer({
    broker,
    createProducer: () => ({
      openStream: (signal) => asking(wait, signal),
      advance: () => Promise.resolve(),
    }),
  });
  await expect(check).rejects.toMatchObject({ guarantee: "hot-loop" });
});

test("checkProducer() comes to its end when a producer yields without end", async () => {
  const check = checkProducer({
    broker,
    createProducer: () => ({
      // eslint-disable-next-line typescript/require-await
      async *openStream() {
        for (;;) yield ["ref-000001", {}] as const;
      },
      advance: () => Promise.resolve(),
    }),
  });
  await expect(check).rejects.toMatchObject({
    guarantee: "contract",
    detail: "the stream yields 1000 events without waiting for anything",
  });
});

test("checkProducer() does not accuse a producer that does not do it again", async () => {
  let made = 0;
  class Fickle extends OrdersProducer {
    readonly #isBroken = (made += 1) === 35;

    override async *openStream(signal: AbortSignal): AsyncGenerator<never> {
      for await (const pair of super.openStream(signal)) {
        yield (this.#isBroken ? [...pair, "more"] : pair) as never;
      }
    }
  }
  const check = checkProducer({
    broker,
    createProducer: ({ client }: { readonly client: KafkaClient }) => new Fickle(client),
    numRuns: 40,
  });
  await expect(check).rejects.toMatchObject({
    name: "NotDeterministic",
    first: [expect.stringContaining("breaks contract")],
    second: [expect.stringContaining("holds")],
    likely: "unknown",
  });
  expect(made).toBeGreaterThan(35);
});

test("checkProducer() lets a producer dead-letter again what a late rebalance has brought again", async () => {
  const two = brokers.kafka({ partitions: 2 });
  const check = checkProducer({ broker: two, createProducer, seed: 3329, numRuns: 1 });
  await expect(check).resolves.toMatchObject({ runs: 1 });
});

test("checkProducer() does not blame a producer for a membership that a fault has doubled", async () => {
  const two = brokers.kafka({ partitions: 2 });
  const check = checkProducer({ broker: two, createProducer, seed: 8993, numRuns: 1 });
  await expect(check).resolves.toMatchObject({ runs: 1 });
});

test("checkProducer() names the error that advance throws, and whose it is", async () => {
  class Fussy extends OrdersProducer {
    override advance(...args: Parameters<OrdersProducer["advance"]>): Promise<void> {
      const [batch] = args;
      if (batch.some(({ outcome }) => outcome.failed > 0)) throw new Error("Too many failures");
      return super.advance(...args);
    }
  }
  const check = checkProducer({
    broker,
    createProducer: ({ client }: { readonly client: KafkaClient }) => new Fussy(client),
    numRuns: 40,
  });
  await expect(check).rejects.toMatchObject({
    guarantee: "G10",
    detail: expect.stringMatching(
      /^advance of poll \d+ threw \(Error: Too many failures\) although/,
    ) as string,
    story: expect.arrayContaining([
      expect.stringMatching(/advance of poll \d+ throws \(Error: Too many failures\)$/),
    ]) as string[],
  });
});

test("checkProducer() judges by the decision table that it is given", async () => {
  // A team that settles what was rejected, and keeps no dead letters.
  const decide = ({ acked, failed, rejected }: Record<"acked" | "failed" | "rejected", number>) =>
    failed > 0 || acked + rejected === 0 ? "hold" : "settle";
  const check = checkProducer({ broker, createProducer, decide, numRuns: 40 });
  await expect(check).rejects.toMatchObject({ guarantee: "G3" });
});

test("checkProducer() distinguishes a factory that throws from a broken guarantee", async () => {
  const check = checkProducer({
    broker,
    createProducer: () => {
      throw new TypeError("No configuration");
    },
  });
  await expect(check).rejects.toMatchObject({
    name: "FactoryThrew",
    message: "createProducer threw: No configuration",
  });
});

test.each([
  ["nothing", undefined, "it returned undefined"],
  ["null", null, "it returned null"],
  ["half a producer", { openStream: () => [] }, "it returned an object without them"],
])("checkProducer() tells a factory that makes %s", async (_name, made, message) => {
  const check = checkProducer({ broker, createProducer: () => made as never });
  await expect(check).rejects.toThrow(message);
  await expect(check).rejects.toMatchObject({ name: "NoProducer" });
});

test("checkProducer() distinguishes unrecognisable records from a broken guarantee", async () => {
  class Anonymous extends OrdersProducer {
    override async *openStream(signal: AbortSignal): AsyncGenerator<never> {
      for await (const _ of super.openStream(signal)) yield [{}, {}] as never;
    }
  }
  const check = checkProducer({
    broker,
    createProducer: ({ client }: { readonly client: KafkaClient }) => new Anonymous(client),
  });
  await expect(check).rejects.toMatchObject({ name: "Unrecognisable" });
});

test("checkProducer() recognises records by the function that it is given", async () => {
  const refs = new WeakMap<object, string>();
  class Opaque extends OrdersProducer {
    override async *openStream(signal: AbortSignal): AsyncGenerator<never> {
      for await (const [, payload] of super.openStream(signal)) {
        const raw = Object.freeze({});
        refs.set(raw, refIn(payload.body) ?? "");
        yield [raw, payload] as never;
      }
    }
  }
  const report = await checkProducer({
    broker,
    createProducer: ({ client }: { readonly client: KafkaClient }) => new Opaque(client),
    identify: (raw) => refs.get(raw as object),
    numRuns: 20,
  });
  expect(report.runs).toBe(20);
});
