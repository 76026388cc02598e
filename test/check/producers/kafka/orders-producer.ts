import type {
  AdvanceItem,
  AdvanceOutcome,
  Lane,
  SharedStreamProducer,
} from "../../../../src/shared-stream/mod.ts";
import type { KafkaClient } from "../../../../sim/brokers/kafka/kafka-model.ts";

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
  epoch: number;
  /** Whether its records are of no use until its place is known again. */
  isLost: boolean;
  backoff: ReturnType<typeof setTimeout> | undefined;
}

const TOPIC = "orders";
const DEAD_LETTERS = "orders.dead-letter";
const GROUP = "orders-watchers";
const BACKOFF_MS = 1_000;
const COMMIT_ATTEMPTS_MAX = 4;

/**
 * Orders from Kafka, through kafkajs, settled once every watcher is done with them.
 *
 * - A commit never passes an order that failed or that nobody took: its partition is read again from
 *   there, after a pause, and what is still under way of the older reading is ignored.
 * - A rejected order is durable in the dead-letter topic before it is committed past.
 * - Every rebalance begins a new reading of every partition. The library keeps a seek that it has not
 *   applied yet across a rebalance: such a partition is taken back to what is committed first.
 * - The library tries a refused commit again in whatever generation it has by then, so its own
 *   retries are off, and this class asks anew whether the order still has a say.
 */
export class OrdersProducer implements SharedStreamProducer<Order, OrderPayload> {
  readonly #consumer: Consumer;
  readonly #deadLetters: ReturnType<KafkaClient["producer"]>;
  readonly #admin: ReturnType<KafkaClient["admin"]>;
  readonly #readings = new Map<string, Reading>();
  readonly #queue: (readonly [Order, OrderPayload])[] = [];
  /** Seeks that the library has not applied yet, as far as one can know. */
  readonly #seeking = new Set<string>();
  readonly #tasks = new Set<Promise<void>>();
  #wake: (() => void) | undefined;
  #failure: { readonly error: Error } | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(client: KafkaClient) {
    this.#consumer = client.consumer({ groupId: GROUP, retry: { retries: 0 } });
    this.#deadLetters = client.producer();
    this.#admin = client.admin({ retry: { retries: 1 } });
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [Order, OrderPayload]> {
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
    await Promise.all(this.#tasks);
    await this.#disconnect();
  }

  async #open(): Promise<void> {
    const { GROUP_JOIN, REBALANCING, CRASH, FETCH_START } = this.#consumer.events;
    this.#consumer.on(REBALANCING, () => this.#forgetReadings());
    this.#consumer.on(FETCH_START, () => this.#seeking.clear());
    this.#consumer.on(GROUP_JOIN, () => {
      this.#forgetReadings();
      for (const place of this.#seeking) this.#start(this.#findPlace(place));
    });
    this.#consumer.on(CRASH, ({ payload }: { payload: { error: Error; restart: boolean } }) => {
      this.#forgetReadings();
      if (!payload.restart) this.#fail(payload.error);
    });
    await this.#deadLetters.connect();
    await this.#admin.connect();
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    if (this.#isClosed) return;
    await this.#consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { topic, partition, messages }, isStale }) => {
        const { epoch, isLost } = this.#readingOf(topic, partition);
        if (isStale() || isLost) return;
        for (const { offset, value } of messages) {
          const body = value?.toString() ?? "{}";
          const order = JSON.parse(body) as Order;
          this.#queue.push([order, { topic, partition, offset, body, epoch }]);
        }
        this.#wake?.();
      },
    });
  }

  async #disconnect(): Promise<void> {
    await this.#consumer.disconnect();
    await this.#deadLetters.disconnect();
    await this.#admin.disconnect();
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
    this.#tryTo(() => this.#consumer.pause([{ topic, partitions: [partition] }]));
    clearTimeout(reading.backoff);
    reading.backoff = setTimeout(() => {
      if (reading.epoch === held) this.#seek(topic, partition, offset);
      this.#tryTo(() => this.#consumer.resume([{ topic, partitions: [partition] }]));
    }, BACKOFF_MS);
  }

  #seek(topic: string, partition: number, offset: string): void {
    this.#tryTo(() => {
      this.#consumer.seek({ topic, partition, offset });
      this.#seeking.add(`${topic}/${partition}`);
    });
  }

  /** A consumer that is just restarting takes no orders; it begins with what is committed. */
  #tryTo(act: () => void): void {
    try {
      act();
    } catch {
      this.#forgetReadings();
    }
  }

  /** Takes a partition back to its committed offset, from a seek of an older generation. */
  async #findPlace(place: string): Promise<void> {
    const mark = place.lastIndexOf("/");
    const [topic, partition] = [place.slice(0, mark), Number(place.slice(mark + 1))];
    const reading = this.#readingOf(topic, partition);
    reading.isLost = true;
    reading.epoch += 1;
    const { epoch } = reading;
    try {
      const [found] = await this.#admin.fetchOffsets({ groupId: GROUP, topics: [topic] });
      const committed = found?.partitions.find((one) => one.partition === partition)?.offset;
      if (reading.epoch !== epoch) return;
      this.#seek(topic, partition, committed === undefined || committed === "-1" ? "0" : committed);
      reading.isLost = false;
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** Runs beside the stream; closing waits for it. */
  #start(task: Promise<void>): void {
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task));
  }

  #hasSay({ topic, partition, epoch }: OrderPayload): boolean {
    return this.#readingOf(topic, partition).epoch === epoch;
  }

  #readingOf(topic: string, partition: number): Reading {
    const place = `${topic}/${partition}`;
    const known = this.#readings.get(place);
    if (known !== undefined) return known;
    const reading: Reading = { epoch: 0, isLost: false, backoff: undefined };
    this.#readings.set(place, reading);
    return reading;
  }

  #forgetReadings(): void {
    for (const reading of this.#readings.values()) reading.epoch += 1;
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

export function createProducer({ client }: { readonly client: KafkaClient }): OrdersProducer {
  return new OrdersProducer(client);
}
