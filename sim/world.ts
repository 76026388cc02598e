import { invariant } from "../src/invariant.ts";
import { CLOCK_TASK, type Choices, type ChoiceStream, type Scheduler } from "./choices.ts";
import { drain } from "./drain.ts";
import { FakedGlobals } from "./faked-globals.ts";
import { Injector } from "./faults/injector.ts";
import type { Step, StepOptions, StepOwner } from "./step.ts";
import { TimerHeap } from "./timer-heap.ts";
import { Trace } from "./trace.ts";

/** How many lanes compete for "who goes first" at one instant; the others wait for a later turn. */
const RACERS_MAX = 8;
/** How far the clock may run ahead of hosts with something to do, in one run: a world recovers. */
const OVERTAKING_MS_MAX = 60_000;
/** Where a run is stopped because it will not come to rest. */
const STEPS_MAX = 100_000_000;

/**
 * Virtual time, and who moves in it.
 *
 * Holds:
 * - time moves only between steps, to the due time of the next one;
 * - equal due times of one lane run in the order in which they were scheduled, those of different
 *   lanes in an order that is a `sched` choice;
 * - before the next step all promise work of the last one has come to its end;
 * - where a scheduler races the clock, time may move on past due steps, as long as faults may
 *   strike: their owners are stalled meanwhile.
 */
export class World {
  readonly choices: Choices;
  readonly injector: Injector = new Injector();
  readonly trace: Trace;
  readonly globals: FakedGlobals;
  readonly #sched: ChoiceStream;
  readonly #scheduler: Scheduler | undefined;
  readonly #heap = new TimerHeap<Step>();
  readonly #ready: Step[] = [];
  readonly #restListeners: (() => void)[] = [];
  #now = 0;
  #sequence = 0;
  #steps = 0;
  #overtakingLeftMs = OVERTAKING_MS_MAX;
  #owner: StepOwner | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isEnded = false;

  constructor(choices: Choices, options: { readonly keepTrace: boolean }) {
    this.choices = choices;
    this.trace = new Trace(() => this.#now, { keep: options.keepTrace });
    this.#sched = choices.stream("sched", "world");
    this.#scheduler = choices.scheduler;
    this.globals = new FakedGlobals(this);
  }

  /** Virtual milliseconds since the world began. */
  get now(): number {
    return this.#now;
  }

  get steps(): number {
    return this.#steps;
  }

  /** The incarnation whose step is running; undefined in a step of the world itself. */
  get owner(): StepOwner | undefined {
    return this.#owner;
  }

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

  /** Called after each step with promise work, when all is at rest. */
  onRest(listener: () => void): Disposable {
    this.#restListeners.push(listener);
    return {
      [Symbol.dispose]: () => {
        const at = this.#restListeners.indexOf(listener);
        if (at !== -1) this.#restListeners.splice(at, 1);
      },
    };
  }

  /** Ends the run with `error` as soon as the current step is at rest: the kit itself failed. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Ends the run as soon as the current step is at rest: nobody wants to see more of it. */
  end(): void {
    this.#isEnded = true;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Runs until virtual time `untilMs`, or until nothing is scheduled any more. */
  async run(untilMs: number): Promise<void> {
    for (;;) {
      const step = this.#next(untilMs);
      if (step === undefined) break;
      this.#steps += 1;
      invariant(this.#steps <= STEPS_MAX, `A run does not end after ${STEPS_MAX} steps`);
      this.#owner = step.owner;
      this.globals.enter(step.owner);
      step.fn();
      if (step.hop) {
        await drain();
        for (const listener of this.#restListeners) listener();
      }
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isEnded) return;
    }
    this.#owner = undefined;
    this.#now = Math.max(this.#now, untilMs);
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
      const overtakenUntil = this.#whereClockLeads(untilMs);
      const step = this.#take(overtakenUntil !== undefined);
      if (step === undefined) {
        this.#stallUntil(overtakenUntil ?? this.#now);
        continue;
      }
      this.#scheduler?.took(step.lane);
      return step;
    }
  }

  /** The next due time, if the clock is a task and may leave behind what is due now. */
  #whereClockLeads(untilMs: number): number | undefined {
    if (this.#scheduler?.racesClock !== true || !this.injector.isArmed) return undefined;
    if (this.#ready.some(({ owner }) => owner?.stall === undefined)) return undefined;
    for (;;) {
      const next = this.#heap.peek();
      if (next === undefined || next.dueAt > untilMs) return undefined;
      if (!next.cancelled && next.owner?.alive !== false) {
        return next.dueAt - this.#now <= this.#overtakingLeftMs ? next.dueAt : undefined;
      }
      this.#heap.pop();
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
  }

  /** Moves what is due now from the heap to the ready list; drops what nobody waits for. */
  #gather(): void {
    for (;;) {
      const step = this.#heap.peek();
      if (step === undefined || step.dueAt > this.#now) break;
      this.#heap.pop();
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

  /** The step that goes first; undefined when it is the clock. */
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
