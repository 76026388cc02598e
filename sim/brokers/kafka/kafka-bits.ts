const LIMITS = { 16: 2 ** 15, 32: 2 ** 31 } as const;

/** Whether a number can be written as a signed integer of so many bits. */
export function fits(value: number, bits: 16 | 32): boolean {
  return value >= -LIMITS[bits] && value < LIMITS[bits];
}

/**
 * Checks a number as the runtime does where the library writes it into so many bits.
 *
 * @throws {RangeError} when it does not fit
 */
export function assertFits(value: number, bits: 16 | 32): void {
  if (fits(value, bits)) return;
  const limit = LIMITS[bits];
  const range = `It must be >= ${-limit} and <= ${limit - 1}`;
  const message = `The value of "value" is out of range. ${range}. Received ${value}`;
  throw Object.assign(new RangeError(message), { code: "ERR_OUT_OF_RANGE" });
}
