import { checkedOptions } from "../../../src/checked-options.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerModel, Disturbance } from "../broker.ts";
import { recordText } from "../record-text.ts";
import { SettlementLog } from "../settlement-log.ts";
import { bytesFrom } from "../text-bytes.ts";
import { NatsClient } from "./client.ts";
import type { NatsMessages } from "./messages.ts";
import { onHostCrash } from "../host-crash.ts";
import { NatsServer } from "./server.ts";
import { PRESET, TOLD } from "./stream.ts";

/** How a NATS server is set up. */
export interface NatsOptions {
  /** The stream with the records; default "ORDERS". */
  readonly stream?: string;
  /** The durable consumer, which exists from the start; default "triggerer". */
  readonly consumer?: string;
  /** What has to be acknowledged; default "explicit". */
  readonly ackPolicy?: "none" | "all" | "explicit";
  /**
   * How long a delivery may stay unacknowledged, in virtual milliseconds; default 5,000. A real
   * server has 30,000, which would make runs longer.
   */
  readonly ackWaitMs?: number;
  /** How often a message is delivered at most; default: no limit. */
  readonly maxDeliver?: number;
  /** How many messages may be unacknowledged at once; default 1,000. */
  readonly maxAckPending?: number;
}

const OPTIONS: readonly (keyof NatsOptions)[] = [
  "stream",
  "consumer",
  "ackPolicy",
  "ackWaitMs",
  "maxDeliver",
  "maxAckPending",
];

const ACK_WAIT_MS = 5_000;
const MAX_ACK_PENDING = 1_000;
/** What a sibling takes along when it dies. */
const STRANDED_MAX = 2;

/**
 * A NATS server with JetStream: one stream for records, one for dead letters, a durable consumer.
 * For producers that use `@nats-io/jetstream`.
 *
 * The subject of a record is "orders.<key>". The stream "DEAD" stores the subjects "dead.>". The
 * consumer is there from the start: a producer that adds it must add it with the same settings, as
 * on a server (error 10148 otherwise). A record that the filter of a producer's own consumer leaves
 * out counts as one that is not read; what its first start leaves out as expired.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.nats({ ackPolicy: "all", maxDeliver: 5 });
 * console.log(broker.name); // => nats
 * ```
 */
export function nats(options: NatsOptions = {}): BrokerModel<NatsClient> {
  checkedOptions(options, OPTIONS, "brokers.nats");
  const { stream = "ORDERS", consumer: name = "triggerer" } = options;
  const { ackPolicy = "explicit", ackWaitMs = ACK_WAIT_MS } = options;
  const { maxDeliver = -1, maxAckPending = MAX_ACK_PENDING } = options;
  const names = { name: "nats", spec: { nats: options }, carriesText: true };
  return brokerModel(names, (world, host) => {
    const settlements = new SettlementLog(world, host);
    const server = new NatsServer(world, settlements, stream);
    onHostCrash(world, host, () => server.crash());
    server.addStream(stream, { ...PRESET, subjects: ["orders.>"], storage: "file" });
    server.addStream("DEAD", { ...PRESET, subjects: ["dead.>"], storage: "file" });
    const kept = { name, isDurable: true, inactiveMs: 0 };
    server.addConsumer(stream, { ...kept, ackPolicy, ackWaitMs, maxDeliver, maxAckPending });
    const strand: Disturbance = {
      name: "a sibling fetches messages and dies",
      strike: () => {
        // A producer may have deleted this consumer, and made one of its own.
        if (server.takesAcks(stream, name)) server.take(stream, name, "rival", STRANDED_MAX);
      },
    };
    // With "all" whoever acknowledges settles what a sibling has, too; with "none" it is settled.
    const siblings = ackPolicy === "explicit" ? [strand] : [];
    return {
      records: {
        publish(publication) {
          const { ref, key } = publication;
          server.publish(`orders.${key}`, bytesFrom(recordText(publication)), [[TOLD.id, ref]]);
          settlements.published(publication);
        },
        owed: () => settlements.owed(),
      },
      disturbances: [...siblings, server.refusal.disturbance("the stream of dead letters is full")],
      connect(port) {
        const subscriptions = new Set<NatsMessages>();
        const client = new NatsClient({ port, host, server, subscriptions });
        return { client, open: () => [...subscriptions].map(() => "a subscription") };
      },
    };
  });
}
