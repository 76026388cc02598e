import type { AdvanceItem, AdvanceOutcome, Lane, SharedStreamProducer } from "faultlane";
import type { KafkaClient } from "faultlane/check";

type Consumer = ReturnType<KafkaClient["consumer"]>;

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
  /** Where it is to be read again, at the next fetch. */
  heldAt: string | undefined;
  /** Until it is: a batch that was fetched before its partition was paused may still come. */
  isHeld: boolean;
  backoff: ReturnType<typeof setTimeout> | undefined;
}

const TOPIC = "orders";
const DEAD_LETTERS = "orders.dead-letter";
const GROUP = "orders-watchers";
const BACKOFF_MS = 1_000;
const COMMIT_ATTEMPTS_MAX = 4;

/**
 * Orders from Kafka, through kafkajs. Repairs, against naive-orders.ts:
 *
 * - A partition is read again, after a pause, from an order that failed or that nobody took, and is
 *   not committed past it meanwhile; what is under way of the older reading has no say (G1, G4).
 * - A rejected order is durable in the dead-letter topic before it is committed past (G3).
 * - Every rebalance begins a new reading of every partition (G5). The library would keep a seek it
 *   has not applied yet across a rebalance: it is told to seek only when it is about to fetch (G8).
 * - The library tries a commit whose answer got lost again, in whatever generation it has by then:
 *   its own retries are off, and this class asks anew whether the order still has a say (G10).
 * - What is no JSON is handed out as text, for a filter to reject: an error of the parser would end
 *   the stream, whenever that order comes again (G10).
 */
export class OrdersProducer implements SharedStreamProducer<Order | string, OrderPayload> {
  readonly #consumer: Consumer;
  readonly #deadLetters: ReturnType<KafkaClient["producer"]>;
  readonly #readings = new Map<string, Reading>();
  readonly #queue: (readonly [Order | string, OrderPayload])[] = [];
  #wake: (() => void) | undefined;
  #failure: { readonly error: Error } | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(client: KafkaClient) {
    this.#consumer = client.consumer({ groupId: GROUP, retry: { retries: 0 } });
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
    await this.#disconnect();
  }

  async #open(): Promise<void> {
    const { GROUP_JOIN, REBALANCING, CRASH, FETCH_START } = this.#consumer.events;
    this.#consumer.on(REBALANCING, () => this.#forgetReadings());
    this.#consumer.on(GROUP_JOIN, () => this.#forgetReadings());
    this.#consumer.on(FETCH_START, () => this.#seekHeld());
    this.#consumer.on(CRASH, ({ payload }: { payload: { error: Error; restart: boolean } }) => {
      this.#forgetReadings();
      if (!payload.restart) this.#fail(payload.error);
    });
    await this.#deadLetters.connect();
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    if (this.#isClosed) return;
    await this.#consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { topic, partition, messages }, isStale }) => {
        const { epoch, isHeld } = this.#readingOf(topic, partition);
        if (isStale() || isHeld) return;
        for (const { offset, value } of messages) {
          const body = value?.toString() ?? "{}";
          const order = orderFrom(body);
          this.#queue.push([order, { topic, partition, offset, body, epoch }]);
        }
        this.#wake?.();
      },
    });
  }

  async #disconnect(): Promise<void> {
    await this.#consumer.disconnect();
    await this.#deadLetters.disconnect();
  }

  /** Whether it may be committed past: at once, or because it is in the dead-letter topic now. */
  async #isSafe(payload: OrderPayload, { rejected }: AdvanceOutcome): Promise<boolean> {
    if (rejected === 0) return true;
    try {
      await this.#deadLetters.send({
        topic: DEAD_LETTERS,
        messages: [{ key: payload.offset, value: payload.body }],
      });
      return true;
    } catch {
      return false;
    }
  }

  async #commit(last: OrderPayload | undefined): Promise<void> {
    if (last === undefined) return;
    const { topic, partition } = last;
    const offset = String(BigInt(last.offset) + 1n);
    for (let attempt = 1; this.#hasSay(last); attempt += 1) {
      try {
        await this.#consumer.commitOffsets([{ topic, partition, offset }]);
        return;
      } catch (error) {
        // The library joins again by itself, and then everything uncommitted comes again.
        if (isFenced(error)) return;
        if (attempt === COMMIT_ATTEMPTS_MAX && this.#hasSay(last)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, BACKOFF_MS));
    }
  }

  /** After a pause, so that a lasting failure does not become a hot loop. */
  #readAgain({ topic, partition, offset, epoch }: OrderPayload): void {
    const reading = this.#readingOf(topic, partition);
    if (reading.epoch !== epoch || this.#isClosed) return;
    reading.epoch += 1;
    const held = reading.epoch;
    reading.isHeld = true;
    this.#ifRunning(() => this.#consumer.pause([{ topic, partitions: [partition] }]));
    clearTimeout(reading.backoff);
    reading.backoff = setTimeout(() => {
      if (reading.epoch === held) reading.heldAt = offset;
    }, BACKOFF_MS);
  }

  /** Told that the next fetch begins: nothing can come between the seek and the fetch. */
  #seekHeld(): void {
    for (const reading of this.#readings.values()) {
      const { topic, partition, heldAt: offset } = reading;
      if (offset === undefined) continue;
      reading.heldAt = undefined;
      reading.isHeld = false;
      this.#consumer.seek({ topic, partition, offset });
      this.#consumer.resume([{ topic, partitions: [partition] }]);
    }
  }

  /** What is uncommitted comes again, from its committed offset: no copy has a say any more. */
  #forgetReadings(): void {
    for (const reading of this.#readings.values()) {
      const { topic, partition } = reading;
      reading.epoch += 1;
      reading.heldAt = undefined;
      reading.isHeld = false;
      this.#ifRunning(() => this.#consumer.resume([{ topic, partitions: [partition] }]));
    }
  }

  /** A consumer that is just restarting takes no orders; it begins with what is committed. */
  #ifRunning(order: () => void): void {
    try {
      order();
    } catch {
      // Its pauses are gone with it.
    }
  }

  #hasSay({ topic, partition, epoch }: OrderPayload): boolean {
    return this.#readingOf(topic, partition).epoch === epoch;
  }

  #readingOf(topic: string, partition: number): Reading {
    const place = `${topic}/${partition}`;
    const known = this.#readings.get(place);
    if (known !== undefined) return known;
    const reading: Reading = {
      topic,
      partition,
      epoch: 0,
      heldAt: undefined,
      isHeld: false,
      backoff: undefined,
    };
    this.#readings.set(place, reading);
    return reading;
  }

  #fail(error: Error): void {
    this.#failure ??= { error };
    this.#wake?.();
  }
}

function mustHold({ acked, failed, rejected }: AdvanceOutcome): boolean {
  return failed > 0 || acked + rejected === 0;
}

const FENCED = new Set(["ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "UNKNOWN_MEMBER_ID"]);

/** Whether the group has moved on without this consumer, which will join again by itself. */
function isFenced(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("type" in error && FENCED.has(String(error.type))) || isFenced(error.cause);
}

/** What is no JSON is handed out as it is: a filter rejects it. */
function orderFrom(text: string): Order | string {
  try {
    return JSON.parse(text) as Order;
  } catch {
    return text;
  }
}

export function createProducer({ client }: { readonly client: KafkaClient }): OrdersProducer {
  return new OrdersProducer(client);
}
