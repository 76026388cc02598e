import type { Clock, TimerHandle } from "../../src/time/mod.ts";
import type { ChoiceKind, ChoiceStream } from "../choices.ts";
import { InjectedFault, type Judgement } from "../faults/injector.ts";
import type { SiteName } from "../faults/site.ts";
import { type Verdict, wordsFrom } from "../faults/verdict.ts";
import type { TraceBody } from "../trace.ts";
import { EPOCH_MS } from "../virtual-clock.ts";
import type { Step, StepOwner } from "../step.ts";
import type { World } from "../world.ts";
import type { Network } from "./network.ts";

/** How long a caller waits for an answer that does not come. */
const CALL_TIMEOUT_MS = 10_000;

/**
 * One-way delays in milliseconds, calm first; skewed by a table, because `Math.log` differs by
 * engine.
 */
const LATENCY_MS = [1, 1, 2, 2, 3, 5, 8, 21] as const;

/** A call whose answer did not come in time; whether the effect landed is unknown. */
export class CallTimedOut extends Error {
  override readonly name = "CallTimedOut";
  readonly site: string;

  constructor(site: string) {
    super(`No answer at "${site}" within ${CALL_TIMEOUT_MS} ms`);
    this.site = site;
  }
}

/** The other side of a call is down. */
export class ConnectionRefused extends Error {
  override readonly name = "ConnectionRefused";
  readonly site: string;

  constructor(site: string, host: string) {
    super(`Cannot reach "${host}" at "${site}": the host is down`);
    this.site = site;
  }
}

/** Unwinds the code of an incarnation that has just died; nobody is left to see it. */
export class HostDied extends Error {
  override readonly name = "HostDied";
}

/**
 * Brings a host to life: called at the first start and at each restart, with a fresh incarnation.
 */
export type Boot = (life: Life) => void;

export interface HostOptions {
  /** Restarted by itself so long after a crash; undefined: stays down until told. */
  readonly restartAfterMs?: number;
}

/**
 * A machine or process: made from a factory, because it will be restarted.
 *
 * Holds: a crashed incarnation is dead for good; its timers do not fire, its calls do not land, its
 * promises do not settle.
 */
export class Host {
  readonly name: string;
  readonly world: World;
  readonly network: Network<Host>;
  readonly #boot: Boot;
  readonly #restartAfterMs: number | undefined;
  #life: Life | undefined;
  #incarnation = 0;
  #skewMs = 0;

  constructor(
    world: World,
    network: Network<Host>,
    name: string,
    boot: Boot,
    options: HostOptions = {},
  ) {
    this.world = world;
    this.network = network;
    this.name = name;
    this.#boot = boot;
    this.#restartAfterMs = options.restartAfterMs;
    network.add(this);
  }

  get life(): Life | undefined {
    return this.#life;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  start(): void {
    if (this.#life !== undefined) return;
    const state = this.#incarnation === 0 ? "start" : "restart";
    this.#incarnation += 1;
    const life = new Life(this, this.#incarnation, this.#skewMs);
    this.#life = life;
    life.trace({ kind: "host", state, incarnation: this.#incarnation });
    this.world.schedule(0, { owner: life, lane: this.name }, () => {
      life.stall = (untilMs) => this.pause(untilMs - this.world.now);
      this.#boot(life);
    });
  }

  /**
   * Dies here and now; comes back after `restartAfterMs`, or its own default, if either is given.
   */
  crash(restartAfterMs: number | undefined = this.#restartAfterMs): void {
    const life = this.#life;
    if (life === undefined) return;
    life.trace({ kind: "host", state: "crash", incarnation: life.incarnation });
    this.world.injector.count(`crash ${this.name}`);
    this.#life = undefined;
    life.die();
    if (restartAfterMs !== undefined) this.startAfter(restartAfterMs);
  }

  /** Ends here and now as it was meant to: no fault, and nothing restarts it. */
  stop(): void {
    const life = this.#life;
    if (life === undefined) return;
    life.trace({ kind: "host", state: "stop", incarnation: life.incarnation });
    this.#life = undefined;
    life.die();
  }

  startAfter(ms: number): void {
    this.world.schedule(ms, { lane: this.name, hop: false }, () => this.start());
  }

  /** A stall without a crash: nothing of this host runs for `ms`, then everything that is due. */
  pause(ms: number): void {
    const life = this.#life;
    if (life === undefined) return;
    life.pausedUntil = Math.max(life.pausedUntil, this.world.now + ms);
    const { incarnation, pausedUntil: until } = life;
    life.trace({ kind: "host", state: "pause", incarnation, until });
    this.world.injector.count(`pause ${this.name}`);
  }

  /** Moves the host's wall clock by `ms`; its monotonic clock does not notice. */
  step(ms: number): void {
    this.#skewMs += ms;
    this.world.injector.count(`clock step ${this.name}`);
    if (this.#life === undefined) return;
    this.#life.skewMs = this.#skewMs;
    this.#life.trace({ kind: "host", state: "skew", incarnation: this.#life.incarnation });
  }
}

/** Takes the end of a call back to its caller. */
type Answer = (settle: () => void) => void;

interface Sending {
  readonly site: SiteName;
  readonly to: string;
  /** Whether the arrival starts promise work. */
  readonly hop: boolean;
  readonly judgement: Judgement;
  readonly land: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One incarnation of a host: everything that it may do to the world goes through here.
 */
export class Life implements StepOwner {
  readonly host: Host;
  readonly incarnation: number;
  /** The clock overtakes it: a pause. Not while it boots, when others take it for up. */
  stall: ((untilMs: number) => void) | undefined;
  readonly clock: Clock;
  alive = true;
  pausedUntil = 0;
  skewMs: number;
  readonly #latency: ChoiceStream;
  readonly #deathListeners: (() => void)[] = [];

  constructor(host: Host, incarnation: number, skewMs: number) {
    this.host = host;
    this.incarnation = incarnation;
    this.skewMs = skewMs;
    this.clock = clockOf(this);
    this.#latency = host.world.choices.stream("time", host.name);
  }

  get name(): string {
    return this.host.name;
  }

  get world(): World {
    return this.host.world;
  }

  choices(kind: ChoiceKind): ChoiceStream {
    return this.world.choices.stream(kind, this.name);
  }

  /** Records what happened here; what the dead do leaves no trace. */
  trace(body: TraceBody): void {
    if (this.alive) this.world.trace.emit(this.name, body);
  }

  onDeath(listener: () => void): void {
    this.#deathListeners.push(listener);
  }

  die(): void {
    this.alive = false;
    for (const listener of this.#deathListeners) listener();
  }

  after(ms: number, fn: () => void, options: { readonly hop: boolean } = { hop: true }): Step {
    return this.world.schedule(ms, { owner: this, lane: this.name, hop: options.hop }, fn);
  }

  /**
   * Passes a named point inside this host, where only a crash can strike.
   *
   * @throws {HostDied} when it did
   */
  point(site: SiteName): void {
    if (!this.alive) throw new HostDied();
    const { verdict, rule } = this.world.injector.judge(site, this.name, this.world.now, true);
    if (verdict.kind === "pass") return;
    this.#traceFault(site, verdict, rule);
    if (verdict.kind !== "crash") return;
    this.#crash(verdict);
    if (!this.alive) throw new HostDied();
  }

  /**
   * Calls another host, or a part of the outside world, through a site.
   *
   * `effect` is what the call does there; it runs at one instant, whole or not at all, and starts
   * no
   * promise work of its own. The promise settles with its result, with its error, with what a fault
   * made of it, or (for a caller that has died) never.
   */
  call<T>(site: SiteName, to: string, effect: () => T): Promise<T> {
    if (!this.alive) return never();
    const judgement = this.#judged(site);
    if (!this.alive) return never();
    return new Promise((resolve, reject) => {
      const land = (answer: Answer): void => {
        this.#land(site, effect, judgement, answer, resolve, reject);
      };
      this.#send({ site, to, hop: false, judgement, land, reject });
    });
  }

  /**
   * Calls another host whose answer takes promise work: a transaction of a store, or calls of its
   * own. What only takes promise work is still over at one instant.
   *
   * The promise settles as that of `call`, and with {@linkcode CallTimedOut} when the other side
   * does not come to an answer.
   */
  ask<T>(site: SiteName, to: string, effect: () => Promise<T>): Promise<T> {
    if (!this.alive) return never();
    const judgement = this.#judged(site);
    if (!this.alive) return never();
    return new Promise((resolve, reject) => {
      const land = (answer: Answer): void => {
        this.#landAsking(site, effect, judgement, answer, resolve, reject);
      };
      this.#send({ site, to, hop: true, judgement, land, reject });
    });
  }

  #judged(site: SiteName): Judgement {
    const judgement = this.world.injector.judge(site, this.name, this.world.now);
    const { verdict, rule } = judgement;
    if (verdict.kind === "pass") return judgement;
    this.#traceFault(site, verdict, rule);
    if (verdict.kind === "crash" && verdict.when === "before") this.#crash(verdict);
    return judgement;
  }

  #send({ site, to, hop, judgement: { verdict, rule }, land, reject }: Sending): void {
    const { network } = this.host;
    const timeOut = (): void => {
      this.after(CALL_TIMEOUT_MS, () => reject(new CallTimedOut(site)));
    };
    if (verdict.kind === "drop" && verdict.what === "request") {
      timeOut();
      return;
    }
    const answer = (settle: () => void): void => {
      if (verdict.kind === "drop") timeOut();
      else network.carry(to, this.name, this.#delay(), this, settle, timeOut, true);
    };
    const arrive = (): void => {
      if (verdict.kind === "fail" && verdict.when === "before") {
        answer(() => reject(new InjectedFault(site, rule)));
        return;
      }
      if (!network.isUp(to)) {
        answer(() => reject(new ConnectionRefused(site, to)));
        return;
      }
      network.whenAwake(to, () => land(answer), timeOut);
    };
    const extra = verdict.kind === "delay" ? verdict.ms : 0;
    network.carry(this.name, to, this.#delay() + extra, this, arrive, timeOut, hop);
  }

  #land<T>(
    site: SiteName,
    effect: () => T,
    { verdict, rule }: Judgement,
    answer: Answer,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): void {
    if (!this.alive) return;
    let settle: () => void;
    try {
      const value = effect();
      if (verdict.kind === "duplicate") effect();
      settle = () => resolve(value);
    } catch (error) {
      settle = () => reject(error);
    }
    if (verdict.kind === "fail") settle = () => reject(new InjectedFault(site, rule));
    if (verdict.kind === "crash") this.#crash(verdict);
    answer(settle);
  }

  #landAsking<T>(
    site: SiteName,
    effect: () => Promise<T>,
    { verdict, rule }: Judgement,
    answer: Answer,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): void {
    if (!this.alive) return;
    const tooLate = this.after(CALL_TIMEOUT_MS, () => reject(new CallTimedOut(site)));
    const settle = (end: () => void): void => {
      if (tooLate.cancelled) return;
      tooLate.cancelled = true;
      if (verdict.kind === "crash" && this.alive) this.#crash(verdict);
      answer(verdict.kind === "fail" ? () => reject(new InjectedFault(site, rule)) : end);
    };
    const effects = verdict.kind === "duplicate" ? [effect(), effect()] : [effect()];
    Promise.all(effects).then(
      ([value]) => settle(() => resolve(value as T)),
      (error: unknown) => settle(() => reject(error)),
    );
  }

  #crash(verdict: Extract<Verdict, { kind: "crash" }>): void {
    const host = verdict.host === undefined ? this.host : this.host.network.host(verdict.host);
    host?.crash(verdict.restartAfterMs);
  }

  #traceFault(site: SiteName, verdict: Verdict, rule: string): void {
    this.trace({ kind: "fault", site, verdict: wordsFrom(verdict), rule });
  }

  #delay(): number {
    return LATENCY_MS[this.#latency.choose(LATENCY_MS.length, "latency")] as number;
  }
}

function clockOf(life: Life): Clock {
  return {
    now: () => life.world.now,
    wallNow: () => EPOCH_MS + life.world.now + life.skewMs,
    setTimer: (ms, fn): TimerHandle => life.after(ms, fn),
    clearTimer: (handle) => {
      (handle as Step).cancelled = true;
    },
  };
}

/** What a dead caller waits for. */
function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
