import type { Message, PubSub, Subscription } from "@google-cloud/pubsub";
import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";

interface Payload {
  readonly message: Message;
  /** Rises for an ordering key each time one of its messages has to come again. */
  readonly epoch: number;
}

/** What is held back of an ordering key until the message comes again that failed. */
interface Gate {
  readonly id: string;
  /** Later ones of its key, to be given back with it. */
  readonly behind: Message[];
  isReleased: boolean;
  /** If it has not come by then, another subscriber has it. */
  reopensAt: number;
}

const NACK_AFTER_MS = 1_000;
const NOBODY_THERE_MS = 5_000;
const REOPEN_MS = 10_000;

/**
 * Orders from Pub/Sub, with or without ordering keys. Repairs, against naive-pubsub.ts:
 *
 * - A message is acknowledged when its subscribers have taken it, not when it arrives (G1, G2).
 * - A failed one is given back after a moment: at once, it would come again in a hot loop (G8).
 * - A rejected one is in the dead-letter topic before it is acknowledged (G3).
 * - Messages of one ordering key are one lane. When one has to come again, the service sends all
 *   later ones again, too: what was delivered of them before is void, and none of it is
 *   acknowledged (order, G1).
 * - The subscription's error ends the stream with that error instead of waiting for ever (G10).
 * - The end stops what is still to be given back; closing returns what is held (G6).
 *
 * The library extends the deadlines of what is outstanding, for an hour at most (G9).
 * - What is no JSON is handed out as text, for a filter to reject: an error of the parser would end
 *   the stream, whenever that order comes again (G10).
 */
class Orders implements SharedStreamProducer<unknown, Payload> {
  readonly #client: PubSub;
  readonly #arrived: Message[] = [];
  readonly #delayed = new Set<ReturnType<typeof setTimeout>>();
  readonly #gates = new Map<string, Gate>();
  readonly #epochs = new Map<string, number>();
  #subscription: Subscription | undefined;
  #failure: Error | undefined;
  #wake = (): void => undefined;

  constructor(client: PubSub) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    const flowControl = { maxMessages: 200 };
    this.#subscription = this.#client.subscription("orders", { flowControl });
    this.#subscription.on("error", (error) => {
      this.#failure = error;
      this.#wake();
    });
    this.#subscription.on("message", (message) => {
      this.#arrived.push(message);
      this.#wake();
    });
    while (!signal.aborted) {
      if (this.#failure !== undefined) throw this.#failure;
      const message = this.#arrived.shift();
      if (message === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (this.#isAdmitted(message)) {
        const epoch = this.#epochOf(message);
        yield [orderFrom(message.data.toString()), { message, epoch }];
      }
    }
  }

  getAdvanceLane({ message }: Payload): Lane {
    return message.orderingKey;
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      const { message, epoch } = brokerPayload;
      if (epoch < this.#epochOf(message)) this.#giveBackBehind(message);
      else if (outcome.failed > 0) this.#giveBack(message, NACK_AFTER_MS);
      else if (outcome.acked + outcome.rejected === 0) this.#giveBack(message, NOBODY_THERE_MS);
      else if (outcome.rejected > 0 && !(await this.#isDeadLettered(message))) {
        this.#giveBack(message, NACK_AFTER_MS);
      } else {
        // With exactly-once delivery it may be refused: then the message comes again.
        await message.ackWithResponse().catch(() => undefined);
      }
    }
  }

  async aclose(): Promise<void> {
    for (const timer of this.#delayed) clearTimeout(timer);
    await this.#subscription?.close();
  }

  async #isDeadLettered({ data, attributes }: Message): Promise<boolean> {
    try {
      await this.#client.topic("dead-orders").publishMessage({ data, attributes });
      return true;
    } catch {
      return false;
    }
  }

  /** Whether the message may be handed out; what is behind a failed one is given back with it. */
  #isAdmitted(message: Message): boolean {
    const { id, orderingKey } = message;
    const gate = this.#gates.get(orderingKey ?? "");
    if (gate === undefined) return true;
    if (gate.isReleased && (gate.id === id || performance.now() >= gate.reopensAt)) {
      this.#gates.delete(orderingKey ?? "");
      return true;
    }
    this.#giveBackBehind(message);
    return false;
  }

  #giveBack(message: Message, afterMs: number): void {
    const { id, orderingKey } = message;
    const gate: Gate = { id, behind: [], isReleased: false, reopensAt: Infinity };
    if (orderingKey) {
      this.#epochs.set(orderingKey, this.#epochOf(message) + 1);
      this.#gates.set(orderingKey, gate);
    }
    this.#later(afterMs, () => {
      gate.isReleased = true;
      gate.reopensAt = performance.now() + REOPEN_MS;
      for (const each of [message, ...gate.behind]) each.nack();
    });
  }

  #giveBackBehind(message: Message): void {
    const gate = this.#gates.get(message.orderingKey ?? "");
    if (gate === undefined) message.nack();
    // At once it would come at once, too, until the failed one comes.
    else if (gate.isReleased) this.#later(NACK_AFTER_MS, () => message.nack());
    else gate.behind.push(message);
  }

  #later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#delayed.delete(timer);
      work();
    }, ms);
    this.#delayed.add(timer);
  }

  #epochOf({ orderingKey }: Message): number {
    return this.#epochs.get(orderingKey ?? "") ?? 0;
  }
}

/** What is no JSON is handed out as it is: a filter rejects it. */
function orderFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function createProducer({ client }: { readonly client: PubSub }): Orders {
  return new Orders(client);
}
