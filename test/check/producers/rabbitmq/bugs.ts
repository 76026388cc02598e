import type { ConsumeMessage } from "amqplib";
import { rabbitmq } from "../../../../sim/brokers/rabbitmq/model.ts";
import { type CorrectProducer, correctOn, planted, type PlantedBug } from "../planted-bug.ts";
import {
  type AmqpPort,
  type RabbitmqPayload,
  RabbitmqProducer,
  type Session,
} from "./rabbitmq-producer.ts";

/** P-86: settles each delivery a second time. */
class AcksTwice extends RabbitmqProducer {
  override settle(payload: RabbitmqPayload): void {
    super.settle(payload);
    super.settle(payload);
  }
}

/** P-86: acknowledges what it has rejected. */
class AcksTheRejected extends RabbitmqProducer {
  override async reject(payload: RabbitmqPayload): Promise<void> {
    await this.deadLetter(payload).catch(() => undefined);
    if (payload.session.isOver) return;
    payload.session.channel.nack(payload.message, false, false);
    this.settle(payload);
  }
}

/** P-88: acknowledges all that the channel has out. */
class AcksAll extends RabbitmqProducer {
  override settle({ session }: RabbitmqPayload): void {
    session.channel.ackAll();
  }
}

/** P-88: acknowledges all up to a delivery, of which others are not done. */
class AcksUpTo extends RabbitmqProducer {
  override settle({ message, session }: RabbitmqPayload): void {
    if (!session.isOver) session.channel.ack(message, true);
  }
}

/** P-89: gives the rejected back to the queue. */
class RequeuesTheRejected extends RabbitmqProducer {
  override reject({ message, session }: RabbitmqPayload): Promise<void> {
    session.channel.nack(message);
    return Promise.resolve();
  }
}

/** P-89: leaves dead-lettering to a policy of the queue, whether or not it has one. */
class DropsTheRejected extends RabbitmqProducer {
  override reject({ message, session }: RabbitmqPayload): Promise<void> {
    session.channel.nack(message, false, false);
    return Promise.resolve();
  }
}

/** A restart of the node loses its dead letters. */
class KeepsNoDeadLetters extends RabbitmqProducer {
  override async deadLetter({ message, session }: RabbitmqPayload): Promise<void> {
    const { messageId } = message.properties as { messageId: string };
    session.channel.publish("orders.dead", "", message.content, { messageId });
    await session.channel.waitForConfirms();
  }
}

/** What failed waits where a restart of the node loses it. */
class WaitsInMemory extends RabbitmqProducer {
  override hold({ message, session }: RabbitmqPayload): void {
    const { messageId } = message.properties as { messageId: string };
    const back = { deadLetterExchange: "", deadLetterRoutingKey: "orders" };
    const declared = session.channel.assertQueue("retry", { messageTtl: 1_000, ...back });
    void declared.then(() => {
      session.channel.sendToQueue("retry", message.content, { messageId });
      session.channel.ack(message);
    });
  }
}

/** P-90: one message at a time, and a held one is kept until the connection ends. */
class OneAtATime extends RabbitmqProducer {
  override get prefetch(): number {
    return 1;
  }

  override hold(): void {}
}

/** P-91: the server closes the channel of a slow consumer, and nobody notices. */
class MissesTheClosedChannel extends RabbitmqProducer {
  override watch(session: Session): void {
    session.channel.on("error", () => undefined);
    session.connection.on("close", () => {
      session.isOver = true;
      session.wake?.();
    });
  }

  override settle(payload: RabbitmqPayload): void {
    this.#attempt(() => super.settle(payload));
  }

  override hold({ message, session }: RabbitmqPayload): void {
    setTimeout(() => this.#attempt(() => session.channel.nack(message)), 1_000);
  }

  /** What cannot be settled will come again. */
  #attempt(settle: () => void): void {
    try {
      settle();
    } catch {
      return;
    }
  }
}

/** P-92: an acknowledgement on a closed channel counts; the copy that comes again is passed over. */
class CountsTheSwallowed extends RabbitmqProducer {
  readonly #done = new Set<unknown>();

  override advance(batch: Parameters<RabbitmqProducer["advance"]>[0]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      if (outcome.isClean) this.#done.add(idOf(brokerPayload.message));
    }
    return super.advance(batch);
  }

  override receive(session: Session, message: ConsumeMessage): void {
    if (!this.#done.has(idOf(message))) super.receive(session, message);
  }
}

function idOf({ properties }: ConsumeMessage): unknown {
  return properties.messageId as unknown;
}

type RabbitmqClass = new (client: AmqpPort) => RabbitmqProducer;

function bug(
  id: string,
  guarantees: readonly string[],
  Class: RabbitmqClass,
  broker = rabbitmq(),
): PlantedBug {
  return planted(id, guarantees, broker, ({ client }) => new Class(client));
}

export const RABBITMQ_CORRECT: CorrectProducer = correctOn(
  "a queue",
  rabbitmq(),
  ({ client }) => new RabbitmqProducer(client),
);

/** The same without a policy is P-89. */
export const RABBITMQ_POLICY_CORRECT: CorrectProducer = correctOn(
  "a queue with a dead-letter policy",
  rabbitmq({ hasDeadLetterPolicy: true }),
  ({ client }) => new DropsTheRejected(client),
);

/** A dead-letter queue of its own keeps one letter, so that the next one drops it. */
class KeepsOneDeadLetter extends RabbitmqProducer {
  override async deadLetter({ message, session }: RabbitmqPayload): Promise<void> {
    const { messageId } = message.properties as { messageId: string };
    await session.channel.assertQueue("orders.rejected", { durable: true, maxLength: 1 });
    session.channel.sendToQueue("orders.rejected", message.content, {
      messageId,
      persistent: true,
    });
    await session.channel.waitForConfirms();
  }
}

/** What a restart or a limit of the node would lose; the table of bench/CHECK.md does not measure them. */
export const RABBITMQ_MEMORY_BUGS: readonly PlantedBug[] = [
  bug("dead letters are not persistent", ["G3"], KeepsNoDeadLetters),
  bug("what waits for its next try is not persistent", ["G1"], WaitsInMemory),
  bug("dead letters have room for one", ["G3"], KeepsOneDeadLetter),
];

export const RABBITMQ_BUGS: readonly PlantedBug[] = [
  bug("P-86", ["G4"], AcksTwice),
  bug("P-86 after a reject", ["G4"], AcksTheRejected),
  bug("P-88", ["G1", "G2"], AcksAll),
  bug("P-88 up to the tag", ["G1", "G2"], AcksUpTo),
  // Where rejected messages have to be dead letters; Airflow's documents allow to nack them.
  planted(
    "P-89 with requeue",
    ["G3", "hot-loop", "progress"],
    rabbitmq(),
    ({ client }) => new RequeuesTheRejected(client),
    "dead-letter",
  ),
  bug("P-89 without a policy", ["G3"], DropsTheRejected),
  bug("P-90", ["G8"], OneAtATime),
  bug("P-91", ["G8", "progress"], MissesTheClosedChannel),
  bug(
    "P-91 before the ack timeout",
    ["G9"],
    RabbitmqProducer,
    rabbitmq({ consumerTimeoutMs: 5_000 }),
  ),
  bug("P-92", ["G8", "progress"], CountsTheSwallowed),
];
