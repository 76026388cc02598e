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

/** A store under test that is empty, and what talks to it. */
export interface StateBackendSubject {
  /** One or more clients of one store, as two processes would be. */
  readonly clients: readonly [StateBackend, ...StateBackend[]];
  readonly close?: () => Promise<void>;
}

/** Makes an empty store: a backend, or several clients of one. */
export type CreateStateBackend = () =>
  | StateBackend
  | StateBackendSubject
  | Promise<StateBackend | StateBackendSubject>;

/** What one law asks for: two clients (the same one twice where there is only one) and a clock. */
export interface Bench {
  readonly one: StateBackend;
  readonly other: StateBackend;
  readonly clock: VirtualClock;
  /** The task state store of a scope, over client one unless told otherwise. */
  readonly store: (
    scope?: TaskScopeOf,
    options?: Partial<TaskStateStoreOptions>,
    by?: StateBackend,
  ) => TaskStateStore;
  readonly passes: (ms: number) => Promise<void>;
}

type TaskScopeOf = Exclude<StoreScope, { kind: "asset" }>;

/** What every backend owes, said in a sentence, and how to find out. */
export interface StateBackendLaw {
  readonly title: string;
  hold(create: CreateStateBackend, settings: LawSettings): Promise<void>;
}

export interface LawSettings {
  readonly numRuns: number;
  readonly seed: number;
}

/** Thrown by a law that does not hold; the message tells what was done, found and expected. */
export class LawBroken extends Error {
  override readonly name = "LawBroken";
  /** What was found to differ, without what it was and should be. */
  readonly what: string;

  constructor(message: string, { what = message, ...options }: ErrorOptions & Named = {}) {
    super(message, options);
    this.what = what;
  }
}

interface Named {
  readonly what?: string;
}

/** A law that is shown by one example on an empty store. */
export function example(title: string, show: (bench: Bench) => Promise<void>): StateBackendLaw {
  return { title, hold: (create) => withBench(create, show) };
}

/** Opens an empty store, does `act` with it, and closes it whichever way that ends. */
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

function benchOf({ clients }: StateBackendSubject): Bench {
  const clock = new VirtualClock();
  const [one, other = one] = clients;
  return {
    one,
    other,
    clock,
    store: (scope = TASK, options = {}, by = one) =>
      new TaskStateStore(by, scope, { clock: clock satisfies Clock, ...options }),
    passes: (ms) => clock.advance(ms, () => Promise.resolve()),
  };
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The task instance that a law is about unless it is about another. */
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

/** Equal in every part; a zero has a sign, and what is undefined is as good as absent. */
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

/** The keys of a whole scope, in the order in which the backend lists them. */
export async function keysIn(backend: StateBackend, scope: StoreScope): Promise<string[]> {
  const { entries } = await backend.list(scope, { limit: 1_000, offset: 0 });
  return entries.map((entry) => entry.key);
}

/** An entry without the time and the writer of its last write. */
export function essence(
  entry: StateEntry | undefined,
): { value: string; expiresAt: number | null } | undefined {
  if (entry === undefined) return undefined;
  return { value: entry.value, expiresAt: entry.expiresAt };
}
