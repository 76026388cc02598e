import type { AdvanceItem, AdvanceOutcome, Lane, SharedStreamProducer } from "faultlane";
import type { ConfluentKafkaClient } from "faultlane/check";

type Consumer = ReturnType<ConfluentKafkaClient["consumer"]>;

export interface Order {
  readonly ref: string;
  readonly amount: number;
}

/** What is needed again when an order is resolved. */
export interface OrderPayload {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly body: string;
  /** Which reading of the partition it came from: an older one has no say any more. */
  readonly epoch: number;
}

/** Where a partition stands in this session. */
interface Reading {
  readonly topic: string;
  readonly partition: number;
  epoch: number;
  isHeld: boolean;
  backoff: ReturnType<typeof setTimeout> | undefined;
}

const TOPIC = "orders";
const DEAD_LETTERS = "orders.dead-letter";
const GROUP = "orders-watchers";
const BACKOFF_MS = 1_000;

/**
 * Orders from Kafka, through the KafkaJS face of `@confluentinc/kafka-javascript`. Repairs, against
 * naive-confluent.ts:
 *
 * - A partition is read again, after a pause, from an order that failed or that nobody took, and is
 *   not committed past it meanwhile; what is under way of the older reading has no say (G1, G4). The
 *   library does a pause or seek before it hands out another batch, so nothing comes in between.
 * - A rejected order is durable in the dead-letter topic before it is committed past (G3). Each try
 *   sends a message of its own: `send` changes the one that it is given.
 * - Every rebalance begins a new reading of every partition (G5). Only `rebalance_cb` tells of it, as
 *   `commitOffsets` resolves before the broker has answered, whatever it then answers. A seek of a
 *   partition that is not assigned would be done at its next assignment, past what others have
 *   committed meanwhile: none is asked for once a partition is revoked (G8).
 * - `run` returns at once and hides what a handler throws: the handler throws nothing (G9).
 * - What is no JSON is handed out as text, for a filter to reject: an error of the parser would end
 *   the stream, whenever that order comes again (G10).
 */
export class ConfluentOrders implements SharedStreamProducer<Order | string, OrderPayload> {
  readonly #consumer: Consumer;
  readonly #deadLetters: ReturnType<ConfluentKafkaClient["producer"]>;
  readonly #readings = new Map<string, Reading>();
  readonly #queue: (readonly [Order | string, OrderPayload])[] = [];
  #wake: (() => void) | undefined;
  #opening: Promise<void> | undefined;
  #connecting: Promise<void> | undefined;
  #failure: { readonly error: Error } | undefined;
  #isClosed = false;

  constructor(client: ConfluentKafkaClient) {
    const config = {
      kafkaJS: { groupId: GROUP, fromBeginning: true, autoCommit: false },
      rebalance_cb: () => this.#forgetReadings(),
    };
    this.#consumer = client.consumer(config);
    this.#deadLetters = client.producer();
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [Order | string, OrderPayload]> {
    const wake = (): void => this.#wake?.();
    signal.addEventListener("abort", wake, { once: true });
    try {
      this.#opening = this.#open();
      await this.#opening;
      while (!signal.aborted) {
        if (this.#failure !== undefined) throw this.#failure.error;
        const next = this.#queue.shift();
        if (next !== undefined) {
          yield next;
          continue;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          if (signal.aborted) resolve();
        });
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  getAdvanceLane({ topic, partition }: OrderPayload): Lane {
    return [topic, partition];
  }

  async advance(batch: readonly AdvanceItem<OrderPayload>[]): Promise<void> {
    let last: OrderPayload | undefined;
    for (const { brokerPayload, outcome } of batch) {
      if (!this.#hasSay(brokerPayload)) continue;
      const isHeld = mustHold(outcome) || !(await this.#isSafe(brokerPayload, outcome));
      if (isHeld) {
        await this.#commit(last);
        this.#readAgain(brokerPayload);
        return;
      }
      last = brokerPayload;
    }
    await this.#commit(last);
  }

  async aclose(): Promise<void> {
    this.#isClosed = true;
    for (const { backoff } of this.#readings.values()) clearTimeout(backoff);
    await this.#opening?.catch(() => undefined);
    await this.#connecting?.catch(() => undefined);
    await this.#consumer.disconnect();
    await this.#deadLetters.disconnect();
  }

  async #open(): Promise<void> {
    this.#connecting = this.#deadLetters.connect();
    // A client of this library connects once: where that failed, a new producer has to.
    this.#connecting.catch((error: unknown) => this.#fail(error as Error));
    await this.#consumer.connect();
    if (this.#isClosed) return;
    await this.#consumer.subscribe({ topic: TOPIC });
    await this.#consumer.run({
      eachBatch: async ({ batch: { topic, partition, messages } }) => {
        const { epoch } = this.#readingOf(topic, partition);
        for (const { offset, value } of messages) {
          const body = value?.toString() ?? "{}";
          const payload = { topic, partition, offset, body, epoch };
          this.#queue.push([orderFrom(body), payload]);
        }
        this.#wake?.();
      },
    });
  }

  /** Whether it may be committed past: at once, or because it is in the dead-letter topic now. */
  async #isSafe(payload: OrderPayload, { rejected }: AdvanceOutcome): Promise<boolean> {
    if (rejected === 0) return true;
    try {
      await this.#connecting;
      const messages = [{ key: payload.offset, value: payload.body }];
      await this.#deadLetters.send({ topic: DEAD_LETTERS, messages });
      return true;
    } catch {
      return false;
    }
  }

  /** Queued, no more: if the broker refuses it, a rebalance follows, and the orders come again. */
  async #commit(last: OrderPayload | undefined): Promise<void> {
    if (last === undefined || !this.#hasSay(last) || this.#isClosed) return;
    const { topic, partition } = last;
    const offset = String(BigInt(last.offset) + 1n);
    await this.#consumer.commitOffsets([{ topic, partition, offset }]);
  }

  /** After a pause, so that a lasting failure does not become a hot loop. */
  #readAgain({ topic, partition, offset, epoch }: OrderPayload): void {
    const reading = this.#readingOf(topic, partition);
    if (reading.epoch !== epoch || this.#isClosed) return;
    reading.epoch += 1;
    reading.isHeld = true;
    const held = reading.epoch;
    this.#consumer.pause([{ topic, partitions: [partition] }]);
    clearTimeout(reading.backoff);
    reading.backoff = setTimeout(() => {
      if (reading.epoch !== held || this.#isClosed) return;
      reading.isHeld = false;
      this.#consumer.seek({ topic, partition, offset });
      this.#consumer.resume([{ topic, partitions: [partition] }]);
    }, BACKOFF_MS);
  }

  /** What is uncommitted comes again, from its committed offset: no copy has a say any more. */
  #forgetReadings(): void {
    for (const reading of this.#readings.values()) {
      const { topic, partition, isHeld } = reading;
      reading.epoch += 1;
      reading.isHeld = false;
      if (isHeld && !this.#isClosed) this.#consumer.resume([{ topic, partitions: [partition] }]);
    }
  }

  #fail(error: Error): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  #hasSay({ topic, partition, epoch }: OrderPayload): boolean {
    return this.#readingOf(topic, partition).epoch === epoch;
  }

  #readingOf(topic: string, partition: number): Reading {
    const place = `${topic}/${partition}`;
    const known = this.#readings.get(place);
    if (known !== undefined) return known;
    const reading = { topic, partition, epoch: 0, isHeld: false, backoff: undefined };
    this.#readings.set(place, reading);
    return reading;
  }
}

function mustHold({ acked, failed, rejected }: AdvanceOutcome): boolean {
  return failed > 0 || acked + rejected === 0;
}

/** What is no JSON is handed out as it is: a filter rejects it. */
function orderFrom(text: string): Order | string {
  try {
    return JSON.parse(text) as Order;
  } catch {
    return text;
  }
}

export function createProducer({
  client,
}: {
  readonly client: ConfluentKafkaClient;
}): ConfluentOrders {
  return new ConfluentOrders(client);
}
