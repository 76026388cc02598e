import type { AsyncContext } from "../../src/platform/mod.ts";

// Stands for src/platform/async-context.ts in a bundle for browsers, which have no AsyncLocalStorage.

/** A slot for each context, copied whenever one of them is set. */
type Snapshot = readonly unknown[];

const EMPTY: Snapshot = [];

/** What the running code sees; whatever resumes code puts back the snapshot that it left with. */
let current: Snapshot = EMPTY;
let slots = 0;

/** Creates an async context: the same as on Node, for code that `trackAwaits` has edited. */
export function createAsyncContext<T>(): AsyncContext<T> {
  slots += 1;
  const slot = slots - 1;
  const enter = (value: T): void => {
    const next = [...current];
    next[slot] = value;
    current = next;
  };
  return {
    get: () => current[slot] as T | undefined,
    enter,
    run: (value, fn) => {
      const before = current;
      enter(value);
      try {
        return fn();
      } finally {
        current = before;
      }
    },
  };
}

/** Returns `fn` bound to the async contexts of the current task, whoever calls it later. */
export function bindAsyncContext<F extends (...args: never[]) => unknown>(fn: F): F {
  const at = current;
  const bound = function (this: unknown, ...args: never[]): unknown {
    const before = current;
    current = at;
    try {
      return Reflect.apply(fn, this, args);
    } finally {
      current = before;
    }
  };
  return bound as F;
}

/** Calls `fn` outside of every context, as an event handler of the page has to be. */
export function runWithoutContext<T>(fn: () => T): T {
  const before = current;
  current = EMPTY;
  try {
    return fn();
  } finally {
    current = before;
  }
}

/** The contexts of the pulls of a generator that its code has not seen yet, in their order. */
const pullsOf = new WeakMap<object, Snapshot[]>();
/** Those of the generator that is being pulled, for the frame that its code opens first of all. */
let pulled: Snapshot[] = [];

/**
 * The awaits and yields of one call of an async function. `trackAwaits` edits the code so that each
 * passes through here: the runtime resumes the function, and a frame its contexts. The await itself
 * stays the runtime's own, so that nothing happens in another order than without this.
 */
class Frame {
  readonly #pulls: Snapshot[];
  #left: Snapshot = EMPTY;
  #state: "here" | "awaits" | "yields" = "here";

  constructor(pulls: Snapshot[]) {
    this.#pulls = pulls;
    pulls.shift();
  }

  /** Called with what is awaited, last before the function is suspended. */
  leave<T>(awaited: T): T {
    this.#left = current;
    this.#state = "awaits";
    return awaited;
  }

  /** Called first when an await has brought a value. */
  enter<T>(value?: T): T | undefined {
    this.#state = "here";
    current = this.#left;
    return value;
  }

  /** Called with what is yielded. */
  yield<T>(value: T): T {
    this.#state = "yields";
    return value;
  }

  /** Called first when the generator is pulled again: it runs in the contexts of whoever pulls. */
  pull<T>(value?: T): T | undefined {
    this.#state = "here";
    current = this.#pulls.shift() ?? current;
    return value;
  }

  /** As `pull`, after a `yield*`, which has taken all pulls but the last. */
  pullLast<T>(value: T): T | undefined {
    this.#pulls.splice(0, this.#pulls.length - 1);
    return this.pull(value);
  }

  /** Called where the function may be resumed by an exception or a `return()`. */
  enterIfAway(): void {
    if (this.#state === "awaits") this.enter();
    else if (this.#state === "yields") this.pull();
  }

  /** Returns what `for await` iterates, with its pulls and its `return()` as awaits. */
  each<T>(iterable: AsyncIterable<T>): AsyncIterable<T> {
    return {
      [Symbol.asyncIterator]: () => {
        const inner = iterable[Symbol.asyncIterator]();
        const close = inner.return?.bind(inner);
        return {
          next: () => this.leave(inner.next()),
          ...(close !== undefined && { return: () => this.leave(close()) }),
        };
      },
    };
  }
}

/** Returns a frame for one call of an async function, or for one generator. */
export function openFrame(): Frame {
  const pulls = pulled;
  pulled = [];
  return new Frame(pulls);
}

type Method = (this: object, ...args: readonly unknown[]) => unknown;

/**
 * Makes reactions of promises run in the contexts of whoever added them, and notes who pulls an
 * async generator.
 *
 * @returns what undoes it
 */
export function trackReactions(): () => void {
  const generators = Reflect.get(
    Object.getPrototypeOf(async function* () {}) as object,
    "prototype",
  ) as object;
  const undo = [
    replace(Promise.prototype, "then", (then) => {
      return function (...reactions) {
        const bound = reactions.map((one) =>
          typeof one === "function" ? bindAsyncContext(one as (...args: never[]) => unknown) : one,
        );
        return Reflect.apply(then, this, bound);
      };
    }),
    ...["next", "return", "throw"].map((name) => replace(generators, name, trackedPull)),
  ];
  return () => undo.forEach((one) => one());
}

function trackedPull(pull: Method): Method {
  return function (...args) {
    const mine = pullsOf.get(this) ?? [];
    pullsOf.set(this, mine);
    mine.push(current);
    const before = pulled;
    pulled = mine;
    try {
      return Reflect.apply(pull, this, args);
    } finally {
      pulled = before;
    }
  };
}

function replace(holder: object, name: string, by: (real: Method) => Method): () => void {
  const real = Reflect.get(holder, name) as Method;
  const put = (value: Method): void => {
    Object.defineProperty(holder, name, { configurable: true, writable: true, value });
  };
  put(by(real));
  return () => put(real);
}
