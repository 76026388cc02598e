import * as fc from "fast-check";
import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import type { NatsStoredMessage } from "../../../sim/brokers/nats/streams.ts";
import type { ObservedStage } from "../observed/observation.ts";
import { type Drawn, fields, madeFrom, mostly, oddValue, shown } from "./odd-values.ts";
import type { Loose } from "./slips-handler.ts";

/** What a program calls: its client, what it administers with, a consumer, the nth last message. */
type Of = "client" | "streams" | "consumers" | "consumer" | "message";
type Call = readonly [of: Of, method: string, given: readonly Drawn[]];

/** How long a call may take until it counts as pending. */
const CALL_MS = 4_000;
const SOON_MS = 40;
const NANOS_PER_MS = 1_000_000;
/** So many results of a list or messages of a reader are looked at. */
const LOOKS_MAX = 20;

const c = fc.constant;
const stream = mostly(fc.constantFrom<Drawn>("ORDERS", "DEAD", "MORE", "NONE"));
const consumer = mostly(fc.constantFrom<Drawn>("triggerer", "other", "none"));
const subject = mostly(fc.constantFrom<Drawn>("orders.a", "orders.b", "dead.a", "more.a", "none"));
const sequence = mostly(fc.constantFrom<Drawn>(0, 1, 2, 9));
const payload = mostly(fc.constantFrom<Drawn>("text", "", { $: "bytes" }));
/** Not what is a single millisecond to a timer: who is first then is chance. */
const waiting = fc.oneof(
  { weight: 14, arbitrary: c<Drawn>(1_000) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("undefined", "null", "empty text", "-1", "-2", "0", "NaN", "false", "list")
      .map((name): Drawn => ({ $: name })),
  },
);
const publishing = fields(
  {},
  {
    msgID: mostly(fc.constantFrom<Drawn>("one", "two")),
    timeout: waiting,
    retries: mostly(c(1)),
    expect: fields(
      {},
      {
        lastSequence: sequence,
        lastMsgID: mostly(fc.constantFrom<Drawn>("one", "two")),
        streamName: stream,
        lastSubjectSequence: sequence,
      },
      2,
    ),
  },
  3,
);
const settled = {
  ack_wait: mostly(fc.constantFrom<Drawn>(5_000 * NANOS_PER_MS)),
  max_deliver: mostly(fc.constantFrom<Drawn>(-1, 1, 3)),
  max_ack_pending: mostly(fc.constantFrom<Drawn>(1, 100)),
  filter_subject: mostly(fc.constantFrom<Drawn>("orders.a", "orders.*", "none")),
  filter_subjects: mostly(c<Drawn>(["orders.a", "orders.b"])),
  deliver_policy: mostly(fc.constantFrom<Drawn>("all", "new", "last", "by_start_sequence")),
  opt_start_seq: sequence,
  description: mostly(c("what it is")),
};
const acks = mostly(fc.constantFrom<Drawn>("explicit", "explicit", "all", "none"));
const config = fc.oneof(
  {
    weight: 5,
    arbitrary: fields(
      { durable_name: consumer, ack_policy: acks },
      { ...settled, name: consumer },
      6,
    ),
  },
  // Longer than a program takes.
  {
    weight: 1,
    arbitrary: fields(
      { inactive_threshold: mostly(c(60_000 * NANOS_PER_MS), 30), ack_policy: acks },
      { ...settled, name: consumer },
      2,
    ),
  },
);
const reading = fields(
  { expires: mostly(c(1_000), 30), max_messages: mostly(fc.constantFrom<Drawn>(1, 2, 10)) },
  { idle_heartbeat: mostly(c(500)), threshold_messages: mostly(c(1)) },
  12,
);
const settings = fields(
  {
    name: stream,
    subjects: mostly(fc.constantFrom<Drawn>(["more.>"], ["orders.>"], ["more.a", "more.b"])),
  },
  { storage: mostly(c("memory")), retention: mostly(c("limits")), num_replicas: mostly(c(1)) },
  8,
);
const query = fc.oneof(
  { weight: 6, arbitrary: fields({ seq: sequence }) },
  { weight: 3, arbitrary: fields({ last_by_subj: subject }) },
  { weight: 1, arbitrary: oddValue },
);

const kinds: readonly [weight: number, of: Of, method: string, ...given: fc.Arbitrary<Drawn>[]][] =
  [
    [10, "client", "publish", subject, payload, publishing],
    [8, "client", "publish", subject, payload],
    [4, "client", "get", stream, consumer],
    [2, "streams", "add", settings],
    [2, "streams", "info", stream],
    [1, "streams", "find", subject],
    [3, "streams", "getMessage", stream, query],
    [1, "streams", "names"],
    [1, "streams", "list"],
    [4, "consumers", "add", stream, config],
    [2, "consumers", "update", stream, consumer, config],
    [3, "consumers", "info", stream, consumer],
    [2, "consumers", "delete", stream, consumer],
    [1, "consumers", "list", stream],
    [6, "consumer", "next", fields({ expires: mostly(c(1_000), 30) })],
    [4, "consumer", "fetch", reading],
    [2, "consumer", "info"],
    [1, "consumer", "delete"],
    [6, "message", "ack"],
    [3, "message", "nak", mostly(fc.constantFrom<Drawn>(0, 50))],
    [2, "message", "term", mostly(c("no use"))],
    [2, "message", "working"],
    [3, "message", "ackAck"],
  ];
const call: fc.Arbitrary<Call> = fc.oneof(
  ...kinds.map(([weight, of, method, ...given]) => ({
    weight,
    arbitrary: fc.tuple(c(of), c(method), fc.tuple(...given)),
  })),
);

/** Programs whose authors give what the library does not take, and call in any order. */
export const NATS_SLIPS = {
  program: fc.array(call, { minLength: 5, maxLength: 15, size: "max" }),
  async play(
    stage: ObservedStage<NatsClient>,
    calls: readonly Call[],
  ): Promise<readonly unknown[]> {
    const program = new Program(stage);
    const seen: unknown[] = [];
    for (const one of calls) {
      seen.push(await program.take(one));
      await stage.pass(SOON_MS);
    }
    const manager = await stage.client.jetstreamManager();
    for (const name of ["ORDERS", "DEAD", "MORE"]) {
      seen.push(await outcome(() => manager.streams.info(name)));
    }
    return seen;
  },
};

class Program {
  readonly #stage: ObservedStage<NatsClient>;
  readonly #messages: Loose[] = [];
  #consumer: Loose | undefined;

  constructor(stage: ObservedStage<NatsClient>) {
    this.#stage = stage;
  }

  async take([of, method, drawn]: Call): Promise<unknown> {
    const given = drawn.map((one) => madeFrom(one, () => undefined));
    const { client } = this.#stage;
    if (of === "client" && method === "get") {
      return await this.#within(async () => {
        this.#consumer = (await client.consumers.get(
          ...(given as [string, string]),
        )) as unknown as Loose;
        return "got";
      });
    }
    if (of === "client")
      return await this.#within(() => (client as unknown as Loose)[method]?.(...given));
    if (of === "message")
      return await this.#within(() => this.#messages.at(-1)?.[method]?.(...given));
    if (of !== "consumer") {
      const manager = await client.jetstreamManager();
      return await this.#within(async () => {
        const found = await (manager[of] as unknown as Loose)[method]?.(...given);
        if (method === "getMessage") return stored(found as Stored | null);
        return method === "list" || method === "names" ? await listed(found) : found;
      });
    }
    this.#consumer ??= (await client.consumers
      .get("ORDERS", "triggerer")
      .catch(() => undefined)) as unknown as Loose | undefined;
    return await this.#within(async () => {
      const found = await this.#consumer?.[method]?.(...given);
      if (method === "info" || method === "delete") return found;
      if (method === "next") return found === null ? "none" : this.#seen(found);
      const messages: unknown[] = [];
      for await (const one of found as AsyncIterable<unknown>) messages.push(this.#seen(one));
      return messages;
    });
  }

  #seen(message: unknown): unknown {
    const one = message as Loose & {
      readonly seq: number;
      readonly info: { readonly deliveryCount: number };
    };
    this.#messages.push(one);
    return [one.seq, one.info.deliveryCount, one["string"]?.()];
  }

  async #within(act: () => unknown): Promise<unknown> {
    return await Promise.race([outcome(act), this.#stage.pass(CALL_MS).then(() => "pending")]);
  }
}

type Stored = Pick<NatsStoredMessage, "seq" | "subject" | "header" | "string">;

function stored(message: Stored | null): unknown {
  if (message === null) return null;
  return [message.seq, message.subject, message.header.toString(), message.string()];
}

async function listed(list: unknown): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const one of list as AsyncIterable<unknown>) {
    found.push(one);
    if (found.length === LOOKS_MAX) break;
  }
  return found;
}

async function outcome(act: () => unknown): Promise<unknown> {
  try {
    return plain(shown(await act()));
  } catch (error) {
    return plain(shown(error));
  }
}

const MADE_UP =
  /^(?:created|ts|time|last_active|first_ts|last_ts|cluster|metadata|bytes|type|domain|limit|offset|total|_.*)$/;

/** A server draws the name of a consumer that has none. */
const named = (name: unknown): unknown =>
  typeof name === "string" ? name.replace(/^\w{8}$/, "(a name)") : plain(name);

/** When a message was stored, as it stands in the subject of its acknowledgement. */
const NANOS = /\.\d{19}\./;

/** What a server, a clock or a disk makes up is left out. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "string") return value.replace(NANOS, ".(time).");
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !MADE_UP.test(name));
  return Object.fromEntries(
    kept.map(([name, one]) => [name, name === "name" ? named(one) : plain(one)]),
  );
}
