import type { EventWindow, SharedStream } from "../../src/shared-stream/mod.ts";
import type { Life } from "./life.ts";

/** A raw event on its way through the manager, with the number of this copy. */
export interface Box {
  readonly copy: number;
  readonly value: unknown;
}

function isBox(value: unknown): value is Box {
  return typeof value === "object" && value !== null && "copy" in value && "value" in value;
}

/** What a traced stream needs from its manager. */
export interface TracedStreamPort {
  /** Traces a bind and the trigger event that it is about; returns what `call` returns. */
  bind(sub: number, call: () => number | null): number | null;
  /** Returns the number of an error. */
  failureOf(error: unknown): number;
  /** The ambient form of `reject()`; absent where the manager has none. */
  readonly rejectAmbiently?: () => void;
}

/** The window of a visited event, with what a filter does in it recorded. */
export class TracedWindow implements EventWindow {
  readonly sub: number;
  readonly bind: () => number | null;
  readonly reject: () => void;
  /** As `reject`, by the ambient form. */
  readonly rejectAmbiently: () => void;

  constructor(stream: TracedStream, window: Pick<EventWindow, "bind" | "reject">) {
    this.sub = stream.sub;
    this.bind = () => window.bind();
    this.reject = () => window.reject();
    this.rejectAmbiently = () => stream.rejectAmbiently();
  }
}

type TracedVisitor = (raw: unknown, window: TracedWindow) => void;

/** The stream that a filter sees, with each pull, each visit and what came of it recorded. */
export class TracedStream implements SharedStream<unknown> {
  readonly sub: number;
  readonly visit?: (visitor: TracedVisitor) => Promise<void>;
  readonly #life: Life;
  readonly #stream: SharedStream<unknown>;
  readonly #port: TracedStreamPort;
  #pulls = 0;
  #isVisited = false;

  constructor(life: Life, stream: SharedStream<unknown>, sub: number, port: TracedStreamPort) {
    this.#life = life;
    this.#stream = stream;
    this.#port = port;
    this.sub = sub;
    if (stream.visit !== undefined) this.visit = (visitor) => this.#visit(visitor);
  }

  /** How many events were requested. */
  get pulls(): number {
    return this.#pulls;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown>> {
    this.#tracePull();
    return this.#stream.next().then(
      (result) => this.#unboxed(result),
      (error: unknown) => {
        this.#traceError("stream-error", error);
        throw error;
      },
    );
  }

  return(): Promise<IteratorResult<unknown>> {
    if (this.#isVisited) this.#life.trace({ kind: "stream-return", sub: this.sub });
    this.#isVisited = false;
    return this.#stream.return?.() ?? Promise.resolve({ done: true, value: undefined });
  }

  reject(): void {
    this.#reject(() => this.#stream.reject());
  }

  /** As `reject`, by the ambient form where the manager has one. */
  rejectAmbiently(): void {
    this.#reject(this.#port.rejectAmbiently ?? (() => this.#stream.reject()));
  }

  /** Returns the reject of a task that outlives the event at hand; does nothing until then. */
  laterReject(): () => void {
    const pulls = this.#pulls;
    return () => {
      if (this.#pulls !== pulls) this.rejectTooLate();
    };
  }

  /** The ambient reject of a task whose window is closed or cleared; must do nothing. */
  rejectTooLate(): void {
    const { rejectAmbiently } = this.#port;
    if (rejectAmbiently === undefined) return;
    this.#life.trace({ kind: "late-reject", sub: this.sub });
    rejectAmbiently();
  }

  #reject(call: () => void): void {
    this.#life.trace({ kind: "reject", sub: this.sub });
    try {
      call();
    } catch (error) {
      this.#traceError("stream-error", error);
    }
  }

  #traceError(kind: "stream-error" | "visit-threw" | "visit-failed", error: unknown): void {
    const failure = this.#port.failureOf(error);
    this.#life.trace({ kind, sub: this.sub, error: nameFrom(error), failure });
  }

  async #visit(visitor: TracedVisitor): Promise<void> {
    let hasThrown = false;
    const ended = this.#stream.visit?.((box, window) => {
      try {
        visitor(this.#opened(box), this.#tracedWindow(window));
      } catch (error) {
        hasThrown = true;
        this.#isVisited = false;
        this.#traceError("visit-threw", error);
        throw error;
      }
      this.#tracePull();
    });
    this.#isVisited = true;
    this.#life.trace({ kind: "visit", sub: this.sub });
    this.#tracePull();
    try {
      await ended;
      this.#life.trace({ kind: "stream-done", sub: this.sub });
    } catch (error) {
      this.#traceError(hasThrown ? "visit-failed" : "stream-error", error);
      throw error;
    } finally {
      if (!hasThrown) this.#isVisited = false;
    }
  }

  #tracedWindow(window: EventWindow): TracedWindow {
    return new TracedWindow(this, {
      bind: () => this.#port.bind(this.sub, () => window.bind()),
      reject: () => this.#reject(() => window.reject()),
    });
  }

  #tracePull(): void {
    this.#pulls += 1;
    this.#life.trace({ kind: "pull", sub: this.sub });
  }

  #unboxed(result: IteratorResult<unknown>): IteratorResult<unknown> {
    if (result.done === true) {
      this.#life.trace({ kind: "stream-done", sub: this.sub });
      return result;
    }
    return { done: false, value: this.#opened(result.value) };
  }

  /** Takes a raw event out of its box, which a filter begins to process now. */
  #opened(box: unknown): unknown {
    this.#life.trace({ kind: "deliver", sub: this.sub, copy: isBox(box) ? box.copy : 0 });
    this.#life.point("runner.filter");
    return isBox(box) ? box.value : box;
  }
}

interface SourceHooks {
  wrap(item: unknown): unknown;
  ended(how: "threw" | "returned" | "closed", error?: unknown): void;
}

/** A producer's stream with each item boxed and its end recorded, whichever way it ends. */
export class TracedSource implements AsyncIterableIterator<unknown> {
  readonly #inner: AsyncIterator<unknown>;
  readonly #hooks: SourceHooks;
  #isOver = false;

  constructor(source: AsyncIterable<unknown>, hooks: SourceHooks) {
    this.#inner = source[Symbol.asyncIterator]();
    this.#hooks = hooks;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<unknown>> {
    try {
      const result = await this.#inner.next();
      if (result.done !== true) return { done: false, value: this.#hooks.wrap(result.value) };
      this.#end("returned");
      return result;
    } catch (error) {
      this.#end("threw", error);
      throw error;
    }
  }

  async return(): Promise<IteratorResult<unknown>> {
    this.#end("closed");
    return (await this.#inner.return?.()) ?? { done: true, value: undefined };
  }

  #end(how: "threw" | "returned" | "closed", error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hooks.ended(how, error);
  }
}

/** How an error is traced: by name, for an engine words its message. */
export function nameFrom(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
