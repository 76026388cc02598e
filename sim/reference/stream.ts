import type { SharedStream, SharedStreamObserver, StreamKey } from "../../src/shared-stream/mod.ts";
import type { Logger } from "../../src/time/mod.ts";
import type { EventQueue } from "./event-queue.ts";
import type { Resolution } from "./resolution.ts";

/** The reader of a stream. */
export interface Reader {
  readonly triggerId: number;
  readonly key: StreamKey;
  readonly queue: EventQueue;
  /** Absent on the fast path. */
  readonly resolution: Resolution | undefined;
}

/**
 * The stream that a subscriber iterates: Airflow's generator and the reject context of its task.
 *
 * The context is cleared only when the generator is resumed or closed, so that it outlives the
 * window of a subscriber that left (E-09).
 */
export class ReferenceStream implements SharedStream<unknown> {
  readonly #logger: Logger;
  readonly #observer: SharedStreamObserver;
  readonly #reader: Reader;
  readonly #events: AsyncGenerator<unknown, void>;
  #context: number | undefined;

  constructor(logger: Logger, observer: SharedStreamObserver, reader: Reader) {
    this.#logger = logger;
    this.#observer = observer;
    this.#reader = reader;
    this.#events = this.#iterate(reader);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown, void>> {
    return this.#events.next();
  }

  return(): Promise<IteratorResult<unknown, void>> {
    this.#context = undefined;
    this.#reader.queue.close();
    return this.#events.return();
  }

  reject(): void {
    const { triggerId, key, resolution } = this.#reader;
    const eventId = this.#context;
    if (eventId === undefined || resolution === undefined) {
      this.#logger.warn("Cannot reject a shared stream event outside an ack-mode binding window", {
        key,
        triggerId,
      });
    } else {
      const rejection = { key, triggerId, eventId };
      // Before it is known whether it counts: a second reject of an event is logged as well.
      this.#logger.info("A subscriber rejected a shared stream event", rejection);
      const hasCounted = resolution.reject(triggerId, eventId);
      if (hasCounted) this.#observer.onEventRejected?.(rejection);
    }
  }

  async *#iterate({ triggerId, queue, resolution }: Reader): AsyncGenerator<unknown, void> {
    for (;;) {
      const item = await queue.get();
      if (item === undefined) return;
      if (item.kind === "failure") throw item.error;
      const { raw, eventId } = item;
      if (resolution === undefined || eventId === undefined) {
        yield raw;
        continue;
      }
      this.#context = eventId;
      resolution.openWindow(triggerId, eventId);
      yield raw;
      this.#context = undefined;
      // A subscriber that has left passes no event any more.
      if (queue.isClosed) return;
      resolution.closeWindow(triggerId, eventId);
    }
  }
}
