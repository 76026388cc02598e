import { createAsyncContext } from "../../src/platform/mod.ts";

/** A function of user code that was passed to a timer, or waits for real work. */
export type Callback = (...args: unknown[]) => unknown;

/** Called when real asynchronous work is done, with what hands its result to the code. */
export type Arrival = (deliver: () => void) => void;

/**
 * What the code of one run sees instead of the machine: the gates ask the realm of the task that
 * called them.
 *
 * Units: milliseconds.
 */
export interface Realm {
  /** Time since the run began. */
  readonly monotonicMs: number;
  /** The wall clock of the host whose code runs, since the Unix epoch. */
  readonly wallMs: number;
  /** The host whose code runs. */
  readonly hostName: string;
  /** Whether it is no run yet: a module is being loaded. */
  readonly isLoading?: boolean;
  /** Returns a whole number from 0 and below `bound`, drawn from the run's choices. */
  choose(bound: number, label: string): number;
  /** Sets a virtual timer; returns the runtime's own kind of timer object. */
  setTimer(fn: Callback, ms: number, args: readonly unknown[]): unknown;
  setRepeating(fn: Callback, ms: number, args: readonly unknown[]): unknown;
  clearTimer(timer: unknown): void;
  /**
   * Begins real asynchronous work, such as a digest of the thread pool. Virtual time stands still
   * until it is done, and results are delivered in the order of the beginnings.
   */
  beginWork(name: string): Arrival;
  /** Returns `fn` with what it throws reported as an uncaught exception of its host. */
  guarded(fn: Callback): Callback;
  /**
   * Returns the error to throw for the use of something real that no run can observe; `cure` says
   * what to use instead, and `why` what is wrong with it if it is something else.
   */
  refuse(use: string, cure?: string, why?: string): Error;
  /** Notes what the code prints, and prints it where it does not disturb. */
  print(stream: "stdout" | "stderr", text: string): void;
  /** Returns the error to throw for a call that would end the process. */
  exit(call: string): Error;
}

const OUTSIDE = Symbol("outside of every realm");

const context = createAsyncContext<Realm | typeof OUTSIDE>();
let playing: Realm | undefined;
let isExclusive = false;

/**
 * Returns the realm of the running code; undefined outside of every run.
 *
 * Without an async context (a browser) it is that of the run in progress. In an exclusive process
 * it is so, too, for code that lost its context.
 */
export function currentRealm(): Realm | undefined {
  if (context === undefined) return playing;
  const own = context.get();
  if (own === OUTSIDE) return undefined;
  return own ?? (isExclusive ? playing : undefined);
}

/**
 * As `currentRealm`, but undefined when that run is over, and for code that lost its async context.
 */
export function playingRealm(): Realm | undefined {
  if (context === undefined) return playing;
  return context.get() === playing ? playing : undefined;
}

/** Calls `fn` inside of the realm, which is the realm of all that `fn` starts. */
export function runInRealm<T>(realm: Realm, fn: () => T): T {
  return context === undefined ? fn() : context.run(realm, fn);
}

/** Calls `fn` with the machine itself, for the kit's own needs in the middle of a run. */
export function runOutside<T>(fn: () => T): T {
  if (context !== undefined) return context.run(OUTSIDE, fn);
  const was = playing;
  playing = undefined;
  try {
    return fn();
  } finally {
    playing = was;
  }
}

/** Returns the error to throw for a call that would end the process, "process.exit(0)". */
export type ExitGuard = (call: string) => Error;

const exitGuard = createAsyncContext<ExitGuard>();

/** Calls `fn` with the machine itself, but neither it nor what it starts can end the process. */
export function runWithoutExit<T>(guard: ExitGuard, fn: () => T): T {
  return exitGuard === undefined ? fn() : exitGuard.run(guard, fn);
}

/** Returns what a call that would end the process has to ask; undefined where it may end it. */
export function currentExitGuard(): ExitGuard | undefined {
  return exitGuard?.get();
}

/** Returns what a run has of something, which is created when the run first asks for it. */
export function perRealm<T extends object>(create: () => T): (realm: Realm) => T {
  const known = new WeakMap<Realm, T>();
  return (realm) => {
    let own = known.get(realm);
    if (own === undefined) known.set(realm, (own = create()));
    return own;
  };
}

/** Notes which run is in progress; returns the one before. */
export function setPlayingRealm(realm: Realm | undefined): Realm | undefined {
  const before = playing;
  playing = realm;
  return before;
}

/**
 * Says that this process does nothing beside the runs, as the command line: whatever code runs
 * during a run belongs to it, even if it lost its async context (`AsyncResource.bind` at import).
 */
export function makeRealmExclusive(): void {
  isExclusive = true;
}

/** Whether whatever runs during a run belongs to it. */
export function isRealmExclusive(): boolean {
  return isExclusive;
}
