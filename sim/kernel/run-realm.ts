import type { Clock as FakeClock } from "@sinonjs/fake-timers";
import {
  onUncaughtException,
  onUnhandledRejection,
  uncaughtErrorsKeepContext,
  watchAsyncResources,
} from "../../src/platform/mod.ts";
import type { Choices, ChoiceStream } from "../choices/choices.ts";
import { callPlace } from "../realm/call-place.ts";
import { FAKES } from "../realm/machine.ts";
import { installRealm } from "../realm/install.ts";
import { keepState } from "../realm/kept-state.ts";
import { fixTimeZone } from "../realm/time-zone.ts";
import { NotVirtual } from "../realm/not-virtual.ts";
import { ProcessExited } from "../realm/process-exited.ts";
import { printOutside } from "../realm/printing.ts";
import { RealWork } from "../realm/real-work.ts";
import { currentRealm, runInRealm, runOutside, setPlayingRealm } from "../realm/realm.ts";
import type { Arrival, Callback, Realm } from "../realm/realm.ts";
import type { Turn } from "./serialize.ts";
import type { Step, StepOptions, StepOwner } from "./step.ts";

/** What a realm needs from its world. */
export interface RealmWorld {
  readonly now: number;
  readonly epochMs: number;
  readonly wallMs: number;
  readonly owner: StepOwner | undefined;
  readonly choices: Choices;
  schedule(delayMs: number, options: StepOptions, fn: () => void): Step;
  fail(error: unknown): void;
  uncaught(error: unknown): void;
  /** Calls `fn` as code of this owner, unless it is dead. */
  callAs(owner: StepOwner | undefined, fn: () => void): void;
  printed(stream: "stdout" | "stderr", text: string): void;
}

/** setInterval of 0 ms fires every millisecond, as it does in reality. */
const INTERVAL_MS_MIN = 1;
const LOOP_LIMIT = 1_000_000_000;
const NO_HOST = "localhost";
/** The number of a run's first timer; the machine's own never get as large. */
const TIMER_ID_MIN = 1e12;
/** Resources that only code outside of every gate can create: it captured a function before. */
const REAL_RESOURCES =
  /^(Timeout|TCP|TLS|UDP|PIPE|GETADDRINFO|GETNAMEINFO|QUERY|HTTP|PROCESS|WORKER|FSEVENT|STATWATCHER|TTY)/;

/** Resources that end with one callback, which the next step has to wait for. */
const REQUESTS = /^(FSREQ|FILEHANDLECLOSEREQ)/;

/**
 * What the code of one run sees instead of the machine: virtual time, the run's chance, and the
 * machine's asynchronous work with time standing still.
 *
 * Holds: a timer belongs to the incarnation whose step set it and dies with it. Code that goes on
 * when the run is over sets timers that never fire.
 */
export class RunRealm implements Realm {
  readonly #world: RealmWorld;
  /** Keeps the timers; runs on the world's time. */
  readonly #fake: FakeClock;
  /** The call of a timer that is due and whose host has not run it yet. */
  readonly #due = new Map<unknown, Step>();
  readonly #steps = new Map<unknown, Step>();
  /** The timers whose number the code has asked for, which may be cleared by it. */
  readonly #numbered = new Map<number, unknown>();
  /** The number of each timer in the fake clock, which counts through all runs. */
  readonly #fakeNumbers = new WeakMap<object, number>();
  /** The timers that were cleared, which `refresh()` does not start anew. */
  readonly #cleared = new WeakSet<object>();
  #timers = 0;
  readonly #owners = new WeakMap<Step, StepOwner | undefined>();
  readonly #work = new RealWork();
  readonly #chance: ChoiceStream;
  #skewMs = 0;
  #isPlaying = false;
  /** What the code under test is called in a refusal. */
  subject = "code under test";
  /** Called with a rejection that nobody handles. */
  onRejection: (error: unknown) => void;

  constructor(world: RealmWorld) {
    this.#world = world;
    this.onRejection = (error) => world.uncaught(error);
    this.#fake = FAKES.createClock(world.epochMs, LOOP_LIMIT);
    this.#chance = world.choices.stream("data", "globals");
  }

  get monotonicMs(): number {
    return this.#world.now;
  }

  get wallMs(): number {
    return this.#world.wallMs + this.#skewMs;
  }

  get hostName(): string {
    return this.#world.owner?.name ?? NO_HOST;
  }

  /** Whether real work is under way that the next step has to wait for. */
  get isWorkPending(): boolean {
    return this.#work.isPending;
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

  choose(bound: number, label: string): number {
    return this.#isPlaying ? this.#chance.choose(bound, label) : 0;
  }

  /** Puts the clocks where the host sees them whose step begins. */
  enter(owner: StepOwner | undefined): void {
    this.#fake.now = this.#world.wallMs;
    this.#skewMs = owner?.skewMs ?? 0;
  }

  /** Runs `run` as the run in progress, with everything that ran inside of its turn. */
  async during<T>(turn: Turn, run: () => Promise<T>, hasUserCode = true): Promise<T> {
    const putBack = installRealm();
    const zone = fixTimeZone();
    const before = setPlayingRealm(this);
    this.#isPlaying = true;
    const keptState = hasUserCode ? keepState() : undefined;
    const watches = runOutside(() => this.#watch(hasUserCode));
    try {
      return await runInRealm(this, run);
    } finally {
      await turn.end();
      this.#isPlaying = false;
      runOutside(() => {
        for (const watch of watches) watch[Symbol.dispose]();
        keptState?.();
      });
      setPlayingRealm(before);
      zone();
      putBack();
    }
  }

  setTimer(fn: Callback, ms: number, args: readonly unknown[]): unknown {
    const owner = this.#world.owner;
    const timer = this.#withNumber(
      this.#fake.setTimeout(() => {
        this.#steps.delete(timer);
        this.#callDue(timer, owner, () => fn(...args));
      }, ms),
    );
    this.#pump(timer, ms, owner);
    this.#refreshable(timer, fn, ms, args);
    return timer;
  }

  setRepeating(fn: Callback, ms: number, args: readonly unknown[]): unknown {
    const owner = this.#world.owner;
    const period = Math.max(INTERVAL_MS_MIN, ms);
    const timer = this.#withNumber(
      this.#fake.setInterval(() => {
        if (owner?.alive === false) {
          this.#cancel(timer);
          return;
        }
        this.#pump(timer, period, owner);
        // Of the ticks that a stalled process has missed it gets one.
        if (!this.#due.has(timer)) this.#callDue(timer, owner, () => fn(...args));
      }, period),
    );
    this.#pump(timer, period, owner);
    return timer;
  }

  clearTimer(timer: unknown): void {
    if (timer === undefined || timer === null) return;
    const isObject = typeof timer === "object";
    const id = isObject ? timer : (this.#numbered.get(Number(timer)) ?? timer);
    if (typeof id === "object" && id !== null) this.#cleared.add(id);
    this.#cancel(id);
  }

  #cancel(id: unknown): void {
    const due = this.#due.get(id);
    if (due !== undefined) due.cancelled = true;
    this.#due.delete(id);
    const step = this.#steps.get(id);
    if (step === undefined) return;
    step.cancelled = true;
    this.#steps.delete(id);
    const fake = typeof id === "object" ? this.#fakeNumbers.get(id as object) : id;
    this.#fake.clearTimeout(fake as Parameters<FakeClock["clearTimeout"]>[0]);
  }

  beginWork(name: string): Arrival {
    if (!this.#isPlaying) return () => undefined;
    const owner = this.#world.owner;
    return this.#work.begin(
      name,
      (deliver) => this.#world.callAs(owner, deliver),
      () => owner?.alive === false,
    );
  }

  /** Delivers the next result of real work; fails the run when it takes too long. */
  async deliverWork(): Promise<void> {
    const { late, deliver } = await this.#work.next();
    deliver?.();
    if (late === undefined) return;
    this.#world.fail(new NotVirtual(this.subject, { use: `${late} for more than 30 s` }));
  }

  guarded(fn: Callback): Callback {
    return (...args) => {
      try {
        return fn(...args);
      } catch (error) {
        this.#world.uncaught(error);
        return undefined;
      }
    };
  }

  refuse(use: string, cure?: string, why?: string): Error {
    const error = new NotVirtual(this.subject, { use, where: callPlace(), cure, why });
    this.#world.fail(error);
    return error;
  }

  print(stream: "stdout" | "stderr", text: string): void {
    if (this.#isPlaying) this.#world.printed(stream, text);
    printOutside(stream, text);
  }

  exit(call: string): Error {
    const error = new ProcessExited(call);
    this.#world.uncaught(error);
    return error;
  }

  /** Watches what user code does to the process as a whole. */
  #watch(hasUserCode: boolean): readonly Disposable[] {
    const errors = [
      onUnhandledRejection((error) => this.#takes(() => this.onRejection(error))),
      onUncaughtException((error) => this.#takes(() => this.#world.uncaught(error))),
    ];
    if (!hasUserCode) return errors;
    const resources = watchAsyncResources({
      created: (type, id) => {
        if (currentRealm() !== this) return;
        if (REQUESTS.test(type)) this.#work.beginRequest(id, type);
        else if (REAL_RESOURCES.test(type)) {
          this.refuse(`a real ${type} that was captured before the run`);
        }
      },
      done: (id) => this.#work.endRequest(id),
    });
    resources?.enable();
    return [...errors, { [Symbol.dispose]: () => resources?.disable() }];
  }

  /**
   * Notes an error that nobody caught, if it is of this run's code or of a module that it loaded.
   * One of a run that is over has no consequence. False: it is somebody else's in the process.
   */
  #takes(note: () => void): boolean {
    const realm = currentRealm();
    if (realm === undefined && uncaughtErrorsKeepContext()) return false;
    if (realm === undefined || realm === this || realm.isLoading === true) note();
    return true;
  }

  /** Numbers a timer by its place in the run, where the runtime's timers are objects. */
  #withNumber(timer: unknown): unknown {
    if (typeof timer !== "object" || timer === null) return timer;
    this.#timers += 1;
    const number = TIMER_ID_MIN + this.#timers;
    this.#fakeNumbers.set(timer, Number(timer));
    return Object.assign(timer, {
      [Symbol.toPrimitive]: (): number => {
        this.#numbered.set(number, timer);
        return number;
      },
    });
  }

  /** `refresh()` starts a timer of Node anew. */
  #refreshable(timer: unknown, fn: Callback, ms: number, args: readonly unknown[]): void {
    if (typeof timer !== "object" || timer === null) return;
    Object.assign(timer, {
      refresh: (): unknown => {
        if (this.#cleared.has(timer)) return timer;
        this.#cancel(timer);
        const owner = this.#world.owner;
        const step = this.#world.schedule(ms, { lane: "timers", owner }, () => {
          this.#steps.delete(timer);
          fn(...args);
        });
        this.#steps.set(timer, step);
        this.#owners.set(step, owner);
        return timer;
      },
    });
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
      call();
    });
    this.#due.set(timer, step);
  }
}
