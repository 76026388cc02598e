import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";

/** One delivery of a message. */
interface Payload {
  readonly message: Message;
  readonly handle: string;
  /** The message group, on a FIFO queue. */
  readonly group: string | undefined;
  readonly received: GroupReceive;
}

/** The messages of one group that one receive returned, in order. */
interface GroupReceive {
  /** One of them has to come again, and so has everything behind it. */
  isBlocked: boolean;
}

const QUEUE = { QueueUrl: "https://sqs/0/orders" };
const DEAD_LETTERS = { QueueUrl: "https://sqs/0/orders-dead" };
const BATCH_MAX = 10;
const ATTEMPTS_MAX = 4;
const VISIBILITY_SECONDS = 30;
const RENEW_EVERY_MS = 8_000;
const RETRY_SECONDS = 2;
const BACKOFF_MS = 1_000;

/**
 * Orders from SQS, standard or FIFO. Repairs, against naive-sqs.ts:
 *
 * - A rejected order is in the dead-letter queue before it is deleted, and is not deleted if the
 *   send fails (G3).
 * - What is outstanding is kept invisible, with time left for a second renewal when one fails (G9);
 *   renewal of a message ends before it is settled (G4, G8), and all of it at the end (G6).
 * - A failed order comes again after a moment, neither at once nor only at its timeout (G8).
 * - Deletes go in batches of ten at most, and entries that the service failed are sent again.
 * - On a FIFO queue nothing is deleted behind an order of its group that has to come again, also
 *   when the two are settled by different calls (order, G1). An order that could not be deleted is one
 *   of these: behind its successor it would come out of order.
 * - A receive that fails is tried again: it is no reason to end the stream (G10).
 * - What is no JSON is handed out as text, for a filter to reject: an error of the parser would end
 *   the stream, whenever that order comes again (G10).
 */
class Orders implements SharedStreamProducer<unknown, Payload> {
  readonly #client: Pick<SQSClient, "send">;
  /** The handles of what is outstanding. */
  readonly #held = new Set<string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewal: Promise<void> | undefined;

  constructor(client: Pick<SQSClient, "send">) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    this.#timer = setInterval(() => {
      this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
    }, RENEW_EVERY_MS);
    while (!signal.aborted) {
      const payloads = payloadsFrom(await this.#receive(signal));
      for (const { handle } of payloads) this.#held.add(handle);
      for (const payload of payloads) yield [orderFrom(payload.message.Body ?? "null"), payload];
    }
  }

  getAdvanceLane({ group }: Payload): Lane {
    return group;
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    await this.#release(batch.map(({ brokerPayload }) => brokerPayload.handle));
    const done: Payload[] = [];
    const again: string[] = [];
    for (const { brokerPayload: payload, outcome } of batch) {
      const { handle, received } = payload;
      const isUntaken = outcome.acked + outcome.failed + outcome.rejected === 0;
      const mustHold = isUntaken || outcome.failed > 0 || received.isBlocked;
      if (!mustHold && (outcome.rejected === 0 || (await this.#isDeadLettered(payload)))) {
        done.push(payload);
        continue;
      }
      received.isBlocked = true;
      // Without a subscriber there is no hurry: it comes again when its visibility timeout ends.
      if (!isUntaken) again.push(handle);
    }
    const kept = await this.#delete(done.map(({ handle }) => handle));
    for (const { handle, received } of done) if (kept.has(handle)) received.isBlocked = true;
    await this.#changeVisibility(again, RETRY_SECONDS);
  }

  async aclose(): Promise<void> {
    clearInterval(this.#timer);
    const left = [...this.#held];
    await this.#release(left);
    await this.#changeVisibility(left, 0);
  }

  async #receive(signal: AbortSignal): Promise<readonly Message[]> {
    const receive = new ReceiveMessageCommand({
      ...QUEUE,
      MaxNumberOfMessages: BATCH_MAX,
      WaitTimeSeconds: 20,
      VisibilityTimeout: VISIBILITY_SECONDS,
      MessageSystemAttributeNames: ["MessageGroupId"],
    });
    try {
      return (await this.#client.send(receive, { abortSignal: signal })).Messages ?? [];
    } catch {
      await pause(BACKOFF_MS, signal);
      return [];
    }
  }

  async #isDeadLettered({ message, group }: Payload): Promise<boolean> {
    const MessageGroupId = group === undefined ? {} : { MessageGroupId: group };
    const send = new SendMessageCommand({
      ...DEAD_LETTERS,
      MessageBody: message.Body,
      ...MessageGroupId,
    });
    return this.#client.send(send).then(
      () => true,
      () => false,
    );
  }

  /** Returns the handles of what may still be in the queue. */
  async #delete(handles: readonly string[]): Promise<ReadonlySet<string>> {
    const { lost, unheard } = await inBatches(handles, async (chunk) => {
      const Entries = chunk.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      return this.#client.send(new DeleteMessageBatchCommand({ ...QUEUE, Entries }));
    });
    return new Set([...lost, ...unheard]);
  }

  /** Returns the handles that are worth nothing any more. */
  async #changeVisibility(handles: readonly string[], seconds: number): Promise<readonly string[]> {
    const { lost } = await inBatches(handles, async (chunk) => {
      const Entries = chunk.map((ReceiptHandle, index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout: seconds,
      }));
      return this.#client.send(new ChangeMessageVisibilityBatchCommand({ ...QUEUE, Entries }));
    });
    return lost;
  }

  async #renew(): Promise<void> {
    const due = [...this.#held];
    for (let at = 0; at < due.length; at += BATCH_MAX) {
      const chunk = due.slice(at, at + BATCH_MAX).filter((handle) => this.#held.has(handle));
      for (const lost of await this.#changeVisibility(chunk, VISIBILITY_SECONDS)) {
        this.#held.delete(lost);
      }
    }
  }

  /** Afterwards no renewal of these handles is under way, and none will come. */
  async #release(handles: readonly string[]): Promise<void> {
    for (const handle of handles) this.#held.delete(handle);
    await this.#renewal;
  }
}

interface Reply {
  readonly Failed?:
    | readonly { readonly Id?: string | undefined; readonly SenderFault?: boolean | undefined }[]
    | undefined;
}

/** The handles that cannot succeed, and those of which the last attempt brought no success. */
interface Unsettled {
  readonly lost: readonly string[];
  readonly unheard: readonly string[];
}

/** Sends ten entries at a time, the failed ones again. */
async function inBatches(
  handles: readonly string[],
  send: (chunk: readonly string[]) => Promise<Reply>,
): Promise<Unsettled> {
  const lost: string[] = [];
  const unheard: string[] = [];
  for (let at = 0; at < handles.length; at += BATCH_MAX) {
    let chunk = handles.slice(at, at + BATCH_MAX);
    for (let attempt = 1; chunk.length > 0 && attempt <= ATTEMPTS_MAX; attempt += 1) {
      try {
        const sent = chunk;
        const { Failed = [] } = await send(sent);
        const failed = (isLost: boolean): string[] =>
          Failed.filter(({ SenderFault }) => (SenderFault === true) === isLost).flatMap(
            ({ Id }) => sent[Number(Id)] ?? [],
          );
        lost.push(...failed(true));
        chunk = failed(false);
      } catch {
        // Out of reach: what is not settled comes again when its visibility timeout ends.
        break;
      }
    }
    unheard.push(...chunk);
  }
  return { lost, unheard };
}

/** Messages without a group are in no order: each of them is on its own. */
function payloadsFrom(messages: readonly Message[]): readonly Payload[] {
  const groups = new Map<string, GroupReceive>();
  return messages.map((message) => {
    const { ReceiptHandle: handle = "", Attributes } = message;
    const group = Attributes?.MessageGroupId;
    const received = groups.get(group ?? "") ?? { isBlocked: false };
    if (group !== undefined) groups.set(group, received);
    return { message, handle, group, received };
  });
}

/** Waits for `ms`, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** What is no JSON is handed out as it is: a filter rejects it. */
function orderFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function createProducer({ client }: { readonly client: SQSClient }): Orders {
  return new Orders(client);
}
