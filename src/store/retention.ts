import { type DurationLike, millisecondsFrom } from "../time/mod.ts";

/**
 * Says that a key lives until it is deleted, whatever the default retention is.
 *
 * A registered symbol: two copies of this module agree on it, nothing can be equal to it by
 * accident, and it cannot be cloned into something that merely looks like it.
 */
export const NEVER_EXPIRE: unique symbol = Symbol.for("faultlane.never-expire");

/** How long an entry lives. */
export type Retention = DurationLike | typeof NEVER_EXPIRE;

/** What is kept when nobody says how long: Airflow's `[state_store] default_retention_days`. */
export const DEFAULT_RETENTION: DurationLike = Object.freeze({ days: 30 });

/** The end of the year 9999: Airflow's databases and clients can say no later date. */
export const EXPIRES_AT_MAX_MS = 253_402_300_799_999;

/**
 * When an entry that is written now expires, or null for never.
 *
 * Shape: `retention` is what the call says, undefined when it says nothing; only then is `fallback`
 * read, where zero means never.
 * Units: `now` and the answer in milliseconds since the epoch.
 *
 * @throws {TypeError} when a retention is a bare number or no duration
 * @throws {RangeError} when it is negative, not whole, or ends after the year 9999
 */
export function expiresAtFrom(
  retention: Retention | undefined,
  fallback: Retention,
  now: number,
): number | null {
  if (retention === undefined) {
    if (fallback === NEVER_EXPIRE) return null;
    const ms = millisecondsFrom(fallback, "default retention");
    return ms === 0 ? null : dueAt(now, ms);
  }
  if (retention === NEVER_EXPIRE) return null;
  return dueAt(now, millisecondsFrom(retention, "retention"));
}

function dueAt(now: number, ms: number): number {
  const at = now + ms;
  if (at > EXPIRES_AT_MAX_MS) {
    throw new RangeError(
      `Cannot use ${ms} milliseconds as retention: it ends after the year 9999, write NEVER_EXPIRE instead`,
    );
  }
  return at;
}

/** Whether an entry that expires at `expiresAt` is gone for a reader at `now`. */
export function isExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
