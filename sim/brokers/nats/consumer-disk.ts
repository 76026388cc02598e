import type { ConsumerState, PendingMessage } from "./consumer-state.ts";

/** The server writes down how far a consumer is at once, but only so often. */
const WRITE_EVERY_MS = 100;

/** How far a consumer is, as it is written down. */
type Written = Pick<ConsumerState, "lastSequence" | "deliveries"> & {
  readonly pending: readonly PendingMessage[];
  readonly givenUp: readonly number[];
  readonly holding: readonly (readonly [sequence: number, firstDelivery: number])[];
};

/**
 * What a server has written down of one consumer: where its process is killed, the rest is lost.
 *
 * Source: nats-server 2.15, filestore.go, consumerFileStore.flushLoop
 */
export class ConsumerDisk {
  #written: Written;
  #writtenAt = Number.NEGATIVE_INFINITY;
  /** Whether something is to be written when the time has come. */
  #isBehind = false;

  constructor(consumer: ConsumerState) {
    this.#written = writtenOf(consumer);
  }

  /** Writes what was to be written by now; called ahead of each change of the consumer. */
  catchUp(consumer: ConsumerState, now: number): void {
    const dueAt = this.#writtenAt + WRITE_EVERY_MS;
    if (this.#isBehind && dueAt <= now) this.#write(consumer, dueAt);
  }

  /** The consumer has changed. */
  changed(consumer: ConsumerState, now: number): void {
    if (now < this.#writtenAt + WRITE_EVERY_MS) this.#isBehind = true;
    else this.#write(consumer, now);
  }

  /** Takes the consumer back to what is written. */
  restore(consumer: ConsumerState): void {
    const { lastSequence, deliveries, pending, givenUp, holding } = this.#written;
    consumer.lastSequence = lastSequence;
    consumer.deliveries = deliveries;
    replaceMap(
      consumer.pending,
      pending.map((one) => [one.message.sequence, { ...one }]),
    );
    replaceMap(consumer.holding, holding);
    consumer.givenUp.clear();
    for (const sequence of givenUp) consumer.givenUp.add(sequence);
    this.#isBehind = false;
  }

  #write(consumer: ConsumerState, at: number): void {
    this.#written = writtenOf(consumer);
    this.#writtenAt = at;
    this.#isBehind = false;
  }
}

/** Neither a timer is written down, nor what was given back. */
function writtenOf(consumer: ConsumerState): Written {
  const { lastSequence, deliveries, pending, givenUp, holding } = consumer;
  const out = [...pending.values()];
  return {
    ...{ lastSequence, deliveries, givenUp: [...givenUp], holding: [...holding] },
    pending: out.map((one) => ({ ...one, due: undefined, timer: undefined })),
  };
}

function replaceMap<K, V>(map: Map<K, V>, entries: readonly (readonly [K, V])[]): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
