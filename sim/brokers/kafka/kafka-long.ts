/** An offset as the library has it within: a number of 64 bits, which shows as text. */
export class KafkaLong {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }

  toString(): string {
    return String(this.value);
  }

  toJSON(): string {
    return this.toString();
  }
}

const NO_NUMBERS: ReadonlySet<unknown> = new Set(["NaN", "Infinity", "+Infinity", "-Infinity"]);

/**
 * Returns what the library takes for an offset.
 *
 * Source: kafkajs 2.2.4, src/utils/long.js, `fromValue`
 *
 * @throws {Error} for what it takes for none
 */
export function longFrom(given: unknown): bigint {
  if (Number.isNaN(given) || NO_NUMBERS.has(given)) return 0n;
  if (given === "") throw new SyntaxError("Cannot make a number of no text");
  if (given === undefined || given === null) throw new TypeError("Cannot make a number of nothing");
  const { value } = given as { readonly value?: unknown };
  return BigInt(typeof value === "bigint" ? value : (given as string));
}
