import { type DurationLike, millisecondsFrom } from "../time/mod.ts";

/**
 * Retention of an entry that lives until it is deleted, whatever the default retention is.
 *
 * A registered symbol: two copies of this module share it, and no duration can equal it.
 */
export const NEVER_EXPIRE: unique symbol = Symbol.for("faultlane.never-expire");

/** How long an entry lives. */
export type Retention = DurationLike | typeof NEVER_EXPIRE;

/** The retention of a task instance's entries; Airflow's `[state_store] default_retention_days`. */
export const DEFAULT_RETENTION: DurationLike = Object.freeze({ days: 30 });

/** The end of the year 9999, the latest time that Airflow's databases and clients can represent. */
export const EXPIRES_AT_MAX_MS = 253_402_300_799_999;

/**
 * Returns when an entry written at `now` expires, or null for never.
 *
 * Shape: `retention` is what the call gave, if anything; otherwise `fallback` applies, in which
 * zero means never.
 * Units: `now` and the result in milliseconds since the epoch.
 *
 * @throws {TypeError} when a retention is a bare number or no duration
 * @throws {RangeError} when it is negative, not a whole number of milliseconds, or ends after the
 *   year 9999
 */
export function expiresAtFrom(
  retention: Retention | null | undefined,
  fallback: Retention,
  now: number,
): number | null {
  if (retention === undefined || retention === null) {
    if (fallback === NEVER_EXPIRE) return null;
    const ms = millisecondsFrom(fallback, "default retention");
    return ms === 0 ? null : checkedExpiry(now, ms);
  }
  if (retention === NEVER_EXPIRE) return null;
  return checkedExpiry(now, millisecondsFrom(retention, "retention"));
}

function checkedExpiry(now: number, ms: number): number {
  const expiresAt = now + ms;
  if (expiresAt > EXPIRES_AT_MAX_MS) {
    throw new RangeError(
      `Cannot use ${ms} milliseconds as retention: it ends after the year 9999, write NEVER_EXPIRE instead`,
    );
  }
  return expiresAt;
}

/**
 * Returns whether an entry that expires at `expiresAt` is invisible to a reader at `now`.
 *
 * Units: both in milliseconds since the epoch; a null `expiresAt` means never.
 *
 * @example
 * ```ts
 * import { isExpired } from "faultlane";
 *
 * console.log(isExpired(1_000, 999)); // => false
 * console.log(isExpired(1_000, 1_000)); // => true
 * console.log(isExpired(null, 1_000)); // => false
 * ```
 */
export function isExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
