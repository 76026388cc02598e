import type { SQSClient } from "@aws-sdk/client-sqs";
import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import type { KinesisRecord } from "../../../sim/brokers/kinesis/client.ts";
import { brokers } from "../../../sim/brokers/brokers.ts";
import { KinesisProducer, type ShardState } from "./kinesis/kinesis-producer.ts";
import { type NatsPayload, NatsProducer } from "./nats/nats-producer.ts";
import { planted, type PlantedBug } from "./planted-bug.ts";
import { PubSubProducer } from "./pubsub/pubsub-producer.ts";
import { type RabbitmqPayload, RabbitmqProducer } from "./rabbitmq/rabbitmq-producer.ts";
import { type RedisPayload, RedisProducer } from "./redis/redis-producer.ts";
import type { OrderMessage, OrderReceiver } from "./service-bus/orders-bus.ts";
import { QueueProducer } from "./service-bus/queue-producer.ts";
import { loadWithBug } from "./source-bug.ts";
import { HandleRenewer } from "./sqs/handle-renewer.ts";
import { type SqsPayload, SqsProducer } from "./sqs/sqs-producer.ts";

const ORDERS = new URL("../../../scenarios/producers/orders.ts", import.meta.url);
const SQS = {
  queueUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders",
  deadLetterUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders-dead",
};
const PUBSUB = { subscription: "orders-triggers", deadLetterTopic: "orders-dead" };
const SERVICE_BUS = { queue: "orders", renewalMs: 3_600_000 };

type Edit = readonly [find: string, replace: string];

/** The correct Kafka producer but for a small change of its source. */
function edited(id: string, guarantees: readonly string[], ...edits: readonly Edit[]): PlantedBug {
  const broker = brokers.kafka({ partitions: 3 });
  return {
    id,
    broker: broker.name,
    guarantees,
    async find() {
      const create = await loadWithBug<KafkaClient>(ORDERS, { id, what: id, guarantees, edits });
      return await planted(id, guarantees, broker, create).find();
    },
  };
}

class DeletesTen extends SqsProducer {
  override delete(payloads: readonly SqsPayload[]): Promise<void> {
    return super.delete(payloads.slice(0, 10));
  }
}

/** Goes through `client`, until a renewal fails: after that nothing is renewed any more. */
function renewingUntilAnError(client: Pick<SQSClient, "send">): HandleRenewer {
  let isDead = false;
  const send = async (...args: Parameters<SQSClient["send"]>): Promise<unknown> => {
    if (isDead) return {};
    try {
      return await (client.send as (...args: unknown[]) => Promise<unknown>)(...args);
    } catch (error) {
      isDead = true;
      throw error;
    }
  };
  return new HandleRenewer({ send: send as SQSClient["send"] }, SQS.queueUrl);
}

class AcksBeforeTheDeadLetter extends RedisProducer {
  override async deadLetter(payload: RedisPayload): Promise<void> {
    await this.ack([payload.id]);
    await super.deadLetter(payload);
  }
}

class KeepsOneDeadLetter extends RedisProducer {
  override async deadLetter({ id, fields }: RedisPayload): Promise<void> {
    await this.client.xadd(this.options.deadLetters, "MAXLEN", 1, "*", "id", id, ...fields);
  }
}

class PublishesUnconfirmed extends RabbitmqProducer {
  override deadLetter({ message, session }: RabbitmqPayload): Promise<void> {
    session.channel.publish("orders.dead", "", message.content);
    return Promise.resolve();
  }
}

class WaitsLongerEachTime extends NatsProducer {
  override hold({ message }: NatsPayload): void {
    message.nak(60_000 * 4 ** message.info.deliveryCount);
  }
}

class GivesUpAtTheThird extends NatsProducer {
  override hold(payload: NatsPayload): void {
    if (payload.message.info.deliveryCount < 3) super.hold(payload);
    else payload.message.term("poison");
  }
}

class GoesOnAtTheLatest extends KinesisProducer {
  #hasFailed = false;

  override forgive(state: ShardState, error: unknown): void {
    super.forgive(state, error);
    state.iterator = undefined;
    this.#hasFailed = true;
  }

  override iteratorFor(state: ShardState): Promise<string> {
    if (!this.#hasFailed) return super.iteratorFor(state);
    return state.reader.getShardIterator({ shardIteratorType: "LATEST" });
  }
}

class ReadsAgainBehindTheHeld extends KinesisProducer {
  override readAgain(payload: { record: KinesisRecord; state: ShardState; epoch: number }): void {
    super.readAgain(payload);
    payload.state.readFrom = { record: payload.record, isDone: true };
  }
}

class AcksWhatOneTook extends PubSubProducer {
  override async advance(batch: Parameters<PubSubProducer["advance"]>[0]): Promise<void> {
    for (const item of batch) {
      if (item.outcome.acked > 0) await this.ack(item.brokerPayload.message);
      else await super.advance([item]);
    }
  }
}

class DefersTheFailed extends QueueProducer {
  override async advance(batch: Parameters<QueueProducer["advance"]>[0]): Promise<void> {
    for (const item of batch) {
      if (item.outcome.failed > 0) await this.#defer(item.brokerPayload.message);
      else await super.advance([item]);
    }
  }

  #defer(message: OrderMessage): Promise<void> {
    const receiver = this.receiver as OrderReceiver & {
      deferMessage(message: OrderMessage): Promise<void>;
    };
    return this.settle(message, () => receiver.deferMessage(message));
  }
}

/** Bugs that no list names: what is found must not be what was looked for. */
export const UNLISTED_BUGS: readonly PlantedBug[] = [
  edited(
    "one lane, and commits its last partition",
    ["progress"],
    ["    return [topic, partition];", "    return void [topic, partition];"],
  ),
  edited(
    "passes over what it has seen before",
    ["G1", "G3", "progress"],
    [
      "          this.#queue.push([order, {",
      `          if (this.#seen.has(order.ref)) continue;
          this.#seen.add(order.ref);
          this.#queue.push([order, {`,
    ],
    ["  #isClosed = false;\n", "  #isClosed = false;\n  readonly #seen = new Set<string>();\n"],
  ),
  edited(
    "settles in the background",
    ["G1", "G2", "G3", "G5"],
    [
      "  async advance(batch: readonly AdvanceItem<OrderPayload>[]): Promise<void> {\n",
      `  async advance(batch: readonly AdvanceItem<OrderPayload>[]): Promise<void> {
    void this.settle(batch).catch(() => undefined);
  }

  async settle(batch: readonly AdvanceItem<OrderPayload>[]): Promise<void> {
`,
    ],
  ),
  edited(
    "seeks behind the held order",
    ["G1"],
    [
      "this.#consumer.seek({ topic, partition, offset });",
      "this.#consumer.seek({ topic, partition, offset: String(BigInt(offset) + 1n) });",
    ],
  ),
  {
    ...planted("deletes ten of a batch", ["progress"], brokers.sqs(), ({ client }) => {
      return new DeletesTen(client, SQS);
    }),
    // Eleven are what it takes, and some that keep them together.
    eventsMax: 15,
  },
  planted("renews until an error", ["G9"], brokers.sqs(), ({ client }) => {
    return new SqsProducer(client, SQS, renewingUntilAnError(client));
  }),
  planted("acks before the dead letter", ["G3"], brokers.redis(), ({ client }) => {
    return new AcksBeforeTheDeadLetter(client);
  }),
  planted("keeps one dead letter", ["G3"], brokers.redis(), ({ client }) => {
    return new KeepsOneDeadLetter(client);
  }),
  planted("publishes unconfirmed", ["G3"], brokers.rabbitmq(), ({ client }) => {
    return new PublishesUnconfirmed(client);
  }),
  planted("waits longer each time", ["G8", "progress"], brokers.nats(), ({ client }) => {
    return new WaitsLongerEachTime(client);
  }),
  planted("gives up at the third", ["G1"], brokers.nats(), ({ client }) => {
    return new GivesUpAtTheThird(client);
  }),
  planted(
    "goes on at the latest",
    ["G8", "G2", "G5", "progress"],
    brokers.kinesis(),
    ({ client }) => {
      return new GoesOnAtTheLatest(client);
    },
  ),
  planted("reads again behind the held", ["G1"], brokers.kinesis(), ({ client }) => {
    return new ReadsAgainBehindTheHeld(client);
  }),
  planted("acks what one took", ["G1", "G3"], brokers.pubsub(), ({ client }) => {
    return new AcksWhatOneTook(client, PUBSUB);
  }),
  planted("defers the failed", ["G8"], brokers.serviceBus(), ({ client }) => {
    return new DefersTheFailed(client, SERVICE_BUS);
  }),
];
