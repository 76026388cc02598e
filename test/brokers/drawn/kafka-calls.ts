import * as fc from "fast-check";
import type { ObservedStage } from "../observed/observation.ts";
import type { DrawnSequences } from "./drawn.ts";

/** Which record of a partition, counted from the last that was read. */
type Nth = number;
type Partition = number;
type Call =
  | readonly ["send", keys: readonly string[]]
  | readonly ["send to", Partition, count: number]
  | readonly ["commit", Partition, Nth]
  | readonly ["commit at" | "seek", Partition, offset: string]
  | readonly ["pause" | "resume", Partition]
  | readonly ["start anew"];

export const PARTITIONS = 2;
const CREATION_TRIES = 600;
/** How often it is asked whether the server knows a new topic. */
const KNOWN_MS = 20;

const partition = fc.nat({ max: PARTITIONS - 1 });
const key = fc.constantFrom("a", "b", "key-1", "größe");
/** "-2" is the beginning, "-1" the end. */
const offset = fc.constantFrom("-2", "-1", "0", "1", "2", "3", "5", "7");
const committed = fc.constantFrom("0", "1", "2", "3", "5", "7");
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant("send" as const),
      fc.array(key, { minLength: 1, maxLength: 3 }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constant("send to" as const), partition, fc.integer({ min: 1, max: 3 })),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constant("commit" as const), partition, fc.nat({ max: 4 })),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant("commit at" as const), partition, committed) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("seek" as const), partition, offset) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom("pause" as const, "resume" as const), partition),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant("start anew" as const)) },
);

/** A record that was read: where it stood, and what it was. */
type Read = readonly [partition: number, offset: string, key: string | undefined, value: string];

/** A value of the library, whose text is what was sent. */
type Bytes = { toString(): string } | null | undefined;
interface Payload {
  readonly partition: number;
  readonly message: { readonly offset: string; readonly key?: Bytes; readonly value: Bytes };
}

/** What every consumer of a sequence is started with. */
export interface Reading {
  readonly topic: string;
  readonly groupId: string;
  readonly eachMessage: (payload: Payload) => Promise<void>;
  readonly pass: (ms: number) => Promise<unknown>;
}

interface Place {
  topic: string;
  partition: number;
  offset: string;
}
type Topics = { topic: string; partitions: number[] }[];

/** What the consumers of both libraries can do. */
export interface DrawnConsumer {
  commitOffsets(places: Place[]): Promise<unknown>;
  seek(place: Place): unknown;
  pause(topics: Topics): unknown;
  resume(topics: Topics): unknown;
  paused(): readonly { readonly partitions: readonly number[] }[];
  disconnect(): Promise<unknown>;
}

interface DrawnAdmin {
  connect(): Promise<unknown>;
  createTopics(options: { topics: { topic: string; numPartitions: number }[] }): Promise<unknown>;
  fetchTopicOffsets(topic: string): Promise<unknown>;
  fetchOffsets(options: { groupId: string; topics: string[] }): Promise<
    readonly {
      readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
    }[]
  >;
}

interface DrawnProducer {
  connect(): Promise<unknown>;
  send(record: {
    topic: string;
    messages: { key?: string; partition?: number; value: string }[];
  }): Promise<readonly { readonly partition: number; readonly baseOffset?: string }[]>;
}

export interface DrawnClient {
  admin(): DrawnAdmin;
  producer(): DrawnProducer;
}

/** What differs between the libraries. */
export interface KafkaFace<Client extends DrawnClient> {
  /** Behind which the next fetch has brought what there is, and a seek or pause is in force. */
  readonly soonMs: number;
  /** Further options of `createTopics`. */
  readonly creation: object;
  /** Starts a consumer that commits by hand, and waits until it has its partitions. */
  start(client: Client, reading: Reading): Promise<DrawnConsumer>;
  refusal(call: () => unknown): Promise<unknown>;
}

interface Tools {
  readonly admin: DrawnAdmin;
  readonly producer: DrawnProducer;
}

let played = 0;
/** Sequences of one client, which come one after the other, share what is not compared. */
const tools = new WeakMap<DrawnClient, Promise<Tools>>();

/** A producer, and a group of one consumer that commits by hand. */
export function kafkaCalls<Client extends DrawnClient>(
  face: KafkaFace<Client>,
): DrawnSequences<Client, Call> {
  return {
    operation: call,
    operationsMax: 12,
    async play(stage, calls) {
      played += 1;
      // A server would need seconds to forget a topic.
      const topic = `drawn-${played}`;
      const sequence = new Sequence(face, stage, topic, await toolsOf(stage.client));
      await sequence.start();
      const seen: unknown[] = [];
      for (const one of calls) seen.push(await sequence.take(one));
      await sequence.end();
      return seen;
    },
  };
}

function toolsOf(client: DrawnClient): Promise<Tools> {
  const known = tools.get(client);
  if (known !== undefined) return known;
  const connect = async (): Promise<Tools> => {
    const [admin, producer] = [client.admin(), client.producer()];
    await admin.connect();
    await producer.connect();
    return { admin, producer };
  };
  const connected = connect();
  tools.set(client, connected);
  return connected;
}

/** One sequence, with a topic and a group of its own. */
class Sequence<Client extends DrawnClient> {
  readonly #face: KafkaFace<Client>;
  readonly #stage: ObservedStage<Client>;
  readonly #topic: string;
  readonly #tools: Tools;
  readonly #read: Read[] = [];
  #consumer: DrawnConsumer | undefined;
  #told: Read[] = [];
  #sent = 0;

  constructor(
    face: KafkaFace<Client>,
    stage: ObservedStage<Client>,
    topic: string,
    ofClient: Tools,
  ) {
    this.#face = face;
    this.#stage = stage;
    this.#topic = topic;
    this.#tools = ofClient;
  }

  async start(): Promise<void> {
    const { admin } = this.#tools;
    const topics = [{ topic: this.#topic, numPartitions: PARTITIONS }];
    await admin.createTopics({ topics, ...this.#face.creation });
    // The libraries give up where a busy server does not know the topic yet.
    for (let tries = 1; ; tries += 1) {
      try {
        await admin.fetchTopicOffsets(this.#topic);
        break;
      } catch (error) {
        if (tries === CREATION_TRIES) throw error;
        await this.#stage.pass(KNOWN_MS);
      }
    }
    this.#consumer = await this.#started();
  }

  /** Performs a call, and tells what came of it. */
  async take(one: Call): Promise<unknown> {
    const consumer = this.#consumer as DrawnConsumer;
    const outcome = await this.#perform(consumer, one);
    await this.#stage.pass(this.#face.soonMs);
    const topics = [this.#topic];
    const [offsets] = await this.#tools.admin.fetchOffsets({ groupId: this.#topic, topics });
    const commits = (offsets?.partitions ?? [])
      .toSorted((left, right) => left.partition - right.partition)
      .map((at) => at.offset);
    const paused = (this.#consumer as DrawnConsumer)
      .paused()
      .map(({ partitions }) => partitions.toSorted((left, right) => left - right));
    // The order between partitions is nobody's promise.
    const told = this.#told.toSorted((left, right) => left[0] - right[0]);
    this.#told = [];
    return [one, outcome, told, commits, paused];
  }

  async end(): Promise<void> {
    await this.#consumer?.disconnect();
  }

  async #perform(consumer: DrawnConsumer, one: Call): Promise<unknown> {
    const topic = this.#topic;
    const { refusal } = this.#face;
    switch (one[0]) {
      case "send":
        return this.#send(one[1].map((name) => ({ key: name })));
      case "send to":
        return this.#send(Array.from({ length: one[2] }, () => ({ partition: one[1] })));
      case "commit": {
        const last = this.#read.filter(([number]) => number === one[1]).at(-1 - one[2]);
        if (last === undefined) return "nothing read";
        const next = String(Number(last[1]) + 1);
        return refusal(() => consumer.commitOffsets([{ topic, partition: last[0], offset: next }]));
      }
      case "commit at":
        return refusal(() =>
          consumer.commitOffsets([{ topic, partition: one[1], offset: one[2] }]),
        );
      case "seek":
        return refusal(() => consumer.seek({ topic, partition: one[1], offset: one[2] }));
      case "pause":
      case "resume":
        consumer[one[0]]([{ topic, partitions: [one[1]] }]);
        return;
      case "start anew":
        await consumer.disconnect();
        this.#consumer = await this.#started();
        return;
      default:
        return one[0] satisfies never;
    }
  }

  async #started(): Promise<DrawnConsumer> {
    const { pass, client } = this.#stage;
    const consumer = await this.#face.start(client, {
      topic: this.#topic,
      groupId: this.#topic,
      eachMessage: ({ partition: number, message }) => {
        const { offset: at, key: name, value } = message;
        const one: Read = [number, at, name?.toString(), value?.toString() ?? ""];
        this.#read.push(one);
        this.#told.push(one);
        return Promise.resolve();
      },
      pass,
    });
    // Until its first fetch a commit would decide where it begins.
    await pass(this.#face.soonMs);
    return consumer;
  }

  async #send(
    messages: readonly { readonly key?: string; readonly partition?: number }[],
  ): Promise<unknown> {
    const numbered = messages.map((message) => ({ ...message, value: String((this.#sent += 1)) }));
    const replies = await this.#tools.producer.send({ topic: this.#topic, messages: numbered });
    return replies
      .toSorted((left, right) => left.partition - right.partition)
      .map((reply) => [reply.partition, reply.baseOffset]);
  }
}
