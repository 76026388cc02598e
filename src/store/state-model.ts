import { checkedOptions } from "../checked-options.ts";
import type { JsonValue } from "../json-value.ts";
import type { Clock } from "../time/mod.ts";
import type { StateBackend, WriteOptions } from "./backend.ts";
import type { ProcessScope, TaskInstanceScope, TaskScope } from "./scope.ts";
import { ScopedState } from "./scoped-state.ts";

/** Settings of a {@linkcode StateModel}. */
export interface StateModelOptions {
  /** Its wall time is recorded with each write. */
  readonly clock: Clock;
  /**
   * The longest JSON text of the value, in UTF-16 code units; 0 means no limit. 65,535 by default.
   */
  readonly valueCharsMax?: number;
}

/** A value and when it was written. */
export interface StateRecord<T extends JsonValue = JsonValue> {
  /** The value; any JSON value but null. */
  readonly value: T;
  /** The writer's wall time, in milliseconds since the epoch; null when it did not say. */
  readonly timestamp: number | null;
}

/** The key under which a state model keeps its value in the store of its scope. */
export const STATE_MODEL_KEY = "state";

/**
 * One value with the time of its last write: AIP-30's TaskState, ProcessState and
 * TaskInstanceState, which one is chosen by the scope.
 *
 * - a task (`kind: "task"`): the current state of a task across its runs, such as a watermark. Runs
 *   that overlap overwrite each other's value with `set`, so that a slow older run can move a
 *   watermark back; `raise` never moves one back, and `compareAndSet` changes what was read.
 * - a process (`kind: "process"`): the same under a name of its own, which survives renaming the
 *   dag or the task.
 * - a task instance (`kind: "task-instance"`): the state of one run of a task, shared by its
 *   attempts, such as the id of a remote job.
 *
 * Holds: a value never expires, and `clear` of the scope's store deletes it like any other key. The
 * timestamp is the clock's of whoever wrote, not that of the run.
 *
 * @example A watermark that a human can edit and the next run follows
 * ```ts
 * import { MemoryStateBackend, StateModel } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
 * const state = new StateModel(new MemoryStateBackend(), scope, { clock: systemClock });
 * const low = await state.get("1900-01-01");
 * await state.set("2026-11-23");
 * console.log(low, await state.get()); // => 1900-01-01 2026-11-23
 * ```
 *
 * Source: AIP-30, "Concrete proposal"
 */
export class StateModel {
  readonly #state: ScopedState;
  readonly #clock: Clock;

  /**
   * Creates the model of one task, process or task instance.
   *
   * @throws {TypeError} when the scope is of another kind or incomplete, or an option is unknown
   * @throws {RangeError} when the map index or `valueCharsMax` is not an integer in range
   */
  constructor(
    backend: StateBackend,
    scope: TaskScope | ProcessScope | TaskInstanceScope,
    options: StateModelOptions,
  ) {
    checkedOptions(options, ["clock", "valueCharsMax"], "StateModel");
    if ((scope.kind as string) === "asset") {
      throw new TypeError("Cannot keep the state of AIP-30 for an asset: use AssetStateStore");
    }
    this.#state = new ScopedState(backend, scope, options.valueCharsMax);
    this.#clock = options.clock;
  }

  /**
   * Returns the value; null when there is none.
   *
   * @throws {StoreUnavailable} when the backend failed
   * @throws {UnreadableValue} when the entry cannot be read
   */
  get<T extends JsonValue = JsonValue>(): Promise<T | null>;
  /** Returns the value; `defaultValue`, which is never written, when there is none. */
  get<T>(defaultValue: T): Promise<T>;
  async get(defaultValue: unknown = null): Promise<unknown> {
    const record = await this.read();
    return record === undefined ? defaultValue : record.value;
  }

  /** Returns the value with the time of its last write; undefined when there is none. */
  async read<T extends JsonValue = JsonValue>(): Promise<StateRecord<T> | undefined> {
    const entry = await this.#state.entry(STATE_MODEL_KEY);
    if (entry === undefined) return undefined;
    return { value: this.#state.valueFrom(entry) as T, timestamp: entry.updatedAt };
  }

  /**
   * Writes or overwrites the value.
   *
   * @throws {TypeError} when JSON cannot represent `value`
   * @throws {RangeError} when it is too long
   * @throws {StoreUnavailable} when the backend failed; the write may have taken effect
   */
  async set(value: NonNullable<JsonValue>): Promise<void> {
    const text = this.#state.textFrom(STATE_MODEL_KEY, value);
    await this.#state.set(STATE_MODEL_KEY, text, this.#write());
  }

  /**
   * Writes `value` if the value is still `expected`, or if there is none where `expected` is null,
   * and returns whether it did. Of several that expect the same, one writes.
   *
   * @example
   * ```ts
   * import { MemoryStateBackend, StateModel } from "faultlane";
   * import { systemClock } from "faultlane/platform";
   *
   * const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
   * const state = new StateModel(new MemoryStateBackend(), scope, { clock: systemClock });
   * console.log(await state.compareAndSet(null, 100)); // => true
   * console.log(await state.compareAndSet(null, 200)); // => false
   * console.log(await state.compareAndSet(100, 200)); // => true
   * ```
   *
   * @throws {TypeError} when JSON cannot represent a value, or the backend has no `compareAndSet`
   * @throws {RangeError} when the value is too long
   * @throws {StoreUnavailable} when the backend failed; the write may have taken effect
   */
  async compareAndSet(expected: JsonValue | null, value: NonNullable<JsonValue>): Promise<boolean> {
    const text = this.#state.textFrom(STATE_MODEL_KEY, value);
    return this.#state.exchange(STATE_MODEL_KEY, { expected, text }, this.#write());
  }

  /**
   * Writes `value` unless the value is `value` or beyond it already, and returns whether it did:
   * for a watermark that must not fall, whichever run finishes last.
   *
   * `isBelow` says whether one value comes before another; by default numbers and texts are
   * compared with `<`, as ISO dates of one form and one offset from UTC can be. The local times of a
   * zone with daylight saving cannot: in the hour that comes twice a later text is less.
   *
   * @example
   * ```ts
   * import { MemoryStateBackend, StateModel } from "faultlane";
   * import { systemClock } from "faultlane/platform";
   *
   * const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
   * const state = new StateModel(new MemoryStateBackend(), scope, { clock: systemClock });
   * await Promise.all([state.raise("2026-11-23"), state.raise("2026-11-21")]);
   * console.log(await state.get()); // => 2026-11-23
   * ```
   *
   * @throws {TypeError} when JSON cannot represent `value`, the backend has no `compareAndSet`, or
   *   there is no `isBelow` and the values are not both numbers or both texts
   * @throws {RangeError} when the value is too long
   * @throws {StoreUnavailable} when the backend failed; the write may have taken effect
   */
  async raise<T extends NonNullable<JsonValue>>(
    value: T,
    isBelow: (one: T, other: T) => boolean = isLess,
  ): Promise<boolean> {
    const text = this.#state.textFrom(STATE_MODEL_KEY, value);
    for (;;) {
      const entry = await this.#state.entry(STATE_MODEL_KEY);
      if (entry !== undefined && !isBelow(this.#state.valueFrom(entry) as T, value)) return false;
      // Each time that this fails another writer has changed the value.
      const change = { expected: entry?.value ?? null, value: text };
      if (await this.#state.compareAndSet(STATE_MODEL_KEY, change, this.#write())) return true;
    }
  }

  /** Deletes the value; does nothing when there is none. */
  async delete(): Promise<void> {
    await this.#state.delete(STATE_MODEL_KEY);
  }

  #write(): WriteOptions {
    return { expiresAt: null, updatedAt: Math.floor(this.#clock.wallNow()) };
  }
}

function isLess(one: JsonValue, other: JsonValue): boolean {
  if (typeof one === "number" && typeof other === "number") return one < other;
  if (typeof one === "string" && typeof other === "string") return one < other;
  throw new TypeError(
    `Cannot raise a ${typeof one} to a ${typeof other}: say how they are ordered, as the second argument`,
  );
}
