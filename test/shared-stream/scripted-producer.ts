import type { AdvanceItem, Lane, SharedStreamProducer } from "../../src/shared-stream/mod.ts";

/** How the members of one event resolved it: acked, failed, rejected. */
export type Counts = readonly [acked: number, failed: number, rejected: number];

interface Blocked {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A producer, and a source of the fast path, that does what the test says and remembers what was
 * done to it. An event is its name: raw event and broker payload at once.
 */
export class ScriptedProducer implements SharedStreamProducer<unknown, unknown> {
  /** Everything that happened to the producer, in order. */
  readonly acts: string[] = [];
  /** The payloads of each advance that was begun. */
  readonly begun: unknown[][] = [];
  /** The payloads of each advance that returned. */
  readonly batches: unknown[][] = [];
  readonly outcomes = new Map<unknown, Counts>();
  readonly clean: unknown[] = [];
  readonly laneCalls: unknown[] = [];
  opened = 0;
  aclosed = 0;
  inFlight = 0;
  inFlightMax = 0;
  signal: AbortSignal | undefined;
  /** Settles a batch; where it returns a promise the advance waits for it. */
  advanceBy: ((payloads: readonly unknown[]) => Promise<void> | void) | undefined;
  acloseBy: (() => Promise<void> | void) | undefined;
  laneBy: ((payload: unknown) => Lane) | undefined;
  readonly #items: unknown[] = [];
  readonly #blocked: Blocked[] = [];
  #isBlocking = false;
  #wake: (() => void) | undefined;
  #end: { readonly error: unknown } | "returns" | undefined;

  /** Lets the source bring events, all at one stretch. */
  emit(...names: readonly unknown[]): void {
    this.emitItems(...names.map((name) => [name, name]));
  }

  /** Lets the source bring items as they are, pairs or not. */
  emitItems(...items: readonly unknown[]): void {
    this.#items.push(...items);
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#end = { error };
    this.#wake?.();
  }

  end(): void {
    this.#end = "returns";
    this.#wake?.();
  }

  /** From now on an advance does not return before it is released. */
  block(): void {
    this.#isBlocking = true;
  }

  /** Ends the oldest advance that is under way; those to come block as before. */
  release(error?: unknown): void {
    const blocked = this.#blocked.shift();
    if (error === undefined) blocked?.resolve();
    else blocked?.reject(error);
  }

  /** Ends all that is under way, and blocks nothing more. */
  unblock(): void {
    this.#isBlocking = false;
    for (const blocked of this.#blocked.splice(0)) blocked.resolve();
  }

  out(payload: unknown): Counts | undefined {
    return this.outcomes.get(payload);
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, unknown]> {
    this.opened += 1;
    this.signal = signal;
    this.acts.push("open");
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
    try {
      while (!signal.aborted) {
        if (this.#items.length > 0) yield this.#items.shift() as readonly [unknown, unknown];
        else if (this.#end === "returns") return;
        else if (this.#end !== undefined) throw this.#end.error;
        else await this.#arrival();
      }
    } finally {
      this.acts.push("stream closed");
    }
  }

  /** The same source for the fast path: raw events alone. */
  async *openRaws(signal: AbortSignal): AsyncGenerator<unknown> {
    for await (const [raw] of this.openStream(signal)) yield raw;
  }

  getAdvanceLane(payload: unknown): Lane {
    this.laneCalls.push(payload);
    return this.laneBy?.(payload);
  }

  async advance(batch: readonly AdvanceItem[]): Promise<void> {
    const payloads = batch.map(({ brokerPayload }) => brokerPayload);
    this.begun.push(payloads);
    this.acts.push(`advance ${payloads.join(" ")}`);
    for (const { brokerPayload, outcome } of batch) {
      this.outcomes.set(brokerPayload, [outcome.acked, outcome.failed, outcome.rejected]);
      if (outcome.isClean) this.clean.push(brokerPayload);
    }
    this.inFlight += 1;
    this.inFlightMax = Math.max(this.inFlightMax, this.inFlight);
    try {
      await this.advanceBy?.(payloads);
      if (this.#isBlocking) {
        await new Promise<void>((resolve, reject) => this.#blocked.push({ resolve, reject }));
      }
    } finally {
      this.inFlight -= 1;
    }
    this.batches.push(payloads);
    this.acts.push("advanced");
  }

  async aclose(): Promise<void> {
    this.aclosed += 1;
    this.acts.push("aclose");
    await this.acloseBy?.();
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** The lane of an event whose name begins with it. */
export function laneByLetter(payload: unknown): string {
  return String(payload).charAt(0);
}
