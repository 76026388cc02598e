import type { AdvanceItem, Lane } from "../../../../src/shared-stream/mod.ts";
import { pause } from "../pause.ts";
import type { OrderMessage } from "./ordering-gates.ts";
import { type PubSubPayload, PubSubProducer } from "./pubsub-producer.ts";

/** P-46: leaves what failed to the library, which extends it for an hour. */
export class LeavesItLeased extends PubSubProducer {
  override async advance(batch: readonly AdvanceItem<PubSubPayload>[]): Promise<void> {
    await super.advance(
      batch.filter(({ outcome }) => outcome.failed === 0 && outcome.acked + outcome.rejected > 0),
    );
  }
}

/** P-47: hands out at its leisure, and extends nothing before that. */
export class PacedBuffer extends PubSubProducer {
  override async *openStream(
    signal: AbortSignal,
  ): AsyncGenerator<readonly [unknown, PubSubPayload]> {
    for await (const pair of super.openStream(signal)) {
      pair[1].message.modAck(60);
      yield pair;
      await pause(3_000, signal);
    }
  }
}

/** P-48: messages of one ordering key in lanes of their own. */
export class LanePerMessage extends PubSubProducer {
  override getAdvanceLane({ message }: PubSubPayload): Lane {
    return message.id;
  }
}

/** P-49 and P-50: a rejected message is given back, with or without a dead-letter policy. */
export class NacksRejected extends PubSubProducer {
  override reject(message: OrderMessage): Promise<void> {
    message.nack();
    return Promise.resolve();
  }
}

/** P-51: believes each acknowledgement, and drops what comes again as a copy. */
export class BelievesItsAcks extends PubSubProducer {
  readonly #acked = new Set<string>();

  override accepts({ id }: OrderMessage): boolean {
    return !this.#acked.has(id);
  }

  override async ack(message: OrderMessage): Promise<void> {
    this.#acked.add(message.id);
    await super.ack(message);
  }
}

/** P-52: what arrives between the look at the buffer and the waiting wakes nobody. */
export class LosesWakeups extends PubSubProducer {
  override async news(signal: AbortSignal): Promise<void> {
    await pause(20, signal);
    await super.news(signal);
  }
}
