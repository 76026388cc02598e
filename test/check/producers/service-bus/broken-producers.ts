import type { AdvanceItem, Lane } from "../../../../src/shared-stream/mod.ts";
import { pause } from "../pause.ts";
import { isLockLost, type OrderMessage, type OrderReceiver } from "./orders-bus.ts";
import { type QueuePayload, QueueProducer } from "./queue-producer.ts";
import { type HeldSession, type SessionPayload, SessionProducer } from "./session-producer.ts";

/** P-24: two of its workers use one receiver at once, which the library forbids. */
export class ReceivesTwiceAtOnce extends QueueProducer {
  override async receive(
    receiver: OrderReceiver,
    signal: AbortSignal,
  ): Promise<readonly OrderMessage[]> {
    const options = { maxWaitTimeInMs: 10_000, abortSignal: signal };
    const both = [1, 2].map(() => receiver.receiveMessages(10, options));
    return (await Promise.all(both)).flat();
  }
}

/** P-55: a lost lock is worth an error of the whole group. */
export class RaisesOnLostLock extends QueueProducer {
  override async complete(message: OrderMessage): Promise<void> {
    try {
      await this.receiver?.completeMessage(message);
    } catch (error) {
      if (isLockLost(error)) throw error;
    }
  }
}

/** P-56: counts a settlement as done whatever the service says, and drops what comes again. */
export class BelievesItsSettlements extends QueueProducer {
  readonly #done = new Set<OrderMessage["messageId"]>();

  override async receive(
    receiver: OrderReceiver,
    signal: AbortSignal,
  ): Promise<readonly OrderMessage[]> {
    const messages = await super.receive(receiver, signal);
    return messages.filter(({ messageId }) => !this.#done.has(messageId));
  }

  override async complete(message: OrderMessage): Promise<void> {
    await super.complete(message);
    this.#done.add(message.messageId);
  }
}

/** P-57: gives back what failed, and the queue counts. */
export class AbandonsFailed extends QueueProducer {
  override async advance(batch: readonly AdvanceItem<QueuePayload>[]): Promise<void> {
    for (const item of batch) {
      const { brokerPayload, outcome } = item;
      if (outcome.failed === 0 && outcome.acked + outcome.rejected > 0) {
        await super.advance([item]);
      } else {
        const { message } = brokerPayload;
        await this.settle(message, () => this.receiver?.abandonMessage(message));
      }
    }
  }
}

/** P-58: takes all that is there, and hands it out at its leisure while the locks run out. */
export class ReceivesAhead extends QueueProducer {
  override async *openStream(
    signal: AbortSignal,
  ): AsyncGenerator<readonly [unknown, QueuePayload]> {
    for await (const pair of super.openStream(signal)) {
      yield pair;
      await pause(4_000, signal);
    }
  }
}

/** P-59: opens a new receiver when nothing came for a while, and settles on the closed one. */
export class SettlesOnClosed extends QueueProducer {
  readonly #receivers = new Map<OrderMessage, OrderReceiver>();

  override async receive(
    receiver: OrderReceiver,
    signal: AbortSignal,
  ): Promise<readonly OrderMessage[]> {
    const messages = await super.receive(receiver, signal);
    for (const message of messages) this.#receivers.set(message, receiver);
    if (messages.length > 0 || signal.aborted) return messages;
    const { queue, renewalMs } = this.options;
    this.receiver = this.bus.createReceiver(queue, { maxAutoLockRenewalDurationInMs: renewalMs });
    await receiver.close();
    return messages;
  }

  override async complete(message: OrderMessage): Promise<void> {
    try {
      await this.#receivers.get(message)?.completeMessage(message);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }
}

/** P-60: messages of one session in lanes of their own. */
export class LanePerMessage extends SessionProducer {
  override getAdvanceLane({ message }: SessionPayload): Lane {
    return String(message.messageId);
  }
}

const REJECTED = { deadLetterReason: "rejected", deadLetterErrorDescription: "by a trigger" };

/** A settlement that fails is none of its business: at worst the message comes again. */
export class SwallowsFailedSettlements extends SessionProducer {
  override async settle(
    message: OrderMessage,
    { receiver }: HeldSession,
    isRejected: boolean,
  ): Promise<void> {
    const settled = isRejected
      ? receiver.deadLetterMessage(message, REJECTED)
      : receiver.completeMessage(message);
    await settled.catch(() => undefined);
  }
}
