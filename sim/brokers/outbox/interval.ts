import { NotModelled } from "../not-modelled.ts";
import { storedDate } from "../stored-date.ts";
import { SqlError } from "./sql-error.ts";
import { toEven } from "./rounding.ts";
import { SEE } from "./sql-tokens.ts";

/**
 * An interval as a server keeps it: months, days and time are counted apart, since months and days
 * have no fixed length. Each may have a sign of its own.
 *
 * Source: PostgreSQL 15, timestamp.c
 */
export interface Interval {
  readonly months: number;
  readonly days: number;
  /** The time in milliseconds, with three places. */
  readonly ms: number;
}

export const NO_TIME: Interval = { months: 0, days: 0, ms: 0 };

export const SECOND_MS: number = 1_000;
export const MINUTE_MS: number = 60 * SECOND_MS;
export const HOUR_MS: number = 60 * MINUTE_MS;
export const DAY_MS: number = 24 * HOUR_MS;
const DAY_SECONDS = 86_400;
export const MONTHS_OF_YEAR: number = 12;
/** What a month counts for where intervals are compared or divided. */
export const DAYS_OF_MONTH: number = 30;
/** What a year counts for in seconds. */
const DAYS_OF_YEAR = 365.25;
export const US_PER_MS: number = 1_000;
const US_PER_SECOND = 1_000_000;
/** Months and days are of 32 bits, microseconds of 64. */
const [COUNT_MAX, TIME_MS_MAX] = [2 ** 31, 2 ** 63 / US_PER_MS];
/** The least time. */
export const LEAST_MS: number = -TIME_MS_MAX;

/** Whether a server has room for it. */
export function hasRoomFor({ months, days, ms }: Interval): boolean {
  const hasCounts = [months, days].every((count) => count >= -COUNT_MAX && count < COUNT_MAX);
  return hasCounts && ms >= LEAST_MS && ms < TIME_MS_MAX;
}

/** @throws {SqlError} when a server has no room for it */
function inRange(interval: Interval): Interval {
  if (!hasRoomFor(interval)) throw new SqlError("22008", "interval out of range");
  return interval;
}

/** @throws {SqlError} for a sum that is too large */
export function plus(a: Interval, b: Interval): Interval {
  const ms = inMicroseconds(a.ms + b.ms);
  return inRange({ months: a.months + b.months, days: a.days + b.days, ms });
}

/** @throws {SqlError} when its counterpart is too large */
export function negative({ months, days, ms }: Interval): Interval {
  return inRange({ months: -months, days: -days, ms: -ms });
}

/**
 * Multiplies: the fraction of a month becomes days, that of a day time.
 *
 * @throws {SqlError} for what is too large
 */
export function times({ months, days, ms }: Interval, factor: number): Interval {
  return cascaded(months * factor, days * factor, ms * factor);
}

/**
 * Divides, with what is left as times() has it.
 *
 * @throws {SqlError} for a division by zero
 * @throws {NotModelled} for what is too large: a server does not look
 */
export function over({ months, days, ms }: Interval, divisor: number): Interval {
  if (divisor === 0) throw new SqlError("22012", "division by zero");
  const parts = [months / divisor, days / divisor, ms / divisor] as const;
  if (!hasRoomFor({ months: parts[0], days: parts[1], ms: parts[2] })) {
    throw new NotModelled("an interval that a division makes too large", SEE);
  }
  return cascaded(...parts);
}

/** Source: PostgreSQL 15, "interval_mul" */
function cascaded(months: number, days: number, ms: number): Interval {
  const wholes = { months: Math.trunc(months), days: Math.trunc(days) };
  // Whether there is room is asked before what is left is added.
  inRange({ ...wholes, ms: 0 });
  const ofMonth = inMicros((months - wholes.months) * DAYS_OF_MONTH);
  let seconds = inMicros((days - wholes.days + ofMonth - Math.trunc(ofMonth)) * DAY_SECONDS);
  const more = Math.trunc(seconds / DAY_SECONDS);
  seconds -= more * DAY_SECONDS;
  return inRange({
    months: wholes.months,
    days: wholes.days + more + Math.trunc(ofMonth),
    ms: inMicroseconds(ms + seconds * SECOND_MS),
  });
}

/** Rounds to six places. */
function inMicros(value: number): number {
  return toEven(value * US_PER_SECOND) / US_PER_SECOND;
}

/** Rounds milliseconds to whole microseconds. */
export function inMicroseconds(ms: number): number {
  return toEven(ms * US_PER_MS) / US_PER_MS;
}

/** Compares: a month counts for thirty days, and a day for 24 hours. */
export function comparedIntervals(a: Interval, b: Interval): number {
  const [[days, ms], [otherDays, otherMs]] = [spanOf(a), spanOf(b)];
  return Math.sign(days === otherDays ? ms - otherMs : days - otherDays);
}

/** What it counts for where it is compared: whole days, and what is left in milliseconds. */
export function spanOf({ months, days, ms }: Interval): readonly [days: number, ms: number] {
  const more = Math.floor(ms / DAY_MS);
  return [months * DAYS_OF_MONTH + days + more, ms - more * DAY_MS];
}

/** The time between two instants in milliseconds since the epoch: whole days, and what is left. */
export function between(later: number, earlier: number): Interval {
  const ms = later - earlier;
  return { ...NO_TIME, days: Math.trunc(ms / DAY_MS), ms: ms % DAY_MS };
}

/**
 * Returns the instant that is so much later, in milliseconds since the epoch; the server's zone is
 * taken to be UTC. A month that has too few days is counted to its last.
 */
export function laterBy(instant: number, { months, days, ms }: Interval): number {
  return withMonths(instant, months) + days * DAY_MS + ms;
}

function withMonths(instant: number, months: number): number {
  if (months === 0) return instant;
  const day = Math.floor(instant / DAY_MS) * DAY_MS;
  const date = storedDate(day);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = storedDate(storedDate(0).setUTCFullYear(year, month + 1, 0)).getUTCDate();
  return date.setUTCFullYear(year, month, Math.min(date.getUTCDate(), lastDay)) + (instant - day);
}

/** The seconds that extract() gives. */
export function secondsOf({ months, days, ms }: Interval): number {
  const years = Math.trunc(months / MONTHS_OF_YEAR);
  const all = DAYS_OF_YEAR * years + DAYS_OF_MONTH * (months % MONTHS_OF_YEAR) + days;
  return all * DAY_SECONDS + ms / SECOND_MS;
}

/** The fields that it is shown with. */
export interface IntervalFields {
  readonly years: number;
  readonly months: number;
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  /** The rest of a second, with three places. */
  readonly milliseconds: number;
}

/** Returns its fields: years have twelve months and hours sixty minutes, days have no fixed hours. */
export function fieldsOf({ months, days, ms }: Interval): IntervalFields {
  const of = (unit: number, within: number): number => Math.trunc((ms % within) / unit);
  return {
    years: Math.trunc(months / MONTHS_OF_YEAR),
    months: months % MONTHS_OF_YEAR,
    days,
    hours: Math.trunc(ms / HOUR_MS),
    minutes: of(MINUTE_MS, HOUR_MS),
    seconds: of(SECOND_MS, MINUTE_MS),
    milliseconds: inMicroseconds(ms % SECOND_MS),
  };
}

/**
 * Returns it as a server writes it, such as "1 mon -2 days +03:04:05.5".
 *
 * Source: PostgreSQL 15, datetime.c, "EncodeInterval"
 */
export function textOfInterval(interval: Interval): string {
  const { years, months, days, hours, minutes, seconds, milliseconds } = fieldsOf(interval);
  const words: string[] = [];
  let isAfterNegative = false;
  for (const [count, unit] of [
    [years, "year"],
    [months, "mon"],
    [days, "day"],
  ] as const) {
    if (count === 0) continue;
    const sign = isAfterNegative && count > 0 ? "+" : "";
    words.push(`${sign}${count} ${unit}${count === 1 ? "" : "s"}`);
    isAfterNegative = count < 0;
  }
  if (words.length > 0 && interval.ms === 0) return words.join(" ");
  const sign = interval.ms < 0 ? "-" : isAfterNegative ? "+" : "";
  const clock = [hours, minutes, seconds].map((one) => String(Math.abs(one)).padStart(2, "0"));
  const shown = fractionText(Math.abs(milliseconds));
  return [...words, `${sign}${clock.join(":")}${shown}`].join(" ");
}

/** Returns the rest of a second as a server writes it behind one, such as ".25"; empty for none. */
export function fractionText(ms: number): string {
  const digits = String(Math.round(ms * US_PER_MS)).padStart(6, "0");
  return `.${digits}`.replace(/\.?0+$/, "");
}
