import { orderFrom } from "../order-from.ts";
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { AdvanceItem, Lane, SharedStreamProducer } from "../../../../src/shared-stream/mod.ts";
import { pause } from "../pause.ts";
import { HandleRenewer, type Renewer, VISIBILITY_SECONDS } from "./handle-renewer.ts";

export interface SqsProducerOptions {
  readonly queueUrl: string;
  readonly deadLetterUrl: string;
}

/** What one receive brought of one message group, which is in order. */
interface GroupReceive {
  /** Whether one of them has to come again, and so all that are behind it. */
  isBlocked: boolean;
}

/** What is needed again to settle one delivery. */
export interface SqsPayload {
  readonly message: Message;
  readonly handle: string;
  /** The message group, of a FIFO queue. */
  readonly group: string | undefined;
  readonly received: GroupReceive;
}

const RETRY_SECONDS = 2;
const BACKOFF_MS = 1_000;
const BATCH_MAX = 10;
const ATTEMPTS_MAX = 3;

/**
 * A shared stream on an SQS queue, standard or FIFO.
 *
 * Holds:
 * - what is outstanding is kept invisible, and what is settled no longer;
 * - a failed message comes back after a moment, one that nobody was there for when its visibility
 *   timeout ends;
 * - a rejected message is in the dead-letter queue before it is deleted;
 * - of a message group nothing is deleted behind a message that has to come again, also where the
 *   two are advanced one after the other;
 * - whatever cannot be deleted comes again; that is no reason to end the group.
 */
export class SqsProducer implements SharedStreamProducer<unknown, SqsPayload> {
  readonly client: Pick<SQSClient, "send">;
  readonly options: SqsProducerOptions;
  readonly renewer: Renewer;

  constructor(
    client: Pick<SQSClient, "send">,
    options: SqsProducerOptions,
    renewer: Renewer = new HandleRenewer(client, options.queueUrl),
  ) {
    this.client = client;
    this.options = options;
    this.renewer = renewer;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, SqsPayload]> {
    while (!signal.aborted) {
      const messages = await this.receive(signal);
      const payloads = payloadsFrom(messages);
      for (const { handle } of payloads) this.renewer.hold(handle);
      for (const payload of payloads) yield [orderFrom(payload.message.Body ?? "null"), payload];
    }
  }

  getAdvanceLane({ group }: SqsPayload): Lane {
    return group;
  }

  async advance(batch: readonly AdvanceItem<SqsPayload>[]): Promise<void> {
    const handles = batch.map(({ brokerPayload }) => brokerPayload.handle);
    await this.renewer.release(handles);
    const done: SqsPayload[] = [];
    const again: SqsPayload[] = [];
    for (const { brokerPayload, outcome } of batch) {
      const { received } = brokerPayload;
      if (outcome.acked + outcome.failed + outcome.rejected === 0) {
        // Nobody is there: no hurry, it comes again when its visibility timeout ends.
        received.isBlocked = true;
      } else if (outcome.failed > 0 || received.isBlocked) {
        again.push(brokerPayload);
        received.isBlocked = true;
      } else if (outcome.rejected > 0 && !(await this.deadLetter(brokerPayload))) {
        again.push(brokerPayload);
        received.isBlocked = true;
      } else {
        done.push(brokerPayload);
      }
    }
    await this.delete(done);
    await this.giveBack(again, RETRY_SECONDS);
  }

  async aclose(): Promise<void> {
    const left = await this.renewer.stop();
    await this.changeVisibility(left, 0);
  }

  async receive(signal: AbortSignal): Promise<readonly Message[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: this.options.queueUrl,
      MaxNumberOfMessages: BATCH_MAX,
      WaitTimeSeconds: 20,
      VisibilityTimeout: VISIBILITY_SECONDS,
      MessageSystemAttributeNames: ["MessageGroupId"],
    });
    try {
      const { Messages = [] } = await this.client.send(command, { abortSignal: signal });
      return Messages;
    } catch {
      await pause(BACKOFF_MS, signal);
      return [];
    }
  }

  /** Whether the message is durable in the dead-letter queue. */
  async deadLetter({ message, group }: SqsPayload): Promise<boolean> {
    const command = new SendMessageCommand({
      QueueUrl: this.options.deadLetterUrl,
      MessageBody: message.Body,
      ...(group === undefined ? {} : { MessageGroupId: group }),
    });
    try {
      await this.client.send(command);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Deletes; what the service refuses for reasons of its own is tried again a few times. Behind
   * what may still be in the queue, nothing of its group is deleted.
   */
  async delete(payloads: readonly SqsPayload[]): Promise<void> {
    let left: readonly string[] = payloads.map(({ handle }) => handle);
    const kept = new Set<string>();
    for (let attempt = 1; left.length > 0 && attempt <= ATTEMPTS_MAX; attempt += 1) {
      const failed: string[] = [];
      for (let at = 0; at < left.length; at += BATCH_MAX) {
        failed.push(...(await this.#deleteChunk(left.slice(at, at + BATCH_MAX), kept)));
      }
      left = failed;
    }
    for (const { handle, received } of payloads) {
      if (kept.has(handle) || left.includes(handle)) received.isBlocked = true;
    }
  }

  async giveBack(payloads: readonly SqsPayload[], seconds: number): Promise<void> {
    await this.changeVisibility(
      payloads.map(({ handle }) => handle),
      seconds,
    );
  }

  async changeVisibility(handles: readonly string[], seconds: number): Promise<void> {
    for (let at = 0; at < handles.length; at += BATCH_MAX) {
      const Entries = handles.slice(at, at + BATCH_MAX).map((ReceiptHandle, index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout: seconds,
      }));
      const QueueUrl = this.options.queueUrl;
      try {
        await this.client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
      } catch {
        // They come again when their visibility timeout ends.
      }
    }
  }

  /** Returns the handles that are worth another attempt; others not deleted are `kept`. */
  async #deleteChunk(handles: readonly string[], kept: Set<string>): Promise<readonly string[]> {
    const Entries = handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
    const QueueUrl = this.options.queueUrl;
    try {
      const command = new DeleteMessageBatchCommand({ QueueUrl, Entries });
      const { Failed = [] } = await this.client.send(command);
      const again: string[] = [];
      for (const { Id, SenderFault } of Failed) {
        const handle = handles[Number(Id)] as string;
        if (SenderFault === true) kept.add(handle);
        else again.push(handle);
      }
      return again;
    } catch {
      for (const handle of handles) kept.add(handle);
      return [];
    }
  }
}

/** Messages without a group are in no order: each of them is on its own. */
function payloadsFrom(messages: readonly Message[]): readonly SqsPayload[] {
  const groups = new Map<string, GroupReceive>();
  return messages.map((message) => {
    const { ReceiptHandle: handle = "", Attributes } = message;
    const group = Attributes?.MessageGroupId;
    const received = (group === undefined ? undefined : groups.get(group)) ?? { isBlocked: false };
    if (group !== undefined) groups.set(group, received);
    return { message, handle, group, received };
  });
}
