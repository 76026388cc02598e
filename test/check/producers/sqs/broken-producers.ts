import { DeleteMessageBatchCommand, DeleteMessageCommand, type Message } from "@aws-sdk/client-sqs";
import type { AdvanceItem, Lane } from "../../../../src/shared-stream/mod.ts";
import { type SqsPayload, SqsProducer } from "./sqs-producer.ts";

type Batch = readonly AdvanceItem<SqsPayload>[];

/** P-30: deletes what it receives, before anybody has seen it. */
export class DeletesAtReceive extends SqsProducer {
  override async receive(signal: AbortSignal): Promise<readonly Message[]> {
    const messages = await super.receive(signal);
    for (const { ReceiptHandle } of messages) {
      const { queueUrl: QueueUrl } = this.options;
      await this.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    return messages;
  }
}

/** P-34: a handle that has expired is worth an error of the whole group. */
export class RaisesOnExpired extends SqsProducer {
  override async delete(payloads: readonly SqsPayload[]): Promise<void> {
    for (const { handle: ReceiptHandle } of payloads) {
      const { queueUrl: QueueUrl } = this.options;
      await this.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}

/** P-35: believes that each entry of a batch was deleted, and drops what comes again as a copy. */
export class IgnoresFailedEntries extends SqsProducer {
  readonly #deleted = new Set<string | undefined>();

  override async receive(signal: AbortSignal): Promise<readonly Message[]> {
    const messages = await super.receive(signal);
    return messages.filter(({ MessageId }) => !this.#deleted.has(MessageId));
  }

  override async delete(payloads: readonly SqsPayload[]): Promise<void> {
    for (const { handle: ReceiptHandle, message } of payloads) {
      const Entries = [{ Id: "0", ReceiptHandle }];
      const { queueUrl: QueueUrl } = this.options;
      await this.client
        .send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
        .catch(() => undefined);
      this.#deleted.add(message.MessageId);
    }
  }
}

/** P-36: one call for the whole batch, however long it is. */
export class SendsAllEntries extends SqsProducer {
  override async delete(payloads: readonly SqsPayload[]): Promise<void> {
    if (payloads.length === 0) return;
    const Entries = payloads.map(({ handle }, index) => ({
      Id: String(index),
      ReceiptHandle: handle,
    }));
    const { queueUrl: QueueUrl } = this.options;
    await this.client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}

/** P-38 on a FIFO queue: a lane of its own for each message tears its group apart. */
export class LanePerHandle extends SqsProducer {
  override getAdvanceLane({ handle }: SqsPayload): Lane {
    return handle;
  }
}

/** P-39: what was not taken comes back at once, also when nobody is there to take it. */
export class ReturnsAtOnce extends SqsProducer {
  override async advance(batch: Batch): Promise<void> {
    const held = batch.filter(({ outcome }) => outcome.failed > 0 || isUntaken(outcome));
    await super.advance(batch.filter((item) => !held.includes(item)));
    await this.renewer.release(held.map(({ brokerPayload }) => brokerPayload.handle));
    await this.giveBack(
      held.map(({ brokerPayload }) => brokerPayload),
      0,
    );
  }
}

function isUntaken({ acked, rejected }: AdvanceItem["outcome"]): boolean {
  return acked + rejected === 0;
}

/** P-42: what is outstanding is kept by message id, so that a copy takes the first one's place. */
export class KeyedByMessageId extends SqsProducer {
  readonly #latest = new Map<string | undefined, SqsPayload>();

  override async receive(signal: AbortSignal): Promise<readonly Message[]> {
    const messages = await super.receive(signal);
    for (const message of messages) {
      const handle = message.ReceiptHandle ?? "";
      this.#latest.set(message.MessageId, {
        message,
        handle,
        group: undefined,
        received: { isBlocked: false },
      });
    }
    return messages;
  }

  override async delete(payloads: readonly SqsPayload[]): Promise<void> {
    await super.delete(payloads.map((one) => this.#latest.get(one.message.MessageId) ?? one));
  }
}

/** A message is deleted through each handle that it ever had: one of them will be the right one. */
export class DeletesByEveryHandle extends SqsProducer {
  readonly #handles = new Map<string | undefined, string[]>();

  override async receive(signal: AbortSignal): Promise<readonly Message[]> {
    const messages = await super.receive(signal);
    for (const { MessageId, ReceiptHandle = "" } of messages) {
      this.#handles.set(MessageId, [...(this.#handles.get(MessageId) ?? []), ReceiptHandle]);
    }
    return messages;
  }

  override async delete(payloads: readonly SqsPayload[]): Promise<void> {
    const handlesOf = ({ message, handle }: SqsPayload): readonly string[] =>
      this.#handles.get(message.MessageId) ?? [handle];
    await super.delete(
      payloads.flatMap((one) => handlesOf(one).map((handle) => ({ ...one, handle }))),
    );
  }
}

/** What one call of advance has to hold back does not hold back the next one. */
export class ForgetsWhatIsBlocked extends SqsProducer {
  override async advance(batch: Batch): Promise<void> {
    for (const { brokerPayload } of batch) brokerPayload.received.isBlocked = false;
    await super.advance(batch);
  }
}

/** Each message is settled by its own outcome, also behind one that has to come again. */
export class SettlesItemByItem extends SqsProducer {
  override async advance(batch: Batch): Promise<void> {
    for (const item of batch) {
      const { brokerPayload, outcome } = item;
      const alone = { ...brokerPayload, received: { isBlocked: false } };
      await super.advance([{ brokerPayload: alone, outcome }]);
    }
  }
}

/** A delete that fails is none of its business: at worst the message comes again, and late. */
export class SwallowsFailedDeletes extends SqsProducer {
  override async delete(payloads: readonly SqsPayload[]): Promise<void> {
    if (payloads.length === 0) return;
    const Entries = payloads.map(({ handle }, index) => ({
      Id: String(index),
      ReceiptHandle: handle,
    }));
    const { queueUrl: QueueUrl } = this.options;
    const command = new DeleteMessageBatchCommand({ QueueUrl, Entries });
    await this.client.send(command).catch(() => undefined);
  }
}
