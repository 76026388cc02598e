import type { Message } from "@google-cloud/pubsub";

/** What the producer uses of a message. */
export type OrderMessage = Pick<
  Message,
  "id" | "attributes" | "ack" | "nack" | "modAck" | "ackWithResponse"
> & {
  readonly data: Uint8Array & { toString(encoding?: "utf8"): string };
  readonly orderingKey?: string | undefined;
};

/** The library gives messages without a key an empty one. */
function keyOf({ orderingKey }: OrderMessage): string | undefined {
  return orderingKey === "" ? undefined : orderingKey;
}

interface Gate {
  /** The message that has to come again before any other of its key. */
  readonly id: string;
  /** Late ones of its key, to be given back with it. */
  readonly dropped: OrderMessage[];
  isReleased: boolean;
  reopensAt: number;
}

/** If the message has not come by then, somebody else has it. */
const REOPEN_MS = 10_000;

/**
 * Keeps the messages of an ordering key back while one of them has to come again.
 *
 * Why so: when it comes, all later ones come again with it, the acknowledged ones included; what
 * was delivered of them before is void.
 */
export class OrderingGates {
  readonly #gates = new Map<string, Gate>();
  readonly #epochs = new Map<string, number>();
  readonly #giveBackLater: (message: OrderMessage) => void;

  /** What comes ahead of a message that was given back is given back by this, after a moment. */
  constructor(giveBackLater: (message: OrderMessage) => void) {
    this.#giveBackLater = giveBackLater;
  }

  epochOf(key: string | undefined): number {
    return this.#epochs.get(key ?? "") ?? 0;
  }

  /** Whether a message that has just come may be handed out. */
  admits(message: OrderMessage): boolean {
    const key = keyOf(message);
    const { id } = message;
    const gate = key === undefined ? undefined : this.#gates.get(key);
    if (key === undefined || gate === undefined) return true;
    if (gate.isReleased && (gate.id === id || Date.now() >= gate.reopensAt)) {
      this.#gates.delete(key);
      return true;
    }
    this.drop(message);
    return false;
  }

  /** From now on everything of its key that is under way is void. */
  close(message: OrderMessage): void {
    const key = keyOf(message);
    const { id } = message;
    if (key === undefined) return;
    this.#epochs.set(key, this.epochOf(key) + 1);
    this.#gates.set(key, { id, dropped: [], isReleased: false, reopensAt: Infinity });
  }

  /** The message itself was given back: so is all that is void. */
  release(message: OrderMessage): void {
    const key = keyOf(message);
    const gate = key === undefined ? undefined : this.#gates.get(key);
    if (gate === undefined) return;
    gate.isReleased = true;
    gate.reopensAt = Date.now() + REOPEN_MS;
    for (const dropped of gate.dropped.splice(0)) dropped.nack();
  }

  drop(message: OrderMessage): void {
    const gate = this.#gates.get(message.orderingKey ?? "");
    if (gate === undefined) message.nack();
    // At once it would come at once, too, for as long as the other one is away.
    else if (gate.isReleased) this.#giveBackLater(message);
    else gate.dropped.push(message);
  }
}
