import type { ChoiceStream } from "../choices/choices.ts";
import {
  DATABASE_ERRORS,
  DatabaseError,
  type DatabaseErrorName,
} from "../faults/database-error.ts";
import { InjectedFault, type Judgement } from "../faults/injector.ts";
import { type SiteName, STORE_TRANSACTIONS, TRANSACTIONS } from "../faults/site.ts";
import type { Verdict } from "../faults/verdict.ts";
import type { Step, StepOwner } from "../kernel/step.ts";
import type { World } from "../kernel/world.ts";
import { FAULT_WORDS } from "../trace/fault-words.ts";
import type { Network, NetworkHost } from "./network.ts";

/** How long a caller waits for a reply, in virtual milliseconds. */
const CALL_TIMEOUT_MS = 10_000;

/**
 * One-way delays in milliseconds, the calm one first. A table, because `Math.log` differs between
 * JavaScript engines.
 */
const LATENCY_MS = [1, 1, 2, 2, 3, 5, 8, 21] as const;

/** A call whose reply did not arrive in time; its effect may or may not have taken place. */
export class CallTimedOut extends Error {
  override readonly name = "CallTimedOut";
  /** The code that Node gives such an error. */
  readonly code = "ETIMEDOUT";
  readonly site: string;

  constructor(site: string) {
    super(`No reply at "${site}" within ${CALL_TIMEOUT_MS} ms`);
    this.site = site;
  }
}

/** A call to a host that is down. */
export class ConnectionRefused extends Error {
  override readonly name = "ConnectionRefused";
  /** The code that Node gives such an error. */
  readonly code = "ECONNREFUSED";
  readonly site: string;

  constructor(site: string, host: string) {
    super(`Cannot reach "${host}" at "${site}": the host is down`);
    this.site = site;
  }
}

/** A call whose callee crashed while it served it; its effect may or may not have taken place. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  /** The code that Node gives such an error. */
  readonly code = "ECONNRESET";
  readonly site: string;

  constructor(site: string, host: string) {
    super(`Lost the connection to "${host}" at "${site}": the host crashed`);
    this.site = site;
  }
}

/** A call whose reply was damaged, as its client library has noticed; its effect took place. */
class CorruptReply extends Error {
  override readonly name = "CorruptReply";
  readonly site: string;

  constructor(site: string) {
    super(`The reply at "${site}" is damaged: its checksum does not match`);
    this.site = site;
  }
}

/** A call that the callee refuses because it has too much to do; nothing of it was done. */
class TooManyRequests extends Error {
  override readonly name = "TooManyRequests";
  /** The HTTP status. */
  readonly status = 429;
  readonly site: string;

  constructor(site: string, host: string) {
    super(`"${host}" refuses a call at "${site}": too many requests`);
    this.site = site;
  }
}

export type CrashVerdict = Extract<Verdict, { kind: "crash" }>;

/** The sites whose calls commit something, to a database or to a store in place of one. */
const COMMITS: ReadonlySet<SiteName> = new Set(
  [...TRANSACTIONS, ...STORE_TRANSACTIONS].flatMap(([site, what]) =>
    what === "commit" ? [site] : [],
  ),
);

/** The owner of a message that its sender's death does not stop. */
const ON_THE_WIRE: StepOwner = Object.freeze({ alive: true, pausedUntil: 0, skewMs: 0 });

/** The incarnation that makes a call. */
export interface Caller extends StepOwner {
  readonly name: string;
  readonly world: World;
  readonly network: Network<NetworkHost>;
  readonly latency: ChoiceStream;
  after(ms: number, fn: () => void): Step;
  crash(verdict: CrashVerdict): void;
  /** A call at the site was refused: before it took effect, or by the callee itself. */
  refused(site: SiteName): void;
}

/** What a call does at the callee, at one instant or with promise work. */
export type Effect<T> =
  | { readonly kind: "sync"; readonly run: (lies: boolean, isLateCopy: boolean) => T }
  | { readonly kind: "async"; readonly run: (lies: boolean) => Promise<T> };

interface CallRequest<T> {
  readonly site: SiteName;
  readonly to: string;
  readonly effect: Effect<T>;
  /** The verdict on this call. A crash before the effect has already taken place. */
  readonly judgement: Judgement;
}

/**
 * Sends a call over the network and returns a promise of its result.
 *
 * Holds: the promise of a caller that crashes meanwhile never settles.
 *
 * @throws {CallTimedOut} when the request, the reply or the callee was lost
 * @throws {ConnectionRefused} when the callee is down
 * @throws {ConnectionLost} when the callee crashes while it serves the call
 * @throws {InjectedFault} when the verdict is to fail
 * @throws {DatabaseError} when the verdict is to fail with an error of the database
 * @throws {CorruptReply} when the verdict is that the reply is damaged
 * @throws {TooManyRequests} when the verdict is that the callee refuses it
 */
export function sendCall<T>(caller: Caller, request: CallRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    new Call(caller, request, resolve, reject).send();
  });
}

/** Whether the call fails before its effect, without an error of its callee. */
function isFailedBefore(verdict: Verdict): boolean {
  if (verdict.kind !== "fail" || verdict.when !== "before") return false;
  return !("error" in verdict) && !("refusal" in verdict);
}

/** One call on its way: request, effect, reply. */
class Call<T> {
  readonly #caller: Caller;
  readonly #request: CallRequest<T>;
  readonly #verdict: Verdict;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    caller: Caller,
    request: CallRequest<T>,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ) {
    this.#caller = caller;
    this.#request = request;
    this.#verdict = request.judgement.verdict;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(): void {
    const caller = this.#caller;
    const verdict = this.#verdict;
    const { to, effect } = this.#request;
    if (verdict.kind === "drop" && verdict.what === "request") {
      this.#timeOut();
      return;
    }
    const extraMs = verdict.kind === "delay" && verdict.what === undefined ? verdict.ms : 0;
    caller.network.carry({
      from: caller.name,
      to,
      delayMs: this.#latencyMs() + extraMs,
      owner: caller,
      hop: effect.kind === "async",
      deliver: () => this.#arrive(),
      lost: () => this.#timeOut(),
    });
  }

  #arrive(): void {
    const { site, to, judgement } = this.#request;
    const { network } = this.#caller;
    const verdict = this.#verdict;
    const error = verdict.kind === "fail" && "error" in verdict ? verdict.error : undefined;
    const isRefused = verdict.kind === "fail" && "refusal" in verdict;
    if (error !== undefined && DATABASE_ERRORS[error].isOfClient) {
      this.#refuse(error);
    } else if (isRefused && network.isUp(to)) {
      this.#reply(() => this.#turnAway(new TooManyRequests(site, to)));
    } else if (isFailedBefore(verdict)) {
      this.#reply(() => this.#turnAway(new InjectedFault(site, judgement.rule)));
    } else if (network.isHalfOpen(to)) {
      this.#timeOut();
    } else if (!network.isUp(to)) {
      this.#reply(() => this.#turnAway(new ConnectionRefused(site, to)));
    } else if (verdict.kind === "crash" && verdict.who === "callee" && verdict.when === "before") {
      this.#loseCallee(verdict);
    } else {
      network.whenAwake(
        to,
        () => (error === undefined ? this.#commit() : this.#refuse(error)),
        () => this.#timeOut(),
      );
    }
  }

  /** Rejects the call, which has not taken effect. */
  #turnAway(error: Error): void {
    this.#caller.refused(this.#request.site);
    this.#reject(error);
  }

  /** Waits for what the transaction cannot get; then it is over, and nothing of it was done. */
  #refuse(error: DatabaseErrorName): void {
    const { site } = this.#request;
    const ms = "ms" in this.#verdict ? this.#verdict.ms : 0;
    if (ms >= CALL_TIMEOUT_MS && !DATABASE_ERRORS[error].isOfClient) {
      this.#timeOut();
      return;
    }
    this.#caller.after(ms, () => this.#reply(() => this.#reject(new DatabaseError(error, site))));
  }

  /** Takes effect at once, or when the commits before this one are durable, and this one is. */
  #commit(): void {
    const { site, to } = this.#request;
    const { network, world, alive } = this.#caller;
    if (!alive) return;
    const ms = this.#commitMs();
    const until = COMMITS.has(site) ? network.commits.enter(to, world.now, ms) : undefined;
    if (until === undefined) this.#takeEffect();
    else this.#commitAt(until);
  }

  /** Once it is with the database, a commit does not depend on who waits for it. */
  #commitAt(until: number): void {
    const { site, to, effect } = this.#request;
    const { network, world } = this.#caller;
    if (this.#commitMs() === 0) {
      const verdict = FAULT_WORDS["commit-waits"];
      world.trace.emit(to, { kind: "fault", site, verdict, rule: "" });
    }
    const timer = this.#timeOut();
    const life = network.host(to)?.life;
    const owner = ON_THE_WIRE;
    const lane = `${to} commits`;
    world.schedule(until - world.now, { owner, lane, hop: effect.kind === "async" }, () => {
      // A database that crashed meanwhile has rolled it back.
      if (network.host(to)?.life !== life) return;
      const commit = (): void => {
        timer.cancelled = true;
        this.#takeEffect();
      };
      network.whenAwake(to, commit, () => undefined);
    });
  }

  #commitMs(): number {
    const verdict = this.#verdict;
    return verdict.kind === "delay" && verdict.what === "commit" ? verdict.ms : 0;
  }

  #takeEffect(): void {
    const { effect } = this.#request;
    if (effect.kind === "sync") this.#runSync(effect.run);
    else this.#runAsync(effect.run);
    const verdict = this.#verdict;
    if (verdict.kind === "duplicate" && verdict.afterMs !== undefined) {
      this.#sendCopy(verdict.afterMs);
    }
  }

  /** Sends a copy of the request, which arrives even if the caller is dead; nobody reads its reply. */
  #sendCopy(delayMs: number): void {
    const { site, to, effect, judgement } = this.#request;
    const { name: from, network, world } = this.#caller;
    const verdict = FAULT_WORDS["late-copy"];
    const arrive = (): void => {
      if (!network.isUp(to) || !world.injector.isArmed) return;
      world.trace.emit(to, { kind: "fault", site, verdict, rule: judgement.rule });
      const run = async (): Promise<unknown> => effect.run(false, true);
      run().catch(() => undefined);
    };
    const deliver = (): void => network.whenAwake(to, arrive, () => undefined);
    const owner = ON_THE_WIRE;
    network.carry({ from, to, delayMs, owner, hop: true, deliver, lost: () => undefined });
  }

  #runSync(run: (lies: boolean, isLateCopy: boolean) => T): void {
    const { trace } = this.#caller.world;
    const eventsBefore = trace.length;
    let settle: () => void;
    try {
      const value = run(this.#verdict.kind === "lie", false);
      // A broker traces what it delivers.
      if (trace.length > eventsBefore) this.#request.judgement.struck?.();
      if (this.#isDoubled()) run(false, false);
      settle = () => this.#resolve(value);
    } catch (error) {
      settle = () => this.#throwBack(error);
    }
    this.#finish(settle);
  }

  #runAsync(run: (lies: boolean) => Promise<T>): void {
    const timer = this.#timeOut();
    const finish = (settle: () => void): void => {
      timer.cancelled = true;
      this.#finish(settle);
    };
    const first = run(this.#verdict.kind === "lie");
    const effects = this.#isDoubled() ? [first, run(false)] : [first];
    Promise.all(effects).then(
      ([value]) => finish(() => this.#resolve(value as T)),
      (error: unknown) => finish(() => this.#throwBack(error)),
    );
  }

  /** The callee itself refuses the call. */
  #throwBack(error: unknown): void {
    const { site } = this.#request;
    this.#caller.network.onRefused?.(site, error);
    this.#caller.refused(site);
    this.#reject(error);
  }

  /** Whether the request arrives twice at once. */
  #isDoubled(): boolean {
    return this.#verdict.kind === "duplicate" && this.#verdict.afterMs === undefined;
  }

  /** Crashes the callee; its end of the connection closes. */
  #loseCallee(verdict: CrashVerdict): void {
    const { site, to } = this.#request;
    this.#caller.crash({ ...verdict, host: to });
    this.#reply(() => this.#reject(new ConnectionLost(site, to)));
  }

  /** The effect has ended; what the verdict says about "after the effect" happens now. */
  #finish(settle: () => void): void {
    const verdict = this.#verdict;
    const { site, judgement } = this.#request;
    if (verdict.kind === "crash" && verdict.who === "callee") {
      this.#loseCallee(verdict);
      return;
    }
    if (verdict.kind === "crash" && this.#caller.alive) this.#caller.crash(verdict);
    if (verdict.kind === "corrupt") this.#reply(() => this.#reject(new CorruptReply(site)));
    else if (verdict.kind !== "fail") this.#reply(settle);
    else this.#reply(() => this.#reject(new InjectedFault(site, judgement.rule)));
  }

  #reply(settle: () => void): void {
    if (this.#verdict.kind === "drop") {
      this.#timeOut();
      return;
    }
    const caller = this.#caller;
    const verdict = this.#verdict;
    const extraMs = verdict.kind === "delay" && verdict.what === "reply" ? verdict.ms : 0;
    if (extraMs >= CALL_TIMEOUT_MS) {
      this.#timeOut();
      return;
    }
    caller.network.carry({
      from: this.#request.to,
      to: caller.name,
      delayMs: this.#latencyMs() + extraMs,
      owner: caller,
      hop: true,
      deliver: settle,
      lost: () => this.#timeOut(),
    });
  }

  #timeOut(): Step {
    const { site } = this.#request;
    return this.#caller.after(CALL_TIMEOUT_MS, () => this.#reject(new CallTimedOut(site)));
  }

  #latencyMs(): number {
    return LATENCY_MS[this.#caller.latency.choose(LATENCY_MS.length, "latency")] as number;
  }
}
