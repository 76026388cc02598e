import type {
  EventWindow,
  SharedStream,
  SharedStreamProducer,
  SharedStreamTrigger,
} from "../../src/shared-stream/mod.ts";

/**
 * A broadcast and nothing else: no outstanding events, no windows, no lanes, no deadlines, no
 * advance. What is left is what the source, the streams and the filters cost by themselves.
 */
export class FloorStreams {
  readonly #streams: FloorStream[] = [];
  readonly #abort = new AbortController();
  #polling: Promise<void> | undefined;
  #nextSeq = 0;

  subscribe<Raw>({ trigger }: { readonly trigger: SharedStreamTrigger<Raw> }): SharedStream<Raw> {
    const stream = new FloorStream(() => this.bindPendingEvent());
    this.#streams.push(stream);
    this.#polling ??= this.#poll(trigger);
    return stream as SharedStream<unknown> as SharedStream<Raw>;
  }

  bindPendingEvent(): number | null {
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    return seq;
  }

  confirmPersisted(): void {
    // Nothing waits for it.
  }

  async unsubscribe(): Promise<void> {
    await this.stopAll();
  }

  async stopAll(): Promise<void> {
    this.#abort.abort();
    for (const stream of this.#streams) void stream.return();
    await this.#polling;
  }

  async #poll(trigger: SharedStreamTrigger<unknown>): Promise<void> {
    await Promise.resolve();
    const producer = trigger.createSharedStreamProducer?.() as SharedStreamProducer<unknown>;
    for await (const [raw] of producer.openStream(this.#abort.signal)) {
      for (const stream of this.#streams) stream.deliver(raw);
    }
  }
}

class FloorStream implements SharedStream<unknown> {
  readonly #bind: () => number | null;
  #queue: unknown[] = [];
  #head = 0;
  #waiter: ((result: IteratorResult<unknown>) => void) | undefined;
  #visitor: ((raw: unknown) => void) | undefined;
  readonly #left = Promise.withResolvers<void>();

  constructor(bind: () => number | null) {
    this.#bind = bind;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  deliver(value: unknown): void {
    const waiter = this.#waiter;
    if (this.#visitor !== undefined) {
      this.#visitor(value);
    } else if (waiter === undefined) {
      this.#queue.push(value);
    } else {
      this.#waiter = undefined;
      waiter({ done: false, value });
    }
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.#head < this.#queue.length) {
      const value = this.#queue[this.#head];
      this.#head += 1;
      if (this.#head === this.#queue.length) {
        this.#queue = [];
        this.#head = 0;
      }
      return Promise.resolve({ done: false, value });
    }
    return new Promise((resolve) => {
      this.#waiter = resolve;
    });
  }

  return(): Promise<IteratorResult<unknown>> {
    const end = { done: true, value: undefined } as const;
    this.#waiter?.(end);
    this.#left.resolve();
    return Promise.resolve(end);
  }

  visit(visitor: (raw: unknown, window: EventWindow) => void): Promise<void> {
    const window: EventWindow = { reject: ignore, bind: this.#bind };
    this.#visitor = (raw) => visitor(raw, window);
    return this.#left.promise;
  }

  reject(): void {
    // There is no window to reject in.
  }
}

function ignore(): void {
  // There is no window to reject in.
}
