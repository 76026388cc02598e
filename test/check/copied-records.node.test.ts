import { expect, test } from "vitest";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { brokers } from "../../sim/brokers/brokers.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import { expectSourceBugFound } from "./producers/source-bug-found.ts";
import { loadWithBug, type SourceBug } from "./producers/source-bug.ts";

const RUNS = 150;

type Edits = SourceBug["edits"];

/** Redis: what failed waits in a sorted set, from which it is put into the stream again. */
function parking(takesOut: string): Edits {
  return [
    [
      "  readonly #again = new Map<string, number>();\n",
      `  readonly #again = new Map<string, number>();
  readonly #fields = new Map<string, readonly string[]>();
`,
    ],
    [
      "        this.#again.set(payload.id, performance.now() + BACKOFF_MS);\n",
      `        this.#again.set(payload.id, 0);
        this.#fields.set(payload.id, payload.fields);
`,
    ],
    [
      `      const entries = await reader.xclaim(STREAM, GROUP, CONSUMER, 0, ...due);
      for (const id of due) this.#again.delete(id);
      return entries as Entry[];
`,
      `      for (const id of due) {
        const member = JSON.stringify([id, ...(this.#fields.get(id) ?? [])]);
        const parked = this.#client.multi().zadd("orders:retry", Date.now() + 1_000, member);
        const isParked = await parked.xack(STREAM, GROUP, id).exec().then(
          () => true,
          () => false,
        );
        if (isParked) this.#again.delete(id);
        else this.#again.set(id, performance.now() + BACKOFF_MS);
      }
      return [];
`,
    ],
    [
      '    const range = ["COUNT", 32, "BLOCK", 1_000,',
      `    const due_ = this.#client.zrangebyscore("orders:retry", "-inf", Date.now());
    for (const member of await due_.catch(() => [])) {
      const [, ...fields] = JSON.parse(member) as string[];
${takesOut}
    }
    const range = ["COUNT", 32, "BLOCK", 1_000,`,
    ],
  ];
}

/** SQS: a copy of what failed is sent, and the failed one is deleted. */
function copying(act: string): Edits {
  return [["      if (!isUntaken) again.push(handle);\n", act]];
}

const SENT = `await this.#client
        .send(new SendMessageCommand({ ...QUEUE, MessageBody: payload.message.Body }))
        .then(
          () => true,
          () => false,
        )`;

async function expectHeld<Client>(
  name: string,
  id: string,
  edits: Edits,
  broker: BrokerModel<Client>,
): Promise<void> {
  const source = new URL(`../../scenarios/producers/${name}`, import.meta.url);
  const bug = { id, what: "puts a copy of what failed behind the others", guarantees: [], edits };
  const createProducer = await loadWithBug<Client>(source, bug);
  const { runs } = await checkProducer({ broker, createProducer, numRuns: RUNS });
  expect(runs).toBe(RUNS);
}

test("a record that is parked in a sorted set as it is acknowledged is still owed", () =>
  expectHeld(
    "redis.ts",
    "parks-what-failed",
    parking(`      const moved = this.#client.multi().zrem("orders:retry", member);
      await moved.xadd(STREAM, "*", ...fields).exec().catch(() => undefined);`),
    brokers.redis(),
  ));

test("one that is taken out before it is in the stream again is settled too early", () =>
  expectSourceBugFound(
    "redis.ts",
    {
      id: "takes-out-first",
      what: "takes a parked order out of its sorted set before the stream has it",
      guarantees: ["G1", "G3"],
      edits: parking(`      await this.#client.zrem("orders:retry", member).catch(() => undefined);
      await this.#client.xadd(STREAM, "*", ...fields).catch(() => undefined);`),
    },
    brokers.redis(),
  ));

test("a record of which a copy was sent before it was deleted is still owed", () =>
  expectHeld(
    "sqs.ts",
    "sends-a-copy",
    copying(`      if (isUntaken) continue;
      const isSent = ${SENT};
      if (isSent) done.push(payload);
      else again.push(handle);
`),
    brokers.sqs(),
  ));

test("one that was deleted before its copy was sent is settled too early", () =>
  expectSourceBugFound(
    "sqs.ts",
    {
      id: "deletes-before-it-sends",
      what: "deletes a failed order before the queue has its copy",
      guarantees: ["G1", "G3"],
      edits: copying(`      if (isUntaken) continue;
      await this.#delete([handle]);
      ${SENT};
`),
    },
    brokers.sqs(),
  ));

/** Kafka: what failed is sent to the end of its topic, and committed. */
function resending(acts: string): Edits {
  const act = `      if (mustHold(outcome)) {
        await new Promise((resolve) => setTimeout(resolve, 250));
${acts}
      }
`;
  return [["      if (isHeld) {\n", `${act}      if (isHeld) {\n`]];
}

const RESENT = `this.#deadLetters
          .send({ topic: TOPIC, messages: [{ key: null, value: brokerPayload.body }] })
          .then(
            () => true,
            () => false,
          )`;

test("a record that was sent again before it was committed is still owed, also where a rival has the copy", () =>
  expectHeld(
    "orders.ts",
    "sends-again",
    resending(`        if (await ${RESENT}) {
          last = brokerPayload;
          continue;
        }`),
    brokers.kafka(),
  ));

test("one that was committed before it was sent again is settled too early", () =>
  expectSourceBugFound(
    "orders.ts",
    {
      id: "commits-first",
      what: "commits a failed order before it sends it again",
      guarantees: ["G1", "G3"],
      edits: resending(`        await this.#commit(brokerPayload);
        await ${RESENT};
        continue;`),
    },
    brokers.kafka(),
  ));
