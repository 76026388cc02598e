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
import type { TaskRowState } from "../task-events.ts";
import type { World } from "../world.ts";
import type { KeptStore } from "./kept-store.ts";

/** What a deployment says of a task. Durations are virtual milliseconds. */
export interface TaskSettings {
  readonly retries: number;
  readonly retryDelay: number;
  readonly clearOnSuccess: boolean;
}

/** A task instance as the database knows it. */
export interface TaskRow {
  readonly name: string;
  /** Which task of the scenario it is an instance of. */
  readonly task: string;
  readonly key: TaskKey;
  readonly settings: TaskSettings;
  state: TaskRowState;
  /** Tries that were begun. A resume belongs to the try that it resumes. */
  tryNumber: number;
  triesMax: number;
  /** The token of the attempt that may write; undefined while nobody may. */
  attempt: number | undefined;
  /** How the next attempt begins. */
  start: TaskStart;
  /** Whether the next attempt is a try of its own. */
  isNewTry: boolean;
  dueAt: number;
  heartbeatAt: number;
  /** How often a user discarded its state. */
  generation: number;
  killAsked: KillCategory | undefined;
  deferral: Extract<AttemptOutcome, { kind: "deferred" }> | undefined;
}

/** What a worker needs to run an attempt. */
export interface Assignment {
  readonly row: TaskRow;
  readonly attempt: number;
  readonly tryNumber: number;
  readonly start: TaskStart;
}

/** The attempt is not the one that may write any more: its token is refused. */
export class AttemptGone extends Error {
  override readonly name = "AttemptGone";
  /** How the platform wants it killed. */
  readonly category: KillCategory;

  constructor(attempt: number, category: KillCategory) {
    super(`Attempt ${attempt} is over for the database`);
    this.category = category;
  }
}

const PLATFORM_LOSS = { kind: "killed", executionContext: { category: "infrastructure" } } as const;

/**
 * The metadata database: task instances with their states and tokens, XComs, and the state store.
 *
 * Holds: each method is one transaction at one instant, whole or not at all. What is stored
 * outlives every crash; a crashed database is only unreachable.
 */
export class TaskDatabase {
  readonly store: KeptStore;
  readonly #world: World;
  readonly #name: string;
  readonly #rows = new Map<string, TaskRow>();
  readonly #owners = new Map<number, TaskRow>();
  readonly #ended = new Set<number>();
  readonly #cleared = new Set<number>();
  readonly #xcoms = new Map<string, Map<string, string>>();
  #attempts = 0;

  constructor(world: World, name: string, store: KeptStore) {
    this.#world = world;
    this.#name = name;
    this.store = store;
  }

  rows(): readonly TaskRow[] {
    return [...this.#rows.values()];
  }

  create(row: Pick<TaskRow, "name" | "task" | "key" | "settings">): void {
    const created: TaskRow = {
      ...row,
      state: "scheduled",
      tryNumber: 0,
      triesMax: row.settings.retries + 1,
      attempt: undefined,
      start: EXECUTE,
      isNewTry: true,
      dueAt: this.#world.now,
      heartbeatAt: 0,
      generation: 0,
      killAsked: undefined,
      deferral: undefined,
    };
    this.#rows.set(row.name, created);
    this.#enter(created, "scheduled");
  }

  /** One loop of the scheduler: who was not heard of is dead, who is due is queued. */
  schedule(staleMs: number): void {
    const { now } = this.#world;
    for (const row of this.#rows.values()) {
      if (row.state === "running" && now - row.heartbeatAt > staleMs) this.#declareDead(row);
      const waits = row.state === "scheduled" || row.state === "up_for_retry";
      if ((waits && row.dueAt <= now) || row.state === "checkpointed") this.#enter(row, "queued");
    }
  }

  /** Gives a worker the first queued task instance, with the token of a new attempt. */
  take(): Assignment | undefined {
    for (const row of this.#rows.values()) {
      if (row.state !== "queued") continue;
      this.#attempts += 1;
      const attempt = this.#attempts;
      if (row.isNewTry) row.tryNumber += 1;
      row.isNewTry = false;
      row.attempt = attempt;
      row.heartbeatAt = this.#world.now;
      row.killAsked = undefined;
      this.#owners.set(attempt, row);
      // Airflow clears the XComs of a task instance before every attempt but a deferral's answer.
      if (row.start.kind !== "event") this.#xcoms.delete(row.name);
      this.#enter(row, "running");
      return { row, attempt, tryNumber: row.tryNumber, start: row.start };
    }
    return undefined;
  }

  /** @throws {AttemptGone} when the attempt may not go on */
  heartbeat(attempt: number): KillCategory | undefined {
    const row = this.#current(attempt, "heartbeat");
    row.heartbeatAt = this.#world.now;
    return row.killAsked;
  }

  /**
   * The end of an attempt; telling the same one twice is harmless.
   *
   * @throws {AttemptGone} when the attempt was declared dead or cleared before
   */
  async finish(attempt: number, outcome: AttemptOutcome): Promise<void> {
    if (this.#ended.has(attempt)) return;
    const row = this.#current(attempt, "finish");
    this.#ended.add(attempt);
    await this.#leave(row, outcome);
  }

  /** @throws {AttemptGone} when the attempt may not write */
  assertCurrent(attempt: number, what: string): void {
    this.#current(attempt, what);
  }

  pushXcom(attempt: number, key: string, value: string): void {
    const row = this.#current(attempt, "xcom");
    const xcoms = this.#xcoms.get(row.name) ?? new Map<string, string>();
    this.#xcoms.set(row.name, xcoms.set(key, value));
  }

  pullXcom(attempt: number, key: string): string | undefined {
    return this.#xcoms.get(this.#current(attempt, "xcom").name)?.get(key);
  }

  deferred(): readonly TaskRow[] {
    return this.rows().filter(({ state }) => state === "deferred");
  }

  /** A deferred task's event has come; a second one for the same deferral is ignored. */
  fire(name: string, idempotencyKey: string, event: unknown): void {
    const row = this.#rows.get(name);
    if (row?.deferral?.idempotencyKey !== idempotencyKey || row.state !== "deferred") return;
    row.start = startWith(row.deferral, event);
    this.#enter(row, "scheduled");
  }

  /** The trigger of a deferred task failed: its try has. */
  failDeferred(name: string, idempotencyKey: string, error: unknown): void {
    const row = this.#rows.get(name);
    if (row?.deferral?.idempotencyKey !== idempotencyKey || row.state !== "deferred") return;
    this.#goOn(row, { kind: "failed", error });
  }

  /** A user clears a task instance: it runs again from its beginning. */
  async clear(row: TaskRow, keepState: boolean): Promise<void> {
    this.#world.trace.emit(this.#name, { kind: "user-cleared", task: row.name, keepState });
    if (row.attempt !== undefined) this.#cleared.add(row.attempt);
    row.attempt = undefined;
    row.start = EXECUTE;
    row.isNewTry = true;
    row.triesMax = row.tryNumber + row.settings.retries + 1;
    row.dueAt = this.#world.now;
    row.deferral = undefined;
    if (!keepState) row.generation += 1;
    this.#enter(row, "scheduled");
    if (!keepState) await this.store.clear({ kind: "task-instance", ...row.key }, "user");
  }

  /** A user stops a running task instance; what is not running fails at once. */
  stop(row: TaskRow): void {
    if (row.state === "running") row.killAsked = "user";
    else if (!isOver(row)) this.#enter(row, "failed");
  }

  #declareDead(row: TaskRow): void {
    const { attempt = 0 } = row;
    this.#world.trace.emit(this.#name, { kind: "declared-dead", task: row.name, attempt });
    this.#goOn(row, PLATFORM_LOSS);
  }

  async #leave(row: TaskRow, outcome: AttemptOutcome): Promise<void> {
    const result = outcome.kind === "success" ? JSON.stringify(outcome.result ?? null) : "";
    this.#goOn(row, outcome, result);
    if (row.state !== "success" || !row.settings.clearOnSuccess) return;
    await this.store.clear({ kind: "task-instance", ...row.key }, "success");
  }

  #goOn(row: TaskRow, outcome: AttemptOutcome, result = ""): void {
    const state = stateAfter(outcome, row.triesMax - row.tryNumber);
    row.start = startAfter(row.start, outcome);
    row.deferral = outcome.kind === "deferred" ? outcome : undefined;
    row.attempt = undefined;
    row.isNewTry = state === "up_for_retry";
    row.dueAt = this.#world.now + (row.isNewTry ? row.settings.retryDelay : 0);
    this.#enter(row, state, result);
  }

  #enter(row: TaskRow, state: TaskRowState, result = ""): void {
    row.state = state;
    const { name: task, tryNumber, attempt = 0 } = row;
    const body = { kind: "task-state", task, state, tryNumber, attempt, result } as const;
    this.#world.trace.emit(this.#name, body);
  }

  #current(attempt: number, what: string): TaskRow {
    const row = this.#owners.get(attempt);
    if (row !== undefined && row.attempt === attempt) return row;
    this.#world.trace.emit(this.#name, { kind: "refused", attempt, what });
    throw new AttemptGone(attempt, this.#cleared.has(attempt) ? "user" : "infrastructure");
  }
}

/** Whether nothing more will happen to a row by itself. */
export function isOver({ state }: TaskRow): boolean {
  return state === "success" || state === "failed";
}
