import { checkedOptions } from "../../src/checked-options.ts";
import { invariant, InvariantViolation } from "../../src/invariant.ts";
import { CLOCK_TASK, type Choices, type ChoiceStream, type Scheduler } from "../choices/choices.ts";
import { drain } from "../realm/drain.ts";
import { HostDied } from "./host-died.ts";
import { RunRealm } from "./run-realm.ts";
import { Injector } from "../faults/injector.ts";
import type { Step, StepOptions, StepOwner } from "./step.ts";
import { TimerHeap } from "./timer-heap.ts";
import { EPOCH_MS } from "../trace/epoch.ts";
import { Trace } from "../trace/trace.ts";

/** How many lanes compete to run first at one instant; the others wait for a later choice. */
const RACERS_MAX = 8;
/** Total virtual time per run that the clock may skip past due steps. */
const OVERTAKING_MS_MAX = 60_000;
/** A run that takes more steps than this is stopped as one that never ends. */
const STEPS_MAX = 100_000_000;
/** So much of each text that code prints is kept in the trace. */
const OUTPUT_TEXT_MAX = 500;

/**
 * A simulated world: virtual time, the steps that are scheduled in it, and its trace.
 *
 * Units: virtual milliseconds since the world began.
 * Holds:
 * - time moves only between steps, to the due time of the next step;
 * - steps of one lane that are due at the same time run in the order in which they were scheduled;
 *   among lanes the order is a `sched` choice;
 * - all promise work of a step has finished before the next step runs;
 * - where the scheduler races the clock, time may skip past due steps during the safety phase, and
 *   their owners are stalled meanwhile.
 *
 * @example
 * ```ts
 * import { SeededChoices, World } from "faultlane/sim";
 *
 * const world = new World(new SeededChoices(7), { keepTrace: true });
 * world.schedule(250, { lane: "orders" }, () => console.log(world.now)); // => 250
 * await world.run(1_000);
 * console.log(world.now); // => 1000
 * ```
 */
export class World {
  /** The source of all nondeterminism. */
  readonly choices: Choices;
  /**
   * Decides which calls a fault strikes.
   *
   * @internal
   */
  readonly injector: Injector = new Injector();
  /** The record of the run. */
  readonly trace: Trace;
  /** The wall time at which the world begins, in milliseconds since the Unix epoch. */
  readonly epochMs: number;
  /**
   * What code under test sees instead of the machine.
   *
   * @internal
   */
  readonly realm: RunRealm;
  readonly #sched: ChoiceStream;
  readonly #scheduler: Scheduler | undefined;
  readonly #heap = new TimerHeap<Step>();
  readonly #ready: Step[] = [];
  readonly #restListeners: (() => void)[] = [];
  #callsAtRest: (() => void)[] = [];
  /** Steps that wait for the end of a pause, and whose pause it is. */
  readonly #postponed = new Map<Step, StepOwner>();
  #now = 0;
  #sequence = 0;
  #steps = 0;
  #overtakingLeftMs = OVERTAKING_MS_MAX;
  #owner: StepOwner | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isEnded = false;

  /**
   * Creates a world at time 0; the options are those of its {@linkcode Trace}.
   *
   * @throws {TypeError} when an option is unknown
   */
  constructor(
    choices: Choices,
    options: {
      readonly keepTrace: boolean;
      readonly digest?: boolean | undefined;
      readonly epochMs?: number | undefined;
    },
  ) {
    checkedOptions(options, ["keepTrace", "digest", "epochMs"], "World");
    this.choices = choices;
    this.epochMs = options.epochMs ?? EPOCH_MS;
    this.trace = new Trace(() => this.#now, { keep: options.keepTrace, digest: options.digest });
    this.#sched = choices.stream("sched", "world");
    this.#scheduler = choices.scheduler;
    this.realm = new RunRealm(this);
  }

  /** What right clocks show, in milliseconds since the Unix epoch. */
  get wallMs(): number {
    return this.epochMs + this.#now;
  }

  /** Virtual milliseconds since the world began. */
  get now(): number {
    return this.#now;
  }

  /** How many steps have run. */
  get steps(): number {
    return this.#steps;
  }

  /** The host incarnation whose step is running; undefined in a step of the world itself. */
  get owner(): StepOwner | undefined {
    return this.#owner;
  }

  /** Schedules `fn` to run `delayMs` from now. Set `cancelled` on the returned step to cancel it. */
  schedule(delayMs: number, options: StepOptions, fn: () => void): Step {
    const step: Step = {
      dueAt: this.#now + Math.max(0, delayMs),
      sequence: this.#sequence++,
      owner: options.owner,
      lane: options.lane,
      fn,
      hop: options.hop ?? true,
      cancelled: false,
    };
    this.#heap.push(step);
    return step;
  }

  /** Schedules a step of the world itself for the end of the pause of `owner`. */
  scheduleAtResume(owner: StepOwner, options: StepOptions, fn: () => void): void {
    const step = this.schedule(owner.pausedUntil - this.#now, options, fn);
    this.#postponed.set(step, owner);
  }

  /** Makes what waits for the end of the pause of `owner` due now; the caller ends the pause. */
  resume(owner: StepOwner): void {
    for (const [step, awaited] of this.#postponed) {
      if (awaited !== owner) continue;
      this.#postponed.delete(step);
      step.dueAt = this.#now;
      step.sequence = this.#sequence++;
    }
    this.#heap.reorder();
  }

  /** Calls `fn` once, after the next step with promise work, when that work has finished. */
  callAtRest(fn: () => void): void {
    this.#callsAtRest.push(fn);
  }

  /** Calls `listener` after each step with promise work, once that work has finished. */
  onRest(listener: () => void): Disposable {
    this.#restListeners.push(listener);
    return {
      [Symbol.dispose]: () => {
        const at = this.#restListeners.indexOf(listener);
        if (at !== -1) this.#restListeners.splice(at, 1);
      },
    };
  }

  /** Makes `run` reject with `error` after the current step: for errors of the simulator itself. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /**
   * Reports an exception that nobody caught: the host crashes whose code threw it. In the world's
   * own code it fails the run.
   *
   * @internal
   */
  uncaught(error: unknown): void {
    if (this.#failure !== undefined || error instanceof HostDied) return;
    const owner = this.#owner;
    if (owner?.onUncaught === undefined || error instanceof InvariantViolation) this.fail(error);
    else owner.onUncaught(error);
  }

  /**
   * Calls `fn` as code of this owner, unless it is dead.
   *
   * @internal
   */
  callAs(owner: StepOwner | undefined, fn: () => void): void {
    if (owner?.alive === false) return;
    this.#owner = owner;
    this.realm.enter(owner);
    this.#call(fn);
  }

  /**
   * Notes what code under test prints.
   *
   * @internal
   */
  printed(stream: "stdout" | "stderr", text: string): void {
    const body = { kind: "output", stream, text: text.slice(0, OUTPUT_TEXT_MAX) } as const;
    this.trace.emit(this.#owner?.name ?? "code", body);
  }

  /** Ends the run early, after the current step. */
  end(): void {
    this.#isEnded = true;
  }

  /** Whether `end` was called. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Runs all steps that are due up to virtual time `untilMs`; then `now` is at least `untilMs`.
   *
   * @throws {InvariantViolation} when the run takes more than 100 million steps
   */
  async run(untilMs: number): Promise<void> {
    if (this.realm.isWorkPending) await this.#finishWork();
    for (;;) {
      const step = this.#next(untilMs);
      if (step === undefined) break;
      this.#steps += 1;
      invariant(this.#steps <= STEPS_MAX, `The run has not ended after ${STEPS_MAX} steps`);
      this.#owner = step.owner;
      this.realm.enter(step.owner);
      this.#call(step.fn);
      if (step.hop) {
        await drain();
        if (this.realm.isWorkPending) await this.#finishWork();
        for (const listener of this.#restListeners) listener();
        if (this.#callsAtRest.length > 0) this.#makeCallsAtRest();
      }
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isEnded) return;
    }
    this.#owner = undefined;
    this.#now = Math.max(this.#now, untilMs);
  }

  #makeCallsAtRest(): void {
    const calls = this.#callsAtRest;
    this.#callsAtRest = [];
    for (const call of calls) call();
  }

  #call(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      this.uncaught(error);
    }
  }

  /** Waits for real asynchronous work, and for what its results begin; time stands still. */
  async #finishWork(): Promise<void> {
    while (this.realm.isWorkPending && this.#failure === undefined) {
      await this.realm.deliverWork();
      await drain();
    }
  }

  #next(untilMs: number): Step | undefined {
    for (;;) {
      if (this.#ready.length === 0) {
        const first = this.#heap.peek();
        if (first === undefined || first.dueAt > untilMs) return undefined;
        this.#now = first.dueAt;
      }
      this.#gather();
      if (this.#ready.length === 0) continue;
      const overtakenUntil = this.#nextTimeIfClockRaces(untilMs);
      const step = this.#take(overtakenUntil !== undefined);
      if (step === undefined) {
        this.#stallUntil(overtakenUntil ?? this.#now);
        continue;
      }
      this.#scheduler?.took(step.lane);
      return step;
    }
  }

  /** Returns the next due time if the clock is a task and may skip past the steps due now. */
  #nextTimeIfClockRaces(untilMs: number): number | undefined {
    if (this.#scheduler?.racesClock !== true || !this.injector.isArmed) return undefined;
    if (this.#ready.some(({ owner }) => owner?.stall === undefined)) return undefined;
    for (;;) {
      const next = this.#heap.peek();
      if (next === undefined || next.dueAt > untilMs) return undefined;
      if (!next.cancelled && next.owner?.alive !== false) {
        return next.dueAt - this.#now <= this.#overtakingLeftMs ? next.dueAt : undefined;
      }
      this.#heap.pop();
      this.#postponed.delete(next);
    }
  }

  #stallUntil(ms: number): void {
    this.#overtakingLeftMs -= ms - this.#now;
    const overtaken = this.#ready.splice(0);
    for (const owner of new Set(overtaken.map(({ owner }) => owner))) owner?.stall?.(ms);
    for (const step of overtaken) this.#postpone(step, ms);
  }

  #postpone(step: Step, untilMs: number): void {
    step.dueAt = untilMs;
    step.sequence = this.#sequence++;
    this.#heap.push(step);
    if (step.owner !== undefined) this.#postponed.set(step, step.owner);
  }

  /** Moves due steps from the heap to the ready list; drops cancelled steps and those of the dead. */
  #gather(): void {
    for (;;) {
      const step = this.#heap.peek();
      if (step === undefined || step.dueAt > this.#now) break;
      this.#heap.pop();
      if (this.#postponed.size > 0) this.#postponed.delete(step);
      if (step.cancelled) continue;
      const owner = step.owner;
      if (owner !== undefined) {
        if (!owner.alive) continue;
        if (owner.pausedUntil > this.#now) {
          this.#postpone(step, owner.pausedUntil);
          continue;
        }
      }
      this.#ready.push(step);
    }
    this.#dropStale();
  }

  #dropStale(): void {
    const ready = this.#ready;
    for (let at = ready.length - 1; at >= 0; at -= 1) {
      const step = ready[at] as Step;
      if (step.cancelled || step.owner?.alive === false) ready.splice(at, 1);
    }
  }

  /** Takes the step that runs first off the ready list; undefined when the clock comes first. */
  #take(isClockRacing: boolean): Step | undefined {
    const ready = this.#ready;
    const first = ready[0] as Step;
    if (ready.length === 1 && !isClockRacing) {
      ready.length = 0;
      return first;
    }
    const racers: number[] = [0];
    const lanes = new Set([first.lane]);
    for (let at = 1; at < ready.length && racers.length < RACERS_MAX; at += 1) {
      const { lane } = ready[at] as Step;
      if (lanes.has(lane)) continue;
      lanes.add(lane);
      racers.push(at);
    }
    const chosen = racers[this.#choose([...lanes], first.lane, isClockRacing)];
    return chosen === undefined ? undefined : ready.splice(chosen, 1)[0];
  }

  #choose(lanes: readonly string[], label: string, isClockRacing: boolean): number {
    if (this.#scheduler === undefined) return this.#sched.choose(lanes.length, label);
    const tasks = isClockRacing ? [...lanes, CLOCK_TASK] : lanes;
    return tasks.length === 1 ? 0 : this.#scheduler.choose(tasks, label);
  }
}
