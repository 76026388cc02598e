import { InvariantViolation } from "../invariant.ts";
import type { StateBackend, StateEntry } from "./backend.ts";
import { StoreUnavailable, UnreadableValue } from "./errors.ts";
import { jsonTextFrom, type JsonValue, jsonValueFromText } from "./json-value.ts";
import { isPayloadRef } from "./payload-ref.ts";
import { describeScope, type StoreScope } from "./scope.ts";

/** The longest JSON text that is stored in a database, in characters: Airflow's default. */
export const VALUE_CHARS_MAX = 65_535;

/** Where a value is kept: everything that a message about it has to name. */
export interface Holder {
  readonly backend: StateBackend;
  readonly scope: StoreScope;
  /** Zero switches the limit off. */
  readonly valueCharsMax: number;
}

/**
 * A holder whose limit is one.
 *
 * @throws {RangeError} when the limit is not a whole number from 0 up
 */
export function holderFrom(
  backend: StateBackend,
  scope: StoreScope,
  valueCharsMax: number = VALUE_CHARS_MAX,
): Holder {
  if (!Number.isSafeInteger(valueCharsMax) || valueCharsMax < 0) {
    throw new RangeError(
      `Cannot use ${String(valueCharsMax)} as valueCharsMax: write a whole number, 0 for no limit`,
    );
  }
  // A copy that nobody can change: the scope of a store is settled when it is made.
  return { backend, scope: Object.freeze({ ...scope }), valueCharsMax };
}

/**
 * The JSON text of a value that may be stored under `key`.
 *
 * @throws {TypeError} when the value cannot be said in JSON
 * @throws {RangeError} when the database would hold more characters than the limit
 */
export function storedTextFrom(holder: Holder, key: string, value: unknown): string {
  const text = jsonTextFrom(value, `the value of "${key}"`);
  const { backend, scope, valueCharsMax } = holder;
  if (valueCharsMax === 0 || text.length <= valueCharsMax) return text;
  const chars = backend.storedChars?.(scope, key, text) ?? text.length;
  if (chars > valueCharsMax) {
    throw new RangeError(
      `Cannot store the value of "${key}": its JSON text has ${chars} characters, the limit is ${valueCharsMax}`,
    );
  }
  return text;
}

/**
 * The value in an entry.
 *
 * @throws {UnreadableValue} when its text is no JSON, would lose digits, or refers to a payload
 *   that this backend has no way to fetch
 */
export function valueFromEntry(scope: StoreScope, entry: StateEntry): JsonValue {
  const { key, value } = entry;
  const subject = `Cannot read "${key}" of ${describeScope(scope)}`;
  if (isPayloadRef(value)) {
    throw new UnreadableValue(
      key,
      `${subject}: it refers to a payload outside of the database, wrap the backend in the OffloadingStateBackend that wrote it`,
    );
  }
  try {
    return jsonValueFromText(value);
  } catch (cause) {
    throw new UnreadableValue(key, `${subject}: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Does `act`, and answers a failure of the world as {@linkcode StoreUnavailable}.
 *
 * What the caller did wrong, and what we did wrong, passes as it is.
 */
export async function fromBackend<T>(what: () => string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (
      cause instanceof StoreUnavailable ||
      cause instanceof UnreadableValue ||
      cause instanceof TypeError ||
      cause instanceof RangeError ||
      cause instanceof InvariantViolation
    ) {
      throw cause;
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreUnavailable(`Cannot ${what()}: ${reason}`, { cause });
  }
}

/**
 * Answers `options` when each of its members is one of `known`.
 *
 * A misspelt member, or a duration written where the options belong, would otherwise mean the
 * default without a word.
 *
 * @throws {TypeError} when `options` is no object or has another member
 */
export function checkedOptions<T extends object>(
  options: T,
  known: readonly (keyof T & string)[],
  call: string,
): T {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      `Cannot use ${String(options)} as the options of ${call}: write ${exampleOf(known)}`,
    );
  }
  for (const name of Object.keys(options)) {
    if ((known as readonly string[]).includes(name)) continue;
    throw new TypeError(`Cannot use "${name}" as an option of ${call}: write ${exampleOf(known)}`);
  }
  return options;
}

function exampleOf(known: readonly string[]): string {
  return known.includes("retention") ? "{ retention: { hours: 6 } }" : `{ ${known.join(", ")} }`;
}
