import type { SharedStream } from "../../src/shared-stream/mod.ts";
import type { Life } from "./life.ts";

/** A raw event on its way through the manager, with the number of this copy. */
export interface Box {
  readonly copy: number;
  readonly value: unknown;
}

function isBox(value: unknown): value is Box {
  return typeof value === "object" && value !== null && "copy" in value && "value" in value;
}

/** The stream that a filter sees, with each pull and what came of it recorded. */
export class TracedStream implements SharedStream<unknown> {
  readonly sub: number;
  readonly #life: Life;
  readonly #stream: SharedStream<unknown>;

  constructor(life: Life, stream: SharedStream<unknown>, sub: number) {
    this.#life = life;
    this.#stream = stream;
    this.sub = sub;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown>> {
    this.#life.trace({ kind: "pull", sub: this.sub });
    return this.#stream.next().then(
      (result) => this.#unboxed(result),
      (error: unknown) => {
        this.#life.trace({ kind: "stream-error", sub: this.sub, error: nameFrom(error) });
        throw error;
      },
    );
  }

  return(): Promise<IteratorResult<unknown>> {
    return this.#stream.return?.() ?? Promise.resolve({ done: true, value: undefined });
  }

  reject(): void {
    this.#life.trace({ kind: "reject", sub: this.sub });
    try {
      this.#stream.reject();
    } catch (error) {
      this.#life.trace({ kind: "stream-error", sub: this.sub, error: nameFrom(error) });
    }
  }

  #unboxed(result: IteratorResult<unknown>): IteratorResult<unknown> {
    if (result.done === true) {
      this.#life.trace({ kind: "stream-done", sub: this.sub });
      return result;
    }
    const copy = isBox(result.value) ? result.value.copy : 0;
    this.#life.trace({ kind: "deliver", sub: this.sub, copy });
    this.#life.point("runner.filter");
    return { done: false, value: isBox(result.value) ? result.value.value : result.value };
  }
}

interface SourceHooks {
  wrap(item: unknown): unknown;
  ended(how: "threw" | "returned" | "closed"): void;
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
      this.#end("threw");
      throw error;
    }
  }

  async return(): Promise<IteratorResult<unknown>> {
    this.#end("closed");
    return (await this.#inner.return?.()) ?? { done: true, value: undefined };
  }

  #end(how: "threw" | "returned" | "closed"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hooks.ended(how);
  }
}

/** How an error is traced: by name, for an engine words its message. */
export function nameFrom(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
