import { jsonTextFrom, type JsonValue, jsonValueFromText } from "../json-value.ts";
import type { StateBackend, StateEntry } from "./backend.ts";
import { UnreadableValue } from "./errors.ts";
import { isPayloadRef } from "./payload-ref.ts";
import { describeScope, type StoreScope } from "./scope.ts";

/** The longest stored JSON text of a value, in UTF-16 code units; Airflow's default. */
export const VALUE_CHARS_MAX = 65_535;

/** Where values are stored, and how long they may be. */
export interface ValueTarget {
  readonly backend: StateBackend;
  readonly scope: StoreScope;
  /** In UTF-16 code units; 0 means no limit. */
  readonly valueCharsMax: number;
  /** Counts the characters of a JSON text; by default its UTF-16 code units. */
  readonly charsOf?: (text: string) => number;
}

/**
 * Returns the JSON text of a value that is stored under `key`.
 *
 * @throws {TypeError} when JSON cannot represent the value
 * @throws {RangeError} when the text that the database would hold is longer than the limit
 */
export function storedTextFrom(target: ValueTarget, key: string, value: unknown): string {
  if (value === null || value === undefined) {
    throw new TypeError(
      `Cannot store ${value} as the value of "${key}": delete the key to store nothing`,
    );
  }
  const text = jsonTextFrom(value, `the value of "${key}"`);
  const { backend, scope, valueCharsMax, charsOf = unitsOf } = target;
  if (valueCharsMax === 0 || charsOf(text) <= valueCharsMax) return text;
  const chars = backend.storedChars?.(scope, key, text) ?? charsOf(text);
  if (chars > valueCharsMax) {
    throw new RangeError(
      `Cannot store the value of "${key}": its JSON text has ${chars} characters, the limit is ${valueCharsMax}`,
    );
  }
  return text;
}

function unitsOf(text: string): number {
  return text.length;
}

/**
 * Returns the value in an entry.
 *
 * @throws {UnreadableValue} when its text is not JSON, would lose digits, or refers to a payload
 *   that this backend cannot fetch
 */
export function valueFromEntry(scope: StoreScope, entry: StateEntry): JsonValue {
  const { key, value } = entry;
  const subject = `Cannot read "${key}" of ${describeScope(scope)}`;
  if (isPayloadRef(value)) {
    throw new UnreadableValue(
      key,
      `${subject}: it refers to a payload outside the database, wrap the backend in an OffloadingStateBackend`,
    );
  }
  try {
    return jsonValueFromText(value);
  } catch (cause) {
    throw new UnreadableValue(key, `${subject}: ${(cause as Error).message}`, { cause });
  }
}
