import { type Clock as FakeClock, withGlobal } from "@sinonjs/fake-timers";
import { type AsyncContext, createAsyncContext } from "../../src/platform/mod.ts";
import type { Choices, ChoiceStream } from "../choices/choices.ts";
import type { Turn } from "./serialize.ts";
import { EPOCH_MS } from "./virtual-clock.ts";
import type { Step, StepOptions, StepOwner } from "./step.ts";

type Callback = (...args: unknown[]) => unknown;
type Install = readonly [holder: object, name: string, fake: (...args: never[]) => unknown];

/** What faked globals need from their world. */
export interface GlobalsWorld {
  readonly now: number;
  readonly owner: StepOwner | undefined;
  readonly choices: Choices;
  schedule(delayMs: number, options: StepOptions, fn: () => void): Step;
}

/** setInterval of 0 ms fires every millisecond, as it does in reality. */
const INTERVAL_MS_MIN = 1;
const LOOP_LIMIT = 1_000_000_000;
/** Created from the real globals at import, because something may have replaced them at a run. */
const FAKES = withGlobal(globalThis);
/** The globals before this module replaces them: the runtime's own, or those of an earlier fake. */
const REAL_FETCH: unknown = Reflect.get(globalThis, "fetch");

/**
 * What custom code under test sees instead of real time and chance, for the length of a run.
 *
 * Virtual: `setTimeout`, `setInterval`, `setImmediate` and their clearing twins, `Date`,
 * `performance.now`, `AbortSignal.timeout`, `Math.random`, `crypto.randomUUID`,
 * `crypto.getRandomValues`. `queueMicrotask` is the runtime's own: the world drains it before the
 * next step, which is what a virtual one would do.
 * Holds: a timer belongs to the incarnation whose step set it and dies with it; after `during`
 * everything is back that was there before, whatever happened in between. Only the run itself is
 * fooled: a timer of somebody else that fires meanwhile (a progress bar, a test runner) finds the
 * real globals, where the runtime has an async context to tell the two apart.
 */
export class FakedGlobals {
  readonly #world: GlobalsWorld;
  /** Keeps the timers; runs on the world's time. */
  readonly #fake: FakeClock;
  /** Lends its `Date`; runs on the wall clock of the host whose step it is. */
  readonly #wall: FakeClock;
  /** The call of a timer that is due and whose host has not run it yet. */
  readonly #due = new Map<unknown, Step>();
  readonly #steps = new Map<unknown, Step>();
  readonly #owners = new WeakMap<Step, StepOwner | undefined>();
  /** Called when the code under test uses the real network. */
  onRealNetwork: () => void = () => undefined;
  readonly #context: AsyncContext<object> | undefined = createAsyncContext<object>();
  readonly #replaced: [holder: object, name: string, was: PropertyDescriptor | undefined][] = [];

  constructor(world: GlobalsWorld) {
    this.#world = world;
    this.#fake = FAKES.createClock(EPOCH_MS, LOOP_LIMIT);
    this.#wall = FAKES.createClock(EPOCH_MS, LOOP_LIMIT);
  }

  /** An instant as client libraries hand it out. */
  dateAt(epochMs: number): Date {
    return new this.#wall.Date(epochMs);
  }

  /** Puts the clocks where the host sees them whose step begins. */
  enter(owner: StepOwner | undefined): void {
    const now = EPOCH_MS + this.#world.now;
    this.#fake.now = now;
    this.#wall.now = now + (owner?.skewMs ?? 0);
  }

  /** The longest wait that a timer was set for, in virtual milliseconds. */
  longestWaitMs = 0;

  /** How many timers of living hosts are set and neither fired nor cleared. */
  get timersSet(): number {
    let count = 0;
    for (const step of this.#steps.values()) {
      if (this.#owners.get(step)?.alive === true) count += 1;
    }
    return count;
  }

  /** Runs `run` with the globals replaced; puts them back after all that ran inside of its turn. */
  async during<T>(turn: Turn, run: () => Promise<T>): Promise<T> {
    this.#install();
    try {
      return await run();
    } finally {
      await turn.end();
      this.#uninstall();
    }
  }

  #install(): void {
    this.#context?.enter(this);
    const chance = this.#world.choices.stream("data", "globals");
    const installs = [...this.#timers(), ...this.#chance(chance), ...this.#network()];
    for (const [holder, name, fake] of installs) {
      const real = Reflect.get(holder, name) as Callback;
      const value = (...args: unknown[]): unknown =>
        this.#isInside() ? fake(...(args as never[])) : Reflect.apply(real, holder, args);
      this.#replace(holder, name, value);
    }
    this.#replace(globalThis, "Date", this.#dateFor(globalThis.Date));
  }

  #uninstall(): void {
    for (const [holder, name, was] of this.#replaced.reverse()) {
      if (was === undefined) Reflect.deleteProperty(holder, name);
      else Object.defineProperty(holder, name, was);
    }
    this.#replaced.length = 0;
  }

  #isInside(): boolean {
    return this.#context === undefined || this.#context.get() === this;
  }

  #replace(holder: object, name: string, value: unknown): void {
    this.#replaced.push([holder, name, Object.getOwnPropertyDescriptor(holder, name)]);
    Object.defineProperty(holder, name, { value, configurable: true, writable: true });
  }

  /** The virtual `Date` inside of the run, the real one outside. */
  #dateFor(real: DateConstructor): DateConstructor {
    const fake = this.#wall.Date as DateConstructor;
    const dateNow = (): DateConstructor => (this.#isInside() ? fake : real);
    // A plain function, because the prototype of a class may not be answered for by a proxy.
    return new Proxy(function Date() {} as unknown as DateConstructor, {
      construct: (_target, args) => Reflect.construct(dateNow(), args) as object,
      apply: (_target, self, args) => Reflect.apply(dateNow(), self, args) as unknown,
      get: (_target, name) => Reflect.get(dateNow(), name) as unknown,
    });
  }

  #timers(): readonly Install[] {
    const set = (fn: Callback, ms?: unknown, ...args: unknown[]): unknown =>
      this.#set(fn, delayFrom(ms), args);
    const clear = (id: unknown): void => this.#clear(id);
    return [
      [globalThis, "setTimeout", set],
      [globalThis, "setImmediate", (fn: Callback, ...args: unknown[]) => this.#set(fn, 0, args)],
      [
        globalThis,
        "setInterval",
        (fn: Callback, ms?: unknown, ...args: unknown[]) => this.#repeat(fn, delayFrom(ms), args),
      ],
      [globalThis, "clearTimeout", clear],
      [globalThis, "clearImmediate", clear],
      [globalThis, "clearInterval", clear],
      [globalThis.performance, "now", () => this.#world.now],
      [AbortSignal, "timeout", (ms?: unknown) => this.#abortAfter(delayFrom(ms))],
    ];
  }

  #chance(chance: ChoiceStream): readonly Install[] {
    return [
      [Math, "random", () => chance.choose(0x40000000, "Math.random") / 0x40000000],
      [globalThis.crypto, "randomUUID", () => uuidFrom(chance)],
      [globalThis.crypto, "getRandomValues", (into: ArrayBufferView) => fill(chance, into)],
    ];
  }

  #network(): readonly Install[] {
    if (typeof REAL_FETCH !== "function" || Reflect.get(globalThis, "fetch") !== REAL_FETCH)
      return [];
    const ask = (...args: unknown[]): unknown => {
      this.onRealNetwork();
      return Reflect.apply(REAL_FETCH as Callback, globalThis, args);
    };
    return [[globalThis, "fetch", ask]];
  }

  #set(fn: Callback, ms: number, args: unknown[]): unknown {
    const owner = this.#world.owner;
    const timer: unknown = this.#fake.setTimeout(() => {
      this.#steps.delete(timer);
      this.#callDue(timer, owner, () => fn(...args));
    }, ms);
    this.#pump(timer, ms, owner);
    return timer;
  }

  #repeat(fn: Callback, ms: number, args: unknown[]): unknown {
    const owner = this.#world.owner;
    const period = Math.max(INTERVAL_MS_MIN, ms);
    const timer: unknown = this.#fake.setInterval(() => {
      if (owner?.alive === false) {
        this.#clear(timer);
        return;
      }
      this.#pump(timer, period, owner);
      this.#callDue(timer, owner, () => fn(...args));
    }, period);
    this.#pump(timer, period, owner);
    return timer;
  }

  /**
   * The world's step that fires the fake clock's next timer: one step a timer, in the same order.
   */
  #pump(timer: unknown, ms: number, owner: StepOwner | undefined): void {
    this.longestWaitMs = Math.max(this.longestWaitMs, ms);
    const step = this.#world.schedule(ms, { lane: "timers", hop: false }, () => this.#fake.next());
    this.#steps.set(timer, step);
    this.#owners.set(step, owner);
  }

  /** Calls a timer that is due as a step of its host, which may still be cleared until it runs. */
  #callDue(timer: unknown, owner: StepOwner | undefined, call: () => unknown): void {
    const step = this.#world.schedule(0, { lane: "timers", owner }, () => {
      this.#due.delete(timer);
      return call();
    });
    this.#due.set(timer, step);
  }

  #clear(id: unknown): void {
    if (id === undefined || id === null) return;
    const due = this.#due.get(id);
    if (due !== undefined) due.cancelled = true;
    this.#due.delete(id);
    const step = this.#steps.get(id);
    if (step === undefined) return;
    step.cancelled = true;
    this.#steps.delete(id);
    this.#fake.clearTimeout(id as Parameters<FakeClock["clearTimeout"]>[0]);
  }

  #abortAfter(ms: number): AbortSignal {
    const controller = new AbortController();
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    this.#set(() => controller.abort(reason), ms, []);
    return controller.signal;
  }
}

function delayFrom(ms: unknown): number {
  const number = Math.trunc(Number(ms ?? 0));
  if (Number.isNaN(number) || number < 0) return 0;
  return number > 0x7fffffff ? INTERVAL_MS_MIN : number;
}

function fill<T extends ArrayBufferView>(chance: ChoiceStream, into: T): T {
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = chance.choose(256, "random byte");
  return into;
}

function uuidFrom(chance: ChoiceStream): string {
  const bytes = fill(chance, new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [0, 8, 12, 16, 20].map((at, index, all) => hex.slice(at, all[index + 1])).join("-");
}
