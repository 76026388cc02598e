import type { Clock } from "../../../src/time/mod.ts";
import {
  type StateBackend,
  type StateEntry,
  type StoreScope,
  type TaskInstanceScope,
  TaskStateStore,
  type TaskStateStoreOptions,
} from "../../../src/store/mod.ts";
import { VirtualClock } from "../../kernel/virtual-clock.ts";

/** An empty store under test and its clients. */
export interface StateBackendSubject {
  /** One or more clients of one store, as two processes would be. */
  readonly clients: readonly [StateBackend, ...StateBackend[]];
  /** Releases the store after the case. */
  readonly close?: () => Promise<void>;
  /**
   * Keeps every client from the store, as a lock of another process or a server that is away does,
   * and resolves with what ends that. The calls made meanwhile may wait or reject: give the clients
   * a timeout below half a second, so that they do both. With it the check says what becomes of
   * these calls, and of a client that is first used meanwhile.
   */
  readonly interrupt?: () => Promise<() => Promise<void> | void>;
}

/** Creates an empty store: a backend, or several clients of one store. */
export type CreateStateBackend = () =>
  | StateBackend
  | StateBackendSubject
  | Promise<StateBackend | StateBackendSubject>;

/** What a law works with: two clients, which are the same where there is only one, and a clock. */
export interface Bench {
  readonly one: StateBackend;
  readonly other: StateBackend;
  readonly clock: VirtualClock;
  /** Keeps both clients from the store until what it returns is called; where the subject can. */
  readonly interrupt: StateBackendSubject["interrupt"];
  /** Returns the task state store of a scope; by default the first client is its backend. */
  readonly store: (
    scope?: TaskScopeOf,
    options?: Partial<TaskStateStoreOptions>,
    by?: StateBackend,
  ) => TaskStateStore;
  readonly passes: (ms: number) => Promise<void>;
}

type TaskScopeOf = Exclude<StoreScope, { kind: "asset" }>;

/** A promise that every backend keeps, as a sentence, and its check. */
export interface StateBackendLaw {
  readonly title: string;
  hold(create: CreateStateBackend, settings: LawSettings): Promise<void>;
}

/** How many random cases a law tries, and the seed of these. */
export interface LawSettings {
  readonly numRuns: number;
  readonly seed: number;
}

/** Thrown by a law that does not hold; the message says what was done, found and expected. */
export class LawBroken extends Error {
  override readonly name = "LawBroken";
  /** What differs, without the actual and the expected value. */
  readonly what: string;

  constructor(message: string, { what = message, ...options }: ErrorOptions & Named = {}) {
    super(message, options);
    this.what = what;
  }
}

interface Named {
  readonly what?: string;
}

/** Returns a law that one example on an empty store checks. */
export function example(title: string, show: (bench: Bench) => Promise<void>): StateBackendLaw {
  return { title, hold: (create) => withBench(create, show) };
}

/** Opens an empty store, calls `act` with it, and closes it in any case. */
export async function withBench(
  create: CreateStateBackend,
  act: (bench: Bench) => Promise<void>,
): Promise<void> {
  const made = await create();
  const subject: StateBackendSubject = "clients" in made ? made : { clients: [made] };
  try {
    await act(benchOf(subject));
  } finally {
    await subject.close?.();
  }
}

function benchOf({ clients, interrupt }: StateBackendSubject): Bench {
  const clock = new VirtualClock();
  const [one, other = one] = clients;
  return {
    one,
    other,
    clock,
    interrupt,
    store: (scope = TASK, options = {}, by = one) =>
      new TaskStateStore(by, scope, { clock: clock satisfies Clock, ...options }),
    passes: (ms) => clock.advance(ms, () => Promise.resolve()),
  };
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The task instance that laws use by default. */
export const TASK: TaskInstanceScope = taskInstance({});

export function taskInstance(parts: Partial<TaskInstanceScope>): TaskInstanceScope {
  return {
    kind: "task-instance",
    dagId: "etl",
    runId: "r1",
    taskId: "load",
    mapIndex: -1,
    ...parts,
  };
}

/** @throws {LawBroken} when the two are not equal in every part */
export function same(what: string, found: unknown, expected: unknown): void {
  if (equal(found, expected)) return;
  const differs = `${what} is ${inWords(found)}, expected ${inWords(expected)}`;
  throw new LawBroken(differs, { what });
}

/** Whether two values are deeply equal; 0 and -0 differ, and undefined members count as absent. */
export function equal(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  if (left === null || right === null || Array.isArray(left) !== Array.isArray(right)) return false;
  const one = left as Readonly<Record<string, unknown>>;
  const other = right as Readonly<Record<string, unknown>>;
  const names = namesOf(one);
  if (names.length !== namesOf(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && equal(one[name], other[name]));
}

function namesOf(record: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(record).filter((name) => record[name] !== undefined);
}

const WORDS_MAX = 400;

export function inWords(value: unknown): string {
  if (value === undefined) return "absent";
  if (Object.is(value, -0)) return "-0";
  const text = JSON.stringify(value);
  return text.length <= WORDS_MAX
    ? text
    : `${text.slice(0, WORDS_MAX)}... (${text.length} characters)`;
}

/** Returns the keys of a whole scope, in the order in which the backend lists them. */
export async function keysIn(backend: StateBackend, scope: StoreScope): Promise<string[]> {
  const { entries } = await backend.list(scope, { limit: 1_000, offset: 0 });
  return entries.map((entry) => entry.key);
}

/** Returns an entry without the time and the writer of its last write. */
export function essence(
  entry: StateEntry | undefined,
): { value: string; expiresAt: number | null } | undefined {
  if (entry === undefined) return undefined;
  return { value: entry.value, expiresAt: entry.expiresAt };
}
