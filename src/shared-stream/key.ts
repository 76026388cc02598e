type KeyPart = string | number | bigint | boolean;

/**
 * Identifies a shared stream. Keys are compared by value, so that triggers that were created apart
 * share a stream when their keys are equal; types are distinguished: 1, 1n, "1" and true are four
 * keys.
 */
export type StreamKey =
  | string
  | number
  | bigint
  | boolean
  | readonly (string | number | bigint | boolean | null)[];

/**
 * Orders the advances of events: those of one lane are advanced in the order of their broadcast.
 * Lanes are compared by value; undefined and null are one lane each.
 */
export type Lane = undefined | null | StreamKey;

/**
 * Returns a text that is equal for equal stream keys and different for different ones; -0 is 0.
 *
 * @throws {TypeError} when `key` is null, undefined or no value of the type
 */
export function textFromKey(key: StreamKey): string {
  if (key === null || key === undefined) {
    throw new TypeError(`Cannot subscribe to a shared stream: its key must not be ${String(key)}`);
  }
  const text = textFrom(key);
  if (text === undefined) {
    throw new TypeError(`Cannot use ${describe(key)} as a stream key: ${KEYABLE}`);
  }
  return text;
}

/**
 * A lane as the key of a Map: the value itself, and for an array its text. A string that could be
 * confused with such a text is quoted.
 */
export type LaneKey = KeyPart | null | undefined;

/** @throws {TypeError} when `lane` is no value of the type */
export function keyFromLane(lane: Lane): LaneKey {
  switch (typeof lane) {
    case "string":
      return isLikeText(lane) ? JSON.stringify(lane) : lane;
    case "undefined":
    case "boolean":
    case "bigint":
      return lane;
    default:
      if (lane === null || (typeof lane === "number" && !Number.isNaN(lane))) return lane;
  }
  const text = textFrom(lane);
  if (text === undefined) {
    throw new TypeError(`Cannot use ${describe(lane)} as an advance lane: ${KEYABLE}`);
  }
  return text;
}

/** Returns a text for logs that is equal for equal lanes and different for different ones. */
export function textFromLaneKey(key: LaneKey): string {
  if (key === undefined) return "";
  if (typeof key === "string") return isLikeText(key) ? key : JSON.stringify(key);
  return key === null ? "null" : (textFromPart(key) as string);
}

/** Whether two stream keys are equal by value. */
export function isSameKey(one: StreamKey, other: StreamKey): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || other === null) return false;
  if (one.length !== other.length) return false;
  return one.every((part, at) => part === other[at]);
}

/** Whether a string begins as the text of an array does, or as a quoted string. */
function isLikeText(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === OPENING_BRACKET || first === QUOTATION_MARK;
}

const OPENING_BRACKET = "[".charCodeAt(0);
const QUOTATION_MARK = '"'.charCodeAt(0);

const KEYABLE = "use a string, number, bigint or boolean, or an array of them";

function textFrom(value: unknown): string | undefined {
  if (!Array.isArray(value)) return textFromPart(value);
  const parts: string[] = [];
  for (const part of value as readonly unknown[]) {
    const text = part === null ? "null" : textFromPart(part);
    if (text === undefined) return undefined;
    parts.push(text);
  }
  return `[${parts.join(",")}]`;
}

function textFromPart(part: unknown): string | undefined {
  switch (typeof part) {
    case "string":
      return JSON.stringify(part);
    case "number":
      return Number.isNaN(part) ? undefined : String(part);
    case "bigint":
      return `${part}n`;
    case "boolean":
      return String(part);
    default:
      return undefined;
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) {
    const parts: readonly unknown[] = value;
    const at = parts.findIndex((part) => part !== null && textFromPart(part) === undefined);
    return `an array whose part ${at} is ${describePart(parts[at])}`;
  }
  return describePart(value);
}

function describePart(value: unknown): string {
  if (Array.isArray(value)) return "an array, which cannot be nested,";
  return typeof value === "number" || typeof value === "symbol" || value === undefined
    ? String(value)
    : typeof value === "object"
      ? "an object"
      : `a ${typeof value}`;
}
