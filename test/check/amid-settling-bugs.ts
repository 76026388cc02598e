import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { brokers } from "../../sim/brokers/brokers.ts";
import type { PropertyViolation } from "../../sim/check/property-violation.ts";
import { planted } from "./producers/planted-bug.ts";
import { loadWithBug, type SourceBug } from "./producers/source-bug.ts";

/** A bug of a producer of scenarios/producers, on its broker. */
export interface AmidSettlingBug extends SourceBug {
  readonly source: URL;
  /** Makes a whole check with default settings; undefined when all held. */
  find(): Promise<PropertyViolation | undefined>;
}

function inProducer<Client>(
  name: string,
  broker: BrokerModel<Client>,
  bug: SourceBug,
): AmidSettlingBug {
  const source = new URL(`../../scenarios/producers/${name}`, import.meta.url);
  return {
    ...bug,
    source,
    async find() {
      const create = await loadWithBug<Client>(source, bug);
      return await planted(bug.id, bug.guarantees, broker, create).find();
    },
  };
}

/**
 * Bugs that show only if much goes wrong at the moment in which the fate of a record is decided:
 * requests fail for longer than the library tries, while others of its partition come; another
 * client takes over what waits to come again, and may settle it; more is in hand, or is settled at
 * one moment, than a client takes at once; the group ends while its stream opens; one record fails
 * again and again, or is confirmed only after minutes; or the broker refuses what is asked at once
 * again.
 */
export const AMID_SETTLING_BUGS: readonly AmidSettlingBug[] = [
  inProducer("orders.ts", brokers.kafka(), {
    id: "seeks-too-early",
    what: "tells the library of Kafka at once to seek, which keeps that over a rebalance",
    guarantees: ["G5"],
    edits: [
      [
        "if (reading.epoch === held) reading.heldAt = offset;",
        `if (reading.epoch !== held) return;
      reading.isHeld = false;
      this.#consumer.seek({ topic, partition, offset });
      this.#consumer.resume([{ topic, partitions: [partition] }]);`,
      ],
    ],
  }),
  inProducer("event-hubs.ts", brokers.eventHubs(), {
    id: "saves-side-by-side",
    what: "tries a checkpoint of Event Hubs again beside the next one, which it can then undo",
    guarantees: ["G5"],
    edits: [["this.#saving.get(partitionId) ?? Promise.resolve()", "Promise.resolve()"]],
  }),
  inProducer("event-hubs.ts", brokers.eventHubs(), {
    id: "stays-full",
    what: "takes no more events of a partition once it has had a hundred in hand",
    guarantees: ["G8", "progress"],
    edits: [["      if (partition.events.length < EVENTS_MAX) partition.release();\n", ""]],
  }),
  inProducer("service-bus.ts", brokers.serviceBus(), {
    id: "completes-what-it-cannot-dead-letter",
    what: "completes a message of Service Bus whose dead-lettering has failed",
    guarantees: ["G3"],
    edits: [
      [
        "if (isRejected) await this.#receiver?.deadLetterMessage(message, DEAD_LETTER);",
        `if (isRejected)
        await this.#receiver
          ?.deadLetterMessage(message, DEAD_LETTER)
          .catch(() => this.#receiver?.completeMessage(message));`,
      ],
    ],
  }),
  inProducer("sqs.ts", brokers.sqs(), {
    id: "deletes-too-many-at-once",
    what: "deletes more messages of SQS in one request than the service takes",
    guarantees: ["progress"],
    edits: [
      ["at < handles.length; at += BATCH_MAX", "at < handles.length; at += 64"],
      ["handles.slice(at, at + BATCH_MAX)", "handles.slice(at, at + 64)"],
    ],
  }),
  inProducer("sqs.ts", brokers.sqs(), {
    id: "names-entries-alike",
    what: "gives two entries of one request the same id, where it has more than five",
    guarantees: ["progress"],
    edits: [
      ["({ Id: String(index), ReceiptHandle })", "({ Id: String(index % 5), ReceiptHandle })"],
    ],
  }),
  inProducer("nats.ts", brokers.nats(), {
    id: "closes-while-it-opens",
    what: "does not wait at its end for the consumer of NATS that is being asked for",
    guarantees: ["G6"],
    edits: [["    await this.#connecting;\n    clearInterval", "    clearInterval"]],
  }),
  inProducer("pubsub.ts", brokers.pubsub({ orderingKeys: true }), {
    id: "waits-for-what-another-has",
    what: "holds an ordering key back until a message comes that another subscriber has settled",
    guarantees: ["G8", "progress"],
    edits: [["      gate.reopensAt = performance.now() + REOPEN_MS;\n", ""]],
  }),
  inProducer("nats.ts", brokers.nats(), {
    id: "doubles-its-pause-for-ever",
    what: "doubles the pause of what has failed each time, without an upper bound",
    guarantees: ["G8"],
    edits: [["nak(BACKOFF_MS)", "nak(BACKOFF_MS * 2 ** payload.message.info.deliveryCount)"]],
  }),
  inProducer("service-bus.ts", brokers.serviceBus(), {
    id: "renews-as-by-default",
    what: "has the library of Service Bus renew its locks for five minutes, as it does by default",
    guarantees: ["G9"],
    edits: [["{ maxAutoLockRenewalDurationInMs: 3_600_000 }", "{}"]],
  }),
  inProducer("redis.ts", brokers.redis(), {
    id: "refreshes-for-two-minutes",
    what: "refreshes what is outstanding of a Redis stream for two minutes and no longer",
    guarantees: ["G9"],
    edits: [
      [
        "  #claimedAt = 0;\n",
        "  #claimedAt = 0;\n  readonly #since = new Map<string, number>();\n",
      ],
      [
        "      const ids = [...outstanding, ...this.#again.keys()];\n",
        `      const now = performance.now();
      for (const id of outstanding) this.#since.set(id, this.#since.get(id) ?? now);
      const ids = outstanding.filter((id) => now - (this.#since.get(id) ?? now) < 120_000);
      ids.push(...this.#again.keys());\n`,
      ],
    ],
  }),
  inProducer("sqs.ts", brokers.sqs(), {
    id: "receives-at-full-speed",
    what: "receives again at once where SQS has refused it",
    guarantees: ["hot-loop"],
    edits: [["      await pause(BACKOFF_MS, signal);\n      return [];\n", "      return [];\n"]],
  }),
];
