import type { World } from "../../world.ts";
import type { Broker, BrokerLink, BrokerModel, Publication, Wire } from "../broker.ts";
import { RecordBook } from "../record-book.ts";
import { bytesFrom } from "../text-bytes.ts";
import { NatsClient } from "./client.ts";
import type { NatsMessages } from "./messages.ts";
import { NatsServer } from "./server.ts";

export interface NatsOptions {
  /** The stream that the records are in. */
  readonly stream?: string;
  /** The durable consumer, which exists from the start. */
  readonly consumer?: string;
  readonly ackPolicy?: "none" | "all" | "explicit";
  /** How long a delivery may go without a word, in ms. */
  readonly ackWaitMs?: number;
  /** How often a message is delivered at most. */
  readonly maxDeliver?: number;
  /** How many messages may be out. */
  readonly maxAckPending?: number;
}

/** Shorter than the 30 s that a server takes by default: time is dear in a run. */
const ACK_WAIT_MS = 5_000;
const MAX_ACK_PENDING = 1_000;

/**
 * A NATS server with JetStream: one stream for records, one for dead letters, a durable consumer.
 *
 * Settings: `stream` "ORDERS" (subjects "orders.<key>"), `consumer` "triggerer", `ackPolicy`
 * "explicit", `ackWaitMs` 5,000, no MaxDeliver, MaxAckPending 1,000. The stream "DEAD" takes the
 * subjects "dead.<anything>".
 */
export function nats(options: NatsOptions = {}): BrokerModel<NatsClient> {
  const { ackPolicy = "explicit", ackWaitMs = ACK_WAIT_MS } = options;
  return {
    name: "nats",
    scope: ackPolicy === "all" ? "stream" : "record",
    isOrdered: false,
    redeliveryMs: ackWaitMs,
    start: (world, host) => new NatsBroker(world, host, { ...options, ackPolicy, ackWaitMs }),
  };
}

class NatsBroker implements Broker<NatsClient> {
  readonly disturbances: Broker<NatsClient>["disturbances"] = [];
  readonly #host: string;
  readonly #book: RecordBook;
  readonly #server: NatsServer;

  constructor(
    world: World,
    host: string,
    options: NatsOptions & Required<Pick<NatsOptions, "ackPolicy" | "ackWaitMs">>,
  ) {
    const { stream = "ORDERS", consumer: name = "triggerer", ackPolicy, ackWaitMs } = options;
    this.#host = host;
    this.#book = new RecordBook(world, host);
    this.#server = new NatsServer(world, this.#book, stream);
    this.#server.addStream(stream, "orders.");
    this.#server.addStream("DEAD", "dead.");
    const { maxDeliver = -1, maxAckPending = MAX_ACK_PENDING } = options;
    const settings = { name, ackPolicy, ackWaitMs, maxDeliver, maxAckPending };
    this.#server.addConsumer(stream, settings);
  }

  connect(wire: Wire): BrokerLink<NatsClient> {
    const subscriptions = new Set<NatsMessages>();
    const client = new NatsClient({ wire, host: this.#host, server: this.#server, subscriptions });
    return { client, open: () => [...subscriptions].map(() => "a subscription") };
  }

  publish(publication: Publication): void {
    this.#book.published(publication);
    const { ref, key } = publication;
    this.#server.publish(`orders.${key}`, bytesFrom(JSON.stringify({ ref, key })), ref);
  }

  owed(): readonly string[] {
    return this.#book.owed;
  }

  calmDown(): void {
    // It has no disturbances of its own.
  }
}
