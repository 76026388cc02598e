import type { Clock } from "../../../src/time/mod.ts";
import type { Publication } from "../broker.ts";
import { assertModelled } from "../not-modelled.ts";
import { recordText } from "../record-text.ts";
import { bytesFrom } from "../text-bytes.ts";

/** A message as the library sends it. */
export interface PubSubPublication {
  readonly data: Uint8Array;
  readonly attributes: { readonly [key: string]: string };
  readonly orderingKey: string;
}

/** A record of the workload as a message. */
export function publicationOf(record: Publication, isOrdered: boolean): PubSubPublication {
  const { key } = record;
  const data = bytesFrom(recordText(record));
  return { data, attributes: { key }, orderingKey: isOrdered ? key : "" };
}

/** How messages are gathered before they are sent, together. */
export interface PubSubBatching {
  /** A batch of so many messages is sent; default 100. */
  readonly maxMessages?: number;
  /** So is one of so many bytes; default a mebibyte. */
  readonly maxBytes?: number;
  /** And one whose first message waits for so long, in milliseconds; default 10. */
  readonly maxMilliseconds?: number;
}

/** The library's `PublishOptions` that the model supports. */
export interface PubSubTopicOptions {
  /** Without it each message is sent at once. */
  readonly batching?: PubSubBatching;
  /** Messages of one key are sent one after the other also without it, as by the library. */
  readonly messageOrdering?: boolean;
}

/** Sends a batch; resolves with the ids of its messages. */
type Send = (batch: readonly PubSubPublication[]) => Promise<readonly string[]>;

interface Waiting {
  readonly publication: PubSubPublication;
  readonly resolve: (id: string) => void;
  readonly reject: (error: unknown) => void;
}

/** The messages of one ordering key, or of none. */
interface Queue {
  readonly key: string;
  waiting: Waiting[];
  isUnderWay: boolean;
  cancel: (() => void) | undefined;
}

const SEE = "brokers.pubsub";
const MESSAGES_MAX = 100;
const BYTES_MAX = 1_048_576;
const GATHERED_MS = 10;

/** @throws {NotModelled} for an option that the model would have to ignore */
export function assertTopicOptions(options: PubSubTopicOptions): void {
  assertModelled("PubSub.topic()", options, ["batching", "messageOrdering"], SEE);
  const known = ["maxMessages", "maxBytes", "maxMilliseconds"];
  assertModelled("PubSub.topic() with batching", options.batching ?? {}, known, SEE);
}

/** How the library batches unless it is told otherwise. */
export function publishDefaults(): Required<PubSubBatching> {
  return { maxBytes: BYTES_MAX, maxMessages: MESSAGES_MAX, maxMilliseconds: GATHERED_MS };
}

/**
 * What a topic does between `publishMessage` and the service.
 *
 * Holds: of one ordering key one batch is under way at a time; when it fails, so does all of the
 * key that waits.
 */
export class PubSubPublisher {
  readonly #clock: Clock;
  readonly #send: Send;
  #batching: PubSubBatching | undefined;
  readonly #queues = new Map<string, Queue>();
  readonly #pending = new Set<Promise<unknown>>();

  constructor(clock: Clock, send: Send, { batching }: PubSubTopicOptions) {
    this.#clock = clock;
    this.#send = send;
    this.#batching = batching;
  }

  setOptions({ batching }: PubSubTopicOptions): void {
    this.#batching = batching;
  }

  publish(publication: PubSubPublication): Promise<string> {
    const { orderingKey: key } = publication;
    const queue = this.#queues.get(key) ?? {
      ...{ key, waiting: [], isUnderWay: false, cancel: undefined },
    };
    this.#queues.set(key, queue);
    const publishing = new Promise<string>((resolve, reject) => {
      queue.waiting.push({ publication, resolve, reject });
    });
    this.#pending.add(publishing);
    const ended = (): void => void this.#pending.delete(publishing);
    publishing.then(ended, ended);
    this.#gather(queue);
    return publishing;
  }

  /** Sends what waits; resolves when all of it has its answer. */
  async flush(): Promise<void> {
    while (this.#pending.size > 0) {
      for (const queue of this.#queues.values()) this.#sendFrom(queue);
      await Promise.allSettled(this.#pending);
    }
  }

  #gather(queue: Queue): void {
    if (this.#batching === undefined || this.#isFull(queue)) {
      this.#sendFrom(queue);
      return;
    }
    if (queue.cancel !== undefined) return;
    const ms = this.#batching.maxMilliseconds ?? GATHERED_MS;
    const timer = this.#clock.setTimer(ms, () => this.#sendFrom(queue));
    queue.cancel = () => this.#clock.clearTimer(timer);
  }

  #isFull({ waiting }: Queue): boolean {
    const { maxMessages = MESSAGES_MAX, maxBytes = BYTES_MAX } = this.#batching ?? {};
    const bytes = waiting.reduce((sum, { publication }) => sum + publication.data.length, 0);
    return waiting.length >= maxMessages || bytes >= maxBytes;
  }

  #sendFrom(queue: Queue): void {
    if (queue.waiting.length === 0 || (queue.isUnderWay && queue.key !== "")) return;
    queue.cancel?.();
    queue.cancel = undefined;
    const batch = queue.waiting;
    queue.waiting = [];
    queue.isUnderWay = true;
    const publications = batch.map(({ publication }) => publication);
    void this.#send(publications).then(
      (ids) => {
        for (const [at, { resolve }] of batch.entries()) resolve(ids[at] ?? "");
        this.#ended(queue);
      },
      (error: unknown) => {
        const left = queue.key === "" ? [] : queue.waiting.splice(0);
        for (const { reject } of [...batch, ...left]) reject(error);
        this.#ended(queue);
      },
    );
  }

  #ended(queue: Queue): void {
    queue.isUnderWay = false;
    if (queue.key !== "") this.#sendFrom(queue);
  }
}
