type KeyPart = string | number | bigint | boolean;

/** What a shared stream is known by; compared by value, so that siblings find each other. */
export type StreamKey = KeyPart | readonly (KeyPart | null)[];

/**
 * What orders the advances of an event; compared by value. Undefined and null are one lane each.
 */
export type Lane = undefined | null | StreamKey;

/**
 * The text that stands for a stream key: equal for equal values, different for different ones.
 *
 * Holds: types are told apart (1, 1n, "1" and true are four keys); -0 is 0.
 *
 * @throws {TypeError} when `key` is null or undefined, or nothing that can be compared by value
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
 * What a lane is known by in a Map: the value itself, or the text of an array. A string that could
 * be taken for such a text is quoted.
 */
export type LaneKey = KeyPart | null | undefined;

/** @throws {TypeError} when `lane` cannot be compared by value */
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

/** The text that stands for a lane, for logs: equal for equal lanes, different for different ones. */
export function textFromLaneKey(key: LaneKey): string {
  if (key === undefined) return "";
  if (typeof key === "string") return isLikeText(key) ? key : JSON.stringify(key);
  return key === null ? "null" : (textFromPart(key) as string);
}

/** Whether two stream keys are equal by value; types are told apart. */
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
  if (Array.isArray(value)) return "an array with a part that is none of them";
  return typeof value === "number" || typeof value === "symbol"
    ? String(value)
    : `a ${typeof value}`;
}
