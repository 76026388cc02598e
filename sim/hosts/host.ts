import type { World } from "../kernel/world.ts";
import type { TraceEvent } from "../trace/trace.ts";
import { Life, type LifeHost } from "./life.ts";
import type { Network } from "./network.ts";
import { WallClock, type WallClockError } from "./wall-clock.ts";

/** Starts the host's program: called at each start and restart, with the new incarnation. */
export type Boot = (life: Life) => void;

/**
 * What a host is for. `service`: it runs from the start of the world. `worker`: it runs what it is
 * assigned, also from the start. `child`: a process that only its supervisor starts.
 * `attempt`: a process that runs once; what goes on after a crash is another host.
 */
export type HostRole = "service" | "worker" | "child" | "attempt";

/** What the trace of a crash adds. */
type CrashWords = Pick<Extract<TraceEvent, { kind: "host" }>, "isHalfOpen" | "held">;

export interface HostOptions {
  /** Default "service". */
  readonly role?: HostRole;
  /** How long after a crash the host restarts; undefined: it stays down until `start`. */
  readonly restartAfterMs?: number;
  /** The host whose machine it runs on, with its clock; default: a machine of its own. */
  readonly machine?: Host;
}

/**
 * A machine or process that can crash, restart, pause and have a wrong wall clock.
 *
 * It takes a `boot` function, because each incarnation starts its program again. A crashed
 * incarnation never comes back; see {@linkcode Life}.
 */
export class Host implements LifeHost {
  readonly name: string;
  readonly role: HostRole;
  readonly world: World;
  readonly network: Network<Host>;
  readonly #boot: Boot;
  readonly #restartAfterMs: number | undefined;
  #life: Life | undefined;
  #incarnation = 0;
  #isHalfOpen = false;
  readonly wallClock: WallClock;
  readonly #machine: Host | undefined;
  /** Hosts that run on this one's machine. */
  readonly #processes: Host[] = [];

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
    this.role = options.role ?? "service";
    this.#boot = boot;
    this.#restartAfterMs = options.restartAfterMs;
    this.#machine = options.machine;
    this.wallClock = options.machine?.wallClock ?? new WallClock();
    if (options.machine !== undefined) options.machine.#processes.push(this);
    network.add(this);
  }

  /** The incarnation that is up; undefined while the host is down. */
  get life(): Life | undefined {
    return this.#life;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  /** Whether it is down and its peers were not told: they wait until their calls time out. */
  get isHalfOpen(): boolean {
    return this.#isHalfOpen;
  }

  /** Starts or restarts the host, if it is down. */
  start(): void {
    if (this.#life !== undefined) return;
    this.#isHalfOpen = false;
    const state = this.#incarnation === 0 ? "start" : "restart";
    this.#incarnation += 1;
    const life = new Life(this, this.#incarnation);
    this.#life = life;
    life.trace({ kind: "host", state, incarnation: this.#incarnation });
    this.world.schedule(0, { owner: life, lane: this.name }, () => {
      life.stall = (untilMs) => this.pause(untilMs - this.world.now);
      this.#boot(life);
    });
  }

  /** Crashes the host, and restarts it after `restartAfterMs`, unless that is undefined or it runs once. */
  crash(restartAfterMs: number | undefined = this.#restartAfterMs): void {
    this.#crash(restartAfterMs, this.#isHalfOpen ? { isHalfOpen: true } : {});
  }

  /** As `crash`, because its process held too much: `held` raw events. */
  runOutOfMemory(held: number, restartAfterMs: number): void {
    this.world.injector.count(`out of memory ${this.name}`);
    this.#crash(restartAfterMs, { held });
  }

  #crash(restartAfterMs: number | undefined, why: CrashWords): void {
    const life = this.#life;
    if (life === undefined) return;
    life.trace({ kind: "host", state: "crash", incarnation: life.incarnation, ...why });
    this.world.injector.count(`crash ${this.name}`);
    this.#life = undefined;
    life.die();
    if (restartAfterMs === undefined || this.role === "attempt") return;
    this.startAfter(restartAfterMs);
  }

  /** As `crash`, but its connections stay half-open: calls to it are not refused, they time out. */
  vanish(restartAfterMs: number | undefined = this.#restartAfterMs): void {
    if (this.#life === undefined) return;
    this.#isHalfOpen = true;
    this.world.injector.count(`half-open ${this.name}`);
    this.crash(restartAfterMs);
  }

  /** Stops the host: not counted as a fault, and nothing restarts it. */
  stop(): void {
    const life = this.#life;
    if (life === undefined) return;
    life.trace({ kind: "host", state: "stop", incarnation: life.incarnation });
    this.#life = undefined;
    life.die();
  }

  /** Starts the host after `ms`. */
  startAfter(ms: number): void {
    this.world.schedule(ms, { lane: this.name, hop: false }, () => this.start());
  }

  /** Stalls the host without a crash: none of its steps runs for `ms`, then all that are due. */
  pause(ms: number): void {
    const life = this.#life;
    if (life === undefined) return;
    life.pausedUntil = Math.max(life.pausedUntil, this.world.now + ms);
    const { incarnation, pausedUntil: until } = life;
    life.trace({ kind: "host", state: "pause", incarnation, until });
    this.world.injector.count(`pause ${this.name}`);
  }

  /** Ends a pause: all steps that are due run now. */
  resume(): void {
    const life = this.#life;
    if (life === undefined || life.pausedUntil <= this.world.now) return;
    life.pausedUntil = this.world.now;
    life.trace({ kind: "host", state: "resume", incarnation: life.incarnation });
    this.world.resume(life);
  }

  /** Steps the wall clock of its machine by `ms`; monotonic clocks are not affected. */
  step(ms: number): void {
    this.#misadjust("clock step", () => this.wallClock.step(ms, this.world.now));
  }

  /** Lets the wall clock of its machine run fast by `ppm` millionths from now on. */
  drift(ppm: number): void {
    this.#misadjust("clock drift", () => this.wallClock.drift(ppm, this.world.now));
  }

  #misadjust(fault: string, change: () => WallClockError): void {
    const machine = this.#machine ?? this;
    this.world.injector.count(`${fault} ${this.name}`);
    const body = { kind: "host", state: "skew", ...change() } as const;
    for (const { name, incarnation } of [machine, ...machine.#processes]) {
      this.world.trace.emit(name, { ...body, incarnation });
    }
  }

  /** How often it was started. */
  get incarnation(): number {
    return this.#incarnation;
  }
}
