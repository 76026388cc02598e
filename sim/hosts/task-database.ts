import {
  type AttemptOutcome,
  EXECUTE,
  type KillCategory,
  startAfter,
  startWith,
  stateAfter,
  type TaskKey,
  type TaskStart,
} from "../../src/operator/mod.ts";
import { clearOnSuccess, clearTaskInstances, type StoreScope } from "../../src/store/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";
import type { TaskRowState } from "../trace/task-events.ts";
import type { World } from "../kernel/world.ts";
import { deferralTimeoutMs, deferralTimesOutAt } from "./deferral-timeout.ts";
import type { TracedStore } from "./traced-store.ts";

/** A task's settings in its DAG. Durations are virtual milliseconds. */
export interface TaskSettings {
  readonly retries: number;
  readonly retryDelay: number;
  readonly clearOnSuccess: boolean;
}

/** A row of the task instance table. */
export interface TaskRow {
  readonly name: string;
  /** The task of the scenario that it is an instance of. */
  readonly task: string;
  readonly key: TaskKey;
  readonly settings: TaskSettings;
  /** The logical date of a run by hand, as a virtual time; undefined: the run is as scheduled. */
  readonly logicalAt?: number | undefined;
  state: TaskRowState;
  /** How many tries have begun. A resume belongs to the try that it resumes. */
  tryNumber: number;
  triesMax: number;
  /** The token of the attempt that may write; undefined while none may. */
  attempt: number | undefined;
  /** How the next attempt begins. */
  start: TaskStart;
  /** Whether the next attempt begins a new try. */
  isNewTry: boolean;
  /** When it may run again, by the clock of the API server, as epoch milliseconds. */
  dueAt: number;
  /** When its attempt was last heard of, by the same clock. */
  heartbeatAt: number;
  /** How often a user has discarded its state. */
  generation: number;
  killAsked: KillCategory | undefined;
  deferral: Deferred | undefined;
  /** When the deferral times out, as epoch milliseconds; undefined: never. */
  timeoutAfter: number | undefined;
}

/** A task waits for an event. */
export type Deferred = Extract<AttemptOutcome, { kind: "deferred" }>;

/** A deferral whose event is waited for. */
interface WaitingDeferral {
  readonly row: TaskRow;
  readonly deferral: Deferred;
  readonly timeoutAfter: number | undefined;
}

/** An attempt that a worker is to run. */
export interface Assignment {
  readonly row: TaskRow;
  readonly attempt: number;
  readonly tryNumber: number;
  readonly start: TaskStart;
}

/** The attempt may not write any more: its token is refused. */
export class AttemptGone extends Error {
  override readonly name = "AttemptGone";
  /** The category with which its worker is to kill it. */
  readonly category: KillCategory;

  constructor(attempt: number, category: KillCategory) {
    super(`Cannot accept the token of attempt ${attempt}: the attempt is over`);
    this.category = category;
  }
}

/** How to take back a transaction, or a part of one. */
interface Undo {
  readonly at: number;
  readonly undo: () => void;
}

const PLATFORM_LOSS = { kind: "killed", executionContext: { category: "infrastructure" } } as const;

/**
 * The metadata database of the tasks: task instances with their tokens, XComs, and the state store.
 *
 * Holds: each method is one transaction, at one instant; `now` is the wall time of the process that
 * makes it, as in Airflow, where no time is the database's own. Its content survives every crash: a
 * crashed database is only unreachable.
 */
export class TaskDatabase {
  readonly store: TracedStore;
  readonly #world: World;
  readonly #name: string;
  readonly #rows = new Map<string, TaskRow>();
  readonly #owners = new Map<number, TaskRow>();
  readonly #ended = new Set<number>();
  readonly #cleared = new Set<number>();
  readonly #killedDeferrals = new Set<Deferred>();
  readonly #xcoms = new Map<string, Map<string, string>>();
  /** How to take back what was committed, the oldest first; undefined where nobody may ask. */
  readonly #undo: Undo[] | undefined;
  #attempts = 0;

  constructor(
    world: World,
    name: string,
    store: TracedStore,
    { canGoBack }: { readonly canGoBack: boolean } = { canGoBack: false },
  ) {
    this.#world = world;
    this.#name = name;
    this.store = store;
    this.#undo = canGoBack ? [] : undefined;
  }

  /**
   * Takes back what was committed after `since`, but for the creation of rows and the numbers of
   * attempts. The state store goes back by itself.
   */
  goBack(since: number): void {
    const before = new Map([...this.#rows.values()].map((row) => [row, { ...row }]));
    for (let last = this.#undo?.at(-1); last !== undefined && last.at > since;) {
      this.#undo?.pop();
      last.undo();
      last = this.#undo?.at(-1);
    }
    for (const [row, { state, attempt }] of before) {
      if (row.state !== state || row.attempt !== attempt) this.#enter(row, row.state);
    }
  }

  /** Notes what a row is like before a transaction changes it. */
  #change(row: TaskRow): void {
    const before = { ...row };
    this.#onUndo(() => void Object.assign(row, before));
  }

  #changeXcoms(name: string): void {
    const before = this.#xcoms.get(name);
    const copy = before === undefined ? undefined : new Map(before);
    this.#onUndo(() => {
      if (copy === undefined) this.#xcoms.delete(name);
      else this.#xcoms.set(name, copy);
    });
  }

  #onUndo(undo: () => void): void {
    this.#undo?.push({ at: this.#world.now, undo });
  }

  rows(): readonly TaskRow[] {
    return [...this.#rows.values()];
  }

  create(row: Pick<TaskRow, "name" | "task" | "key" | "settings" | "logicalAt">): void {
    const created: TaskRow = {
      ...row,
      state: "scheduled",
      tryNumber: 0,
      triesMax: row.settings.retries + 1,
      attempt: undefined,
      start: EXECUTE,
      isNewTry: true,
      dueAt: 0,
      heartbeatAt: 0,
      generation: 0,
      killAsked: undefined,
      deferral: undefined,
      timeoutAfter: undefined,
    };
    this.#rows.set(row.name, created);
    this.#enter(created, "scheduled");
  }

  /**
   * One loop of the scheduler, by its clock: declares attempts without heartbeat dead, queues what
   * is due.
   */
  schedule(staleMs: number, now: number): void {
    for (const row of this.#rows.values()) {
      if (row.state === "running" && now - row.heartbeatAt > staleMs) this.#declareDead(row, now);
      const isWaiting = row.state === "up_for_retry" || row.state === "up_for_reschedule";
      const isReady = row.state === "scheduled" || row.state === "checkpointed";
      if (isReady || (isWaiting && row.dueAt <= now)) {
        this.#change(row);
        this.#enter(row, "queued");
      }
    }
  }

  /** Assigns the first queued task instance, with the token of a new attempt. */
  take(now: number): Assignment | undefined {
    for (const row of this.#rows.values()) {
      if (row.state !== "queued") continue;
      this.#change(row);
      this.#changeXcoms(row.name);
      this.#attempts += 1;
      const attempt = this.#attempts;
      if (row.isNewTry) row.tryNumber += 1;
      row.isNewTry = false;
      row.attempt = attempt;
      row.heartbeatAt = now;
      row.killAsked = undefined;
      this.#owners.set(attempt, row);
      // Airflow clears the XComs of a task instance before each attempt, except after a deferral.
      if (row.start.kind !== "event") this.#xcoms.delete(row.name);
      this.#enter(row, "running");
      return { row, attempt, tryNumber: row.tryNumber, start: row.start };
    }
    return undefined;
  }

  /**
   * Records that the attempt is alive; returns a category if the attempt is to be killed.
   *
   * @throws {AttemptGone} when the attempt is over
   */
  heartbeat(attempt: number, now: number): KillCategory | undefined {
    const row = this.#current(attempt, "heartbeat");
    this.#change(row);
    row.heartbeatAt = now;
    return row.killAsked;
  }

  /**
   * Records how an attempt ended. Idempotent.
   *
   * @throws {AttemptGone} when the attempt was declared dead or cleared before
   */
  async finish(attempt: number, outcome: AttemptOutcome, now: number): Promise<void> {
    if (this.#ended.has(attempt)) return;
    const row = this.#current(attempt, "finish");
    this.#ended.add(attempt);
    this.#onUndo(() => void this.#ended.delete(attempt));
    await this.#end(row, outcome, now);
  }

  /**
   * Checks an attempt's token.
   *
   * @throws {AttemptGone} when the attempt may not write
   */
  assertCurrent(attempt: number, what: string): void {
    this.#current(attempt, what);
  }

  pushXcom(attempt: number, key: string, value: string): void {
    const row = this.#current(attempt, "xcom");
    this.#changeXcoms(row.name);
    const xcoms = this.#xcoms.get(row.name) ?? new Map<string, string>();
    this.#xcoms.set(row.name, xcoms.set(key, value));
  }

  pullXcom(attempt: number, key: string): string | undefined {
    return this.#xcoms.get(this.#current(attempt, "xcom").name)?.get(key);
  }

  /** Returns the deferrals that wait for an event, and those that users have ended. */
  deferrals(): {
    readonly waiting: readonly WaitingDeferral[];
    readonly killed: ReadonlySet<Deferred>;
  } {
    const waiting: WaitingDeferral[] = [];
    for (const row of this.#rows.values()) {
      const { state, deferral, timeoutAfter } = row;
      if (state === "deferred" && deferral !== undefined) {
        waiting.push({ row, deferral, timeoutAfter });
      }
    }
    return { waiting, killed: new Set(this.#killedDeferrals) };
  }

  /** Resumes a deferred task with its event; a second event of the same deferral is ignored. */
  fire(row: TaskRow, deferral: Deferred, event: unknown): void {
    if (row.deferral !== deferral || row.state !== "deferred") return;
    this.#change(row);
    row.start = startWith(deferral, event);
    this.#enter(row, "scheduled");
  }

  /** Fails the try of a deferred task, because its trigger failed. */
  failDeferred(row: TaskRow, deferral: Deferred, error: unknown, now: number): void {
    if (row.deferral !== deferral || row.state !== "deferred") return;
    this.#goOn(row, { kind: "failed", error }, now);
  }

  /** A user clears a task instance: it runs again from the beginning. */
  async clear(row: TaskRow, keepState: boolean): Promise<void> {
    this.#world.trace.emit(this.#name, { kind: "user-cleared", task: row.name, keepState });
    const scope = { kind: "task-instance", ...row.key } as const;
    await clearTaskInstances(this.store.clearing("user"), [scope], {
      keepTaskState: keepState,
      reset: async () => this.#reset(row, keepState),
    });
  }

  #reset(row: TaskRow, keepState: boolean): void {
    this.#change(row);
    if (row.attempt !== undefined) this.#cleared.add(row.attempt);
    this.#killDeferral(row);
    row.attempt = undefined;
    row.start = EXECUTE;
    row.isNewTry = true;
    row.triesMax = row.tryNumber + row.settings.retries + 1;
    row.dueAt = 0;
    row.deferral = undefined;
    if (!keepState) row.generation += 1;
    this.#enter(row, "scheduled");
  }

  /** A user sets the watermark of a task back, unless it is as low already; returns whether. */
  async rewind(task: string, scope: StoreScope, key: string, to: number): Promise<boolean> {
    const store = this.store.as(0);
    const entry = await store.get(scope, key);
    // A reference to a payload is no number, and stays.
    if (!(Number(entry?.value) > to)) return false;
    await store.set(scope, key, String(to), { expiresAt: null });
    this.#world.trace.emit(this.#name, { kind: "user-rewound", process: task, to });
    return true;
  }

  /** A user stops a task instance: a running one is killed, any other fails at once. */
  stop(row: TaskRow): void {
    this.#world.trace.emit(this.#name, { kind: "user-stopped", task: row.name });
    this.#killDeferral(row);
    this.#change(row);
    if (row.state === "running") row.killAsked = "user";
    else if (!isOver(row)) this.#enter(row, "failed");
  }

  #killDeferral({ state, deferral }: TaskRow): void {
    if (state !== "deferred" || deferral === undefined) return;
    this.#killedDeferrals.add(deferral);
  }

  #declareDead(row: TaskRow, now: number): void {
    const { attempt = 0 } = row;
    this.#world.trace.emit(this.#name, { kind: "declared-dead", task: row.name, attempt });
    this.#goOn(row, PLATFORM_LOSS, now);
  }

  async #end(row: TaskRow, outcome: AttemptOutcome, now: number): Promise<void> {
    const result = outcome.kind === "success" ? JSON.stringify(outcome.result ?? null) : "";
    this.#goOn(row, outcome, now, result);
    if (!row.settings.clearOnSuccess) return;
    const scope = { kind: "task-instance", ...row.key } as const;
    const options = { state: row.state, logger: silentLogger };
    await clearOnSuccess(this.store.clearing("success"), scope, options);
  }

  #goOn(row: TaskRow, outcome: AttemptOutcome, now: number, result = ""): void {
    this.#change(row);
    const state = stateAfter(outcome, row.triesMax - row.tryNumber);
    row.start = startAfter(row.start, outcome);
    row.deferral = outcome.kind === "deferred" ? outcome : undefined;
    row.timeoutAfter = deferralTimesOutAt(row.deferral, now);
    row.attempt = undefined;
    row.isNewTry = state === "up_for_retry";
    const restsUntil = now + (row.isNewTry ? row.settings.retryDelay : 0);
    row.dueAt = outcome.kind === "rescheduled" ? outcome.rescheduleAt : restsUntil;
    this.#enter(row, state, result);
  }

  #enter(row: TaskRow, state: TaskRowState, result = ""): void {
    row.state = state;
    const { name: task, tryNumber, attempt = 0, deferral } = row;
    const waits = state === "deferred" && deferral ? deferralTimeoutMs(deferral) : undefined;
    const body = { kind: "task-state", task, state, tryNumber, attempt, result } as const;
    this.#world.trace.emit(this.#name, waits === undefined ? body : { ...body, waits });
  }

  #current(attempt: number, what: string): TaskRow {
    const row = this.#owners.get(attempt);
    if (row !== undefined && row.attempt === attempt) return row;
    this.#world.trace.emit(this.#name, { kind: "refused", attempt, what });
    throw new AttemptGone(attempt, this.#cleared.has(attempt) ? "user" : "infrastructure");
  }
}

/** Returns when a deferral that begins now times out; both as epoch milliseconds. */

/** Whether the task instance has ended and runs again only if a user clears it. */
export function isOver({ state }: TaskRow): boolean {
  return state === "success" || state === "failed";
}
