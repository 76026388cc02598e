import type { Clock, TimerHandle } from "../../src/time/mod.ts";
import type { ChoiceKind, ChoiceStream } from "../choices/choices.ts";
import type { Judgement } from "../faults/injector.ts";
import type { SiteName } from "../faults/site.ts";
import { type Verdict, wordsFrom } from "../faults/verdict.ts";
import { HostDied } from "../kernel/host-died.ts";
import type { Step } from "../kernel/step.ts";
import type { World } from "../kernel/world.ts";
import { errorWords } from "../trace/error-words.ts";
import type { TraceBody } from "../trace/trace.ts";
import { type Caller, type CrashVerdict, type Effect, sendCall } from "./call.ts";
import type { Network, NetworkHost } from "./network.ts";
import { RefusedCalls } from "./refused-calls.ts";
import type { WallClock } from "./wall-clock.ts";

/** The host of an incarnation. */
export interface LifeHost extends NetworkHost {
  readonly wallClock: WallClock;
  readonly world: World;
  readonly network: Network<LifeHost>;
  crash(restartAfterMs?: number): void;
  stop(): void;
  pause(ms: number): void;
}

/**
 * One incarnation of a host, from its start to its crash or stop. Everything that code on the host
 * does to the world goes through here.
 *
 * Holds: once it is dead, its timers do not fire, its calls have no effect and its promises do not
 * settle.
 */
export class Life implements Caller {
  readonly host: LifeHost;
  readonly incarnation: number;
  readonly clock: Clock;
  /** Draws the delays of this host's calls. */
  readonly latency: ChoiceStream;
  /** Called when the clock skips past due steps of this host. Unset until the host has booted. */
  stall: ((untilMs: number) => void) | undefined;
  alive = true;
  pausedUntil = 0;
  /** The longest wait that code on this host has set a timer for, in milliseconds. */
  longestWaitMs = 0;
  /** Is told that a call was refused so many times in a row and made again at once. */
  onAskedAtOnce: ((site: SiteName, times: number) => void) | undefined;
  readonly #refusedCalls = new RefusedCalls();
  readonly #deathListeners: (() => void)[] = [];

  constructor(host: LifeHost, incarnation: number) {
    this.host = host;
    this.incarnation = incarnation;
    this.clock = clockOf(this);
    this.latency = host.world.choices.stream("time", host.name);
  }

  get name(): string {
    return this.host.name;
  }

  get world(): World {
    return this.host.world;
  }

  /** How far its wall clock is ahead of the world's, in milliseconds. */
  get skewMs(): number {
    return this.host.wallClock.aheadAt(this.world.now);
  }

  get network(): Network<LifeHost> {
    return this.host.network;
  }

  choices(kind: ChoiceKind): ChoiceStream {
    return this.world.choices.stream(kind, this.name);
  }

  /** Adds an event to the trace, unless this incarnation is dead. */
  trace(body: TraceBody): void {
    if (this.alive) this.world.trace.emit(this.name, body);
  }

  onDeath(listener: () => void): void {
    this.#deathListeners.push(listener);
  }

  /** Crashes the host because of an exception that its code does not catch. */
  onUncaught(error: unknown): void {
    if (!this.alive) return;
    this.trace({ kind: "uncaught", error: errorWords(error) });
    this.host.crash();
  }

  die(): void {
    this.alive = false;
    for (const listener of this.#deathListeners) listener();
  }

  after(ms: number, fn: () => void, options: { readonly hop: boolean } = { hop: true }): Step {
    return this.world.schedule(ms, { owner: this, lane: this.name, hop: options.hop }, fn);
  }

  /**
   * Passes a named point in the code of this host, where only a crash can strike.
   *
   * @throws {HostDied} when the host crashed here, or was dead already
   */
  point(site: SiteName): void {
    if (!this.alive) throw new HostDied();
    const { verdict, rule } = this.world.injector.judge(site, this.name, this.world.now, undefined);
    if (verdict.kind === "pass") return;
    this.#traceFault(site, verdict, rule);
    if (verdict.kind !== "crash") return;
    this.crash(verdict);
    if (!this.alive) throw new HostDied();
  }

  /**
   * Calls another host, or an external system, through a site.
   *
   * `effect` is what the call does there; it is told whether a fault makes the callee answer about
   * another's, and whether it is a copy of the request that arrives late. It runs at one instant, entirely or not at all, and must
   * not start promise work; see {@linkcode callAsync}.
   *
   * Holds: the promise settles with the effect's result or error, or as the fault at this site
   * demands; it never settles if this incarnation is dead.
   *
   * @throws {CallTimedOut} when no reply arrives within 10 virtual seconds
   * @throws {ConnectionRefused} when the callee is down
   * @throws {ConnectionLost} when the callee crashes while it serves the call
   * @throws {InjectedFault} when a fault rule makes the call fail
   * @throws {TooManyRequests} when the callee refuses it because it has too much to do
   */
  call<T>(
    site: SiteName,
    to: string,
    effect: (lies: boolean, isLateCopy: boolean) => T,
  ): Promise<T> {
    return this.#send(site, to, { kind: "sync", run: effect });
  }

  /**
   * As `call`, for an effect that does promise work: a transaction of a store, or further calls.
   *
   * @throws {CallTimedOut} also when the effect does not finish in time
   */
  callAsync<T>(site: SiteName, to: string, effect: (lies: boolean) => Promise<T>): Promise<T> {
    return this.#send<T>(site, to, { kind: "async", run: effect });
  }

  /** Crashes this host, or the one that the verdict names. */
  crash(verdict: CrashVerdict): void {
    const host = verdict.host === undefined ? this.host : this.network.host(verdict.host);
    host?.crash(verdict.restartAfterMs);
  }

  refused(site: SiteName): void {
    this.#refusedCalls.refused(site, this.world.now);
  }

  #send<T>(site: SiteName, to: string, effect: Effect<T>): Promise<T> {
    if (!this.alive) return never();
    const times = this.#refusedCalls.called(site, this.world.now);
    if (times !== undefined) this.onAskedAtOnce?.(site, times);
    const judgement = this.#judge(site, to);
    if (!this.alive) return never();
    return sendCall(this, { site, to, effect, judgement });
  }

  #judge(site: SiteName, to: string): Judgement {
    const judgement = this.world.injector.judge(site, this.name, this.world.now, to);
    const { verdict, rule } = judgement;
    if (verdict.kind === "pass") return judgement;
    this.#traceFault(site, verdict, rule);
    const isOwn = verdict.kind === "crash" && verdict.who !== "callee";
    if (isOwn && verdict.when === "before") this.crash(verdict);
    return judgement;
  }

  #traceFault(site: SiteName, verdict: Verdict, rule: string): void {
    this.trace({ kind: "fault", site, verdict: wordsFrom(verdict), rule });
  }
}

function clockOf(life: Life): Clock {
  return {
    now: () => life.world.now,
    wallNow: () => life.world.wallMs + life.skewMs,
    setTimer: (ms, fn): TimerHandle => {
      life.longestWaitMs = Math.max(life.longestWaitMs, ms);
      return life.after(ms, fn);
    },
    clearTimer: (handle) => {
      (handle as Step).cancelled = true;
    },
  };
}

/** The result of a call by a dead incarnation. */
function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
