const LIMITS = { 16: 2 ** 15, 32: 2 ** 31 } as const;

/**
 * Checks a number as the runtime does where the library writes it into so many bits.
 *
 * @throws {RangeError} when it does not fit
 */
export function assertFits(value: number, bits: 16 | 32): void {
  const limit = LIMITS[bits];
  if (value >= -limit && value < limit) return;
  const range = `It must be >= ${-limit} and <= ${limit - 1}`;
  const message = `The value of "value" is out of range. ${range}. Received ${value}`;
  throw Object.assign(new RangeError(message), { code: "ERR_OUT_OF_RANGE" });
}
