/**
 * A length of time in named units, which add up; a `Temporal.Duration` fits. A bare number does
 * not, because it does not say whether it counts seconds or days.
 *
 * Source: Airflow 3.3, core-concepts/task-state-store, "retention accepts only"
 */
export interface DurationLike {
  /** Days of 24 hours. */
  readonly days?: number;
  /** Hours. */
  readonly hours?: number;
  /** Minutes. */
  readonly minutes?: number;
  /** Seconds. */
  readonly seconds?: number;
  /** Milliseconds. */
  readonly milliseconds?: number;
}

const MS_PER_UNIT = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1_000],
  ["milliseconds", 1],
] as const;

/** Units of a Temporal.Duration that depend on a calendar or are finer than a millisecond. */
const REFUSED_UNITS = ["years", "months", "weeks", "microseconds", "nanoseconds"] as const;

/**
 * Converts a duration to milliseconds.
 *
 * Shape: `subject` is named in errors, to say what the duration is for: "ackTimeout".
 *
 * @throws {TypeError} when `duration` is a number, is no object, has no known unit, has an unknown
 * unit, or has a value that is not a number
 * @throws {RangeError} when the sum is negative, infinite or not a whole number of milliseconds
 *
 * @example
 * ```ts
 * import { millisecondsFrom } from "faultlane";
 *
 * console.log(millisecondsFrom({ minutes: 1, seconds: 30 }, "ackTimeout")); // => 90000
 * ```
 */
export function millisecondsFrom(duration: DurationLike, subject: string): number {
  if (typeof duration === "number") {
    throw new TypeError(
      `Cannot use a bare number as ${subject}: current value is ${duration}, write { seconds: ${duration} } or { days: ${duration} } instead`,
    );
  }
  if (typeof duration !== "object" || duration === null) {
    throw new TypeError(
      `Cannot use ${describe(duration)} as ${subject}: write a duration such as { seconds: 30 }`,
    );
  }
  refuseOtherUnits(duration, subject);
  let sum = 0;
  let named = 0;
  for (const [unit, length] of MS_PER_UNIT) {
    const amount = duration[unit];
    if (amount === undefined) continue;
    if (typeof amount !== "number") {
      throw new TypeError(
        `Cannot use ${describe(amount)} as ${unit} of ${subject}: write a number`,
      );
    }
    named += 1;
    sum += amount * length;
  }
  if (named === 0) {
    throw new TypeError(
      `Cannot use an object without a unit as ${subject}: write a duration such as { seconds: 30 }`,
    );
  }
  return wholeMilliseconds(sum, subject);
}

function refuseOtherUnits(duration: DurationLike, subject: string): void {
  const fields = duration as Readonly<Record<string, unknown>>;
  for (const unit of REFUSED_UNITS) {
    const amount = fields[unit];
    if (amount === undefined || amount === 0) continue;
    throw new TypeError(
      `Cannot use ${unit} in ${subject}: write days, hours, minutes, seconds or milliseconds`,
    );
  }
  for (const unit of Object.keys(duration)) {
    if (MS_PER_UNIT.some(([known]) => known === unit)) continue;
    if (REFUSED_UNITS.some((known) => known === unit)) continue;
    throw new TypeError(
      `Cannot use the unit "${unit}" in ${subject}: write days, hours, minutes, seconds or milliseconds`,
    );
  }
}

function wholeMilliseconds(sum: number, subject: string): number {
  const rounded = Math.round(sum);
  if (!Number.isFinite(sum) || sum < 0 || Math.abs(sum - rounded) > 1e-6) {
    throw new RangeError(
      `Cannot use ${sum} milliseconds as ${subject}: a duration is zero or more whole milliseconds`,
    );
  }
  return rounded;
}

function describe(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
