import { NotModelled } from "../not-modelled.ts";
import {
  DAY_MS,
  DAYS_OF_MONTH,
  hasRoomFor,
  HOUR_MS,
  MINUTE_MS,
  MONTHS_OF_YEAR,
  SECOND_MS,
  US_PER_MS,
  inMicroseconds,
  LEAST_MS,
  negative,
  NO_TIME,
  plus,
  type Interval,
} from "./interval.ts";
import { toEven } from "./rounding.ts";
import { SqlError } from "./sql-error.ts";
import { SEE } from "./sql-tokens.ts";

const WEEK_DAYS = 7;

/** An interval as it is written: years are apart until all is read. */
interface Written extends Interval {
  readonly years: number;
}

/** What one of a unit counts for: years, months, days or milliseconds. */
type Unit = readonly [part: keyof Written, count: number];

/**
 * What a unit is called in a text.
 *
 * Source: PostgreSQL 15, datetime.c, "deltatktbl"
 */
const NAMES: readonly (readonly [unit: Unit, ...names: string[]])[] = [
  [
    ["ms", 0.001],
    ...["us", "usec", "usecs", "usecond", "useconds"],
    ...["microsecond", "microseconds", "microsecon"],
  ],
  [
    ["ms", 1],
    ...["ms", "msec", "msecs", "msecond", "mseconds"],
    ...["millisecond", "milliseconds", "millisecon"],
  ],
  [["ms", SECOND_MS], "s", "sec", "secs", "second", "seconds"],
  [["ms", MINUTE_MS], "m", "min", "mins", "minute", "minutes"],
  [["ms", HOUR_MS], "h", "hr", "hrs", "hour", "hours"],
  [["days", 1], "d", "day", "days"],
  [["days", WEEK_DAYS], "w", "week", "weeks"],
  [["months", 1], "mon", "mons", "month", "months"],
  [["years", 1], "y", "yr", "yrs", "year", "years"],
  [["years", 10], "dec", "decs", "decade", "decades"],
  [["years", 100], "c", "cent", "century", "centuries"],
  [["years", 1_000], "mil", "mils", "millennium", "millennia"],
];
const UNITS: ReadonlyMap<string, Unit> = new Map(
  NAMES.flatMap(([unit, ...names]) => names.map((name) => [name, unit] as const)),
);
/** The units that a fraction of a second takes, too. */
const OF_SECONDS = unitsOf("us", "ms", "s");
/** The units that a time of the clock takes. */
const OF_CLOCK = unitsOf("us", "ms", "s", "m", "h");

function unitsOf(...names: readonly string[]): readonly Unit[] {
  return names.map((name) => UNITS.get(name)).filter((unit) => unit !== undefined);
}
const NUMBER = /^\s*[-+]?\d+(\.\d+)?\s*$/;
/**
 * A word is a field of its own, but for one that a digit or a sign follows at once: these together
 * are a date, unless dates know the word by itself.
 *
 * Source: PostgreSQL 15, datetime.c, "ParseDateTime"
 */
const WORD = String.raw`(?:[dhmsy]|dec|mon)(?![a-z./-])|[a-z]+(?![a-z\d+./-])`;
const SECONDS = String.raw`(?<seconds>\d\d?(?:\.\d+)?)`;
const CLOCK = String.raw`(?<hours>\d+):(?<minutes>\d\d?)(?::${SECONDS})?(?![\d:.])`;
const AMOUNT = String.raw`(?<amount>[-+]?(?:\d+(?:\.\d*)?|\.\d+))\s*(?<unit>${WORD})`;
const PIECE = new RegExp(
  String.raw`\s*(?:(?<sign>[-+]?)${CLOCK}|${AMOUNT}|(?<alone>${WORD}))`,
  "iy",
);
const ISO =
  /^P(?:(?<y>-?[\d.]+)Y)?(?:(?<mon>-?[\d.]+)M)?(?:(?<w>-?[\d.]+)W)?(?:(?<d>-?[\d.]+)D)?(?:T(?:(?<h>-?[\d.]+)H)?(?:(?<m>-?[\d.]+)M)?(?:(?<s>-?[\d.]+)S)?)?$/;

const NONE: Written = { ...NO_TIME, years: 0 };

/**
 * Returns the interval of make_interval() with these parameters. The server does not look whether
 * they are too large: months and days wrap around at 32 bits, and what has no place as seconds
 * becomes the least time.
 *
 * Source: PostgreSQL 15, timestamp.c, "make_interval"
 */
export function intervalOf(parts: ReadonlyMap<string, number>): Interval {
  const of = (name: string): number => parts.get(name) ?? 0;
  const seconds = inMicroseconds(of("secs") * SECOND_MS);
  const hasRoom = hasRoomFor({ ...NO_TIME, ms: seconds });
  return {
    months: (Math.imul(of("years"), MONTHS_OF_YEAR) + of("months")) | 0,
    days: (Math.imul(of("weeks"), WEEK_DAYS) + of("days")) | 0,
    ms: inMicroseconds(
      of("hours") * HOUR_MS + of("mins") * MINUTE_MS + (hasRoom ? seconds : LEAST_MS),
    ),
  };
}

/**
 * Returns the interval that a text names; undefined for what names none.
 *
 * @throws {SqlError} for a time of the clock with more than 59 minutes, and for what is too large
 * @throws {NotModelled} for SQL's own ways to write one
 */
export function intervalIn(given: string): Interval | undefined {
  const text = given.trim();
  const written = writtenIn(text);
  if (written === undefined) return undefined;
  const interval = plus(NO_TIME, asInterval(written));
  return /\sago$/i.test(text) ? negative(interval) : interval;
}

function writtenIn(text: string): Written | undefined {
  // A number without a unit counts seconds.
  if (NUMBER.test(text)) return totalOf([amountOf(Number(text), ["ms", SECOND_MS])], text);
  if (text.startsWith("P")) return isoIn(text);
  const body = text.replace(/^@\s*/, "").replace(/\s*\bago$/i, "");
  if (body === "") return undefined;
  const groups: Groups[] = [];
  const piece = new RegExp(PIECE.source, PIECE.flags);
  while (piece.lastIndex < body.length) {
    const rest = body.slice(piece.lastIndex);
    const found = piece.exec(body)?.groups;
    if (found === undefined) {
      if (/^[\d\s:.+-]+$/.test(rest)) throw new NotModelled(`the interval "${text}"`, SEE);
      return undefined;
    }
    const { alone } = found;
    if (alone === undefined) groups.push(found);
    // A unit without an amount, such as one behind a time of the clock, says nothing.
    else if (!UNITS.has(alone.toLowerCase())) return undefined;
  }
  if (groups.length === 0) return undefined;
  return writtenOf(groups.toReversed(), text);
}

/** A server reads the pieces from the last to the first: what is wrong there is what it says. */
function writtenOf(pieces: readonly Groups[], text: string): Written | undefined {
  const taken = new Set<Unit>();
  let all = NONE;
  for (const one of pieces) {
    const piece = pieceOf(one, text);
    if (piece === undefined) return undefined;
    // A time of the clock takes the place of what fractions of what stands behind it left.
    const before = piece.units === OF_CLOCK ? { ...all, ms: 0 } : all;
    all = totalOf([before, piece.written], text);
    // A unit is there once.
    if (piece.units.some((unit) => taken.has(unit))) return undefined;
    for (const unit of piece.units) taken.add(unit);
  }
  return all;
}

function added(a: Written, b: Written): Written {
  return {
    years: a.years + b.years,
    months: a.months + b.months,
    days: a.days + b.days,
    ms: inMicroseconds(a.ms + b.ms),
  };
}

/** @throws {SqlError} when one of its parts is too large */
function totalOf(all: readonly Written[], text: string): Written {
  const total = all.reduce(added, NONE);
  const hasRoom = hasRoomFor(total) && hasRoomFor({ ...NO_TIME, months: total.years });
  if (!hasRoom) throw outOfRange(text);
  return total;
}

function asInterval({ years, months, days, ms }: Written): Interval {
  return { months: years * MONTHS_OF_YEAR + months, days, ms };
}

type Groups = Readonly<Record<string, string | undefined>>;

interface Piece {
  readonly written: Written;
  readonly units: readonly Unit[];
}

/** What one amount with its unit, or one time of the clock, counts for. */
function pieceOf(groups: Groups, text: string): Piece | undefined {
  const { sign, hours, minutes, seconds = "0", amount, unit } = groups;
  if (hours !== undefined) {
    if (Number(minutes) >= 60 || Number(seconds) > 60) throw outOfRange(text);
    const ms = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
    const written = amountOf(sign === "-" ? -ms : ms, ["ms", 1]);
    return { written, units: OF_CLOCK };
  }
  const one = UNITS.get((unit ?? "").toLowerCase());
  if (one === undefined) return undefined;
  const isOfSeconds = one === UNITS.get("s") && Number(amount) % 1 !== 0;
  return { written: amountOf(Number(amount), one), units: isOfSeconds ? OF_SECONDS : [one] };
}

/** So many of a unit: the fraction of a year becomes months, of a month days, of a day time. */
function amountOf(amount: number, [part, count]: Unit): Written {
  const whole = Math.trunc(amount);
  const rest = (amount - whole) * count;
  if (part === "ms") return { ...NONE, ms: inMicroseconds(whole * count) + msOf(rest) };
  if (part === "years") {
    return { ...NONE, years: whole * count, months: toEven(rest * MONTHS_OF_YEAR) };
  }
  if (part === "days") return { ...NONE, ...daysOf(rest, whole * count) };
  return { ...NONE, ...daysOf(rest * DAYS_OF_MONTH, 0), months: whole };
}

function daysOf(fraction: number, whole: number): Pick<Interval, "days" | "ms"> {
  const more = Math.trunc(fraction);
  return { days: whole + more, ms: msOf((fraction - more) * DAY_MS) };
}

/** Rounds a fraction to whole microseconds: the half of one goes away. */
function msOf(ms: number): number {
  const us = ms * US_PER_MS;
  const whole = Math.trunc(us);
  return (whole + toEven(us - whole)) / US_PER_MS;
}

/** An interval as ISO 8601 has it, such as PT30S. */
function isoIn(text: string): Written | undefined {
  const groups = /\d/.test(text) ? ISO.exec(text)?.groups : undefined;
  if (groups === undefined) {
    if (/^P[-\d.YMWDTHS:]*\d/.test(text)) throw new NotModelled(`the interval "${text}"`, SEE);
    return undefined;
  }
  const parts = ["y", "mon", "w", "d", "h", "m", "s"].map((name) => {
    return amountOf(Number(groups[name] ?? 0), UNITS.get(name) ?? ["ms", 0]);
  });
  return totalOf(parts, text);
}

function outOfRange(text: string): SqlError {
  return new SqlError("22015", `interval field value out of range: "${text}"`);
}
