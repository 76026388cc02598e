const NAME_BYTES_MAX = 255;
const PREFETCH_MAX = 65_535;

/**
 * Checks fields that are written as short texts; one that is not given is an empty text.
 *
 * Source: amqplib 2, defs.js
 */
export function assertShortTexts(fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    const bytes = typeof value === "string" ? new TextEncoder().encode(value).length : undefined;
    if (value === undefined || (bytes !== undefined && bytes <= NAME_BYTES_MAX)) continue;
    const why = `must be a string (up to ${NAME_BYTES_MAX} chars)`;
    throw new TypeError(`Field '${name}' is the wrong type; ${why}`);
  }
}

/**
 * A count is written as a number of two bytes.
 *
 * Source: amqplib 2, defs.js, encodeBasicQos
 */
export function assertPrefetch(count: unknown): void {
  assertNumber("prefetchCount", count);
  if (count >= 0 && count <= PREFETCH_MAX) return;
  throw outOfRange(`>= 0 and <= ${PREFETCH_MAX}`, `${count}`);
}

/**
 * Checks fields without which a method cannot be written.
 *
 * Source: amqplib 2, defs.js
 */
export function assertGiven(fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) throw new Error(`Missing value for mandatory field '${name}'`);
  }
}

/** Checks arguments that are written as a table; null is an empty one. */
export function assertTable(value: unknown): void {
  if (typeof value === "object") return;
  throw new TypeError("Field 'arguments' is the wrong type; must be an object");
}

/**
 * Checks a whole number of eight bytes.
 *
 * Source: amqplib 2, defs.js, encodeBasicAck
 */
export function assertLong(name: string, value: unknown): asserts value is number {
  assertNumber(name, value);
  // As the library has it: a number with a fraction is refused by the language.
  if (BigInt(value) < 0) throw outOfRange(">= 0n and < 2n ** 64n", `${value}n`);
}

/** The error of a buffer into which a number does not fit. Source: Node.js, `buffer` */
export function outOfRange(range: string, received: string): RangeError {
  const what = `The value of "value" is out of range. It must be ${range}. Received ${received}`;
  return Object.assign(new RangeError(what), { code: "ERR_OUT_OF_RANGE" });
}

/** Checks a field that is written as a number. */
export function assertNumber(name: string, value: unknown): asserts value is number {
  if (typeof value === "number" && !Number.isNaN(value)) return;
  const why = "must be a number (but not NaN)";
  throw new TypeError(`Field '${name}' is the wrong type; ${why}`);
}
