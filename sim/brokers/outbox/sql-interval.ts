import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { SEE } from "./sql-tokens.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** What a unit is called in a text. Source: PostgreSQL, datetime.c, "deltatktbl" */
const NAMES: readonly (readonly [ms: number, ...names: string[]])[] = [
  [
    0.001,
    "us",
    "usec",
    "usecs",
    "usecond",
    "useconds",
    "microsecond",
    "microseconds",
    "microsecon",
  ],
  [1, "ms", "msec", "msecs", "msecond", "mseconds", "millisecond", "milliseconds", "millisecon"],
  [SECOND, "s", "sec", "secs", "second", "seconds"],
  [MINUTE, "m", "min", "mins", "minute", "minutes"],
  [HOUR, "h", "hr", "hrs", "hour", "hours"],
  [DAY, "d", "day", "days"],
  [WEEK, "w", "week", "weeks"],
];
const UNITS: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap(([ms, ...names]) => names.map((name) => [name, ms] as const)),
);
/** A month has no fixed length: a server keeps it apart. */
const OF_MONTHS =
  /^(mon|mons|month|months|qtr|quarter|y|yr|yrs|year|years|dec|decs|decade|decades|c|cent|century|centuries|mil|mils|millennium|millennia)$/;
/** The parameters of make_interval(). */
const PARTS: ReadonlyMap<string, number> = new Map([
  ["weeks", WEEK],
  ["days", DAY],
  ["hours", HOUR],
  ["mins", MINUTE],
  ["secs", SECOND],
]);
const NUMBER = /^\s*[-+]?\d+(\.\d+)?\s*$/;
const PIECE =
  /\s*(?:(?<sign>[-+]?)(?<hours>\d+):(?<minutes>\d\d?)(?::(?<seconds>\d\d?(?:\.\d+)?))?(?![\d:.])|(?<amount>[-+]?(?:\d+(?:\.\d*)?|\.\d+))\s*(?<unit>[a-z]+))/iy;
const ISO =
  /^P(?:(?<w>-?[\d.]+)W)?(?:(?<d>-?[\d.]+)D)?(?:T(?:(?<h>-?[\d.]+)H)?(?:(?<m>-?[\d.]+)M)?(?:(?<s>-?[\d.]+)S)?)?$/;

/**
 * Returns the milliseconds of a part of make_interval(); undefined for what is none.
 *
 * @throws {NotModelled} for years and months
 */
export function partMs(name: string): number | undefined {
  if (name === "years" || name === "months") throw ofMonths(name);
  return PARTS.get(name);
}

/**
 * Returns the milliseconds of an interval as a text; undefined for what is none.
 *
 * @throws {SqlError} for a time of the clock with more than 59 minutes
 * @throws {NotModelled} for one with months or years, and for SQL's own ways to write one
 */
export function intervalMsIn(given: string): number | undefined {
  const text = given.trim();
  // A number without a unit counts seconds.
  if (NUMBER.test(text)) return Number(text) * SECOND;
  if (text.startsWith("P")) return isoMsIn(text);
  const isAgo = /\sago$/i.test(text);
  const body = text.replace(/^@\s*/, "").replace(/\s*\bago$/i, "");
  if (body === "") return undefined;
  let [ms, days] = [0, 0];
  const taken = new Set<number>();
  const piece = new RegExp(PIECE.source, PIECE.flags);
  while (piece.lastIndex < body.length) {
    const at = piece.lastIndex;
    const found = pieceOf(piece.exec(body)?.groups, text);
    if (found === undefined) {
      if (/^[\d\s:.+-]+$/.test(body.slice(at)))
        throw new NotModelled(`the interval "${text}"`, SEE);
      return undefined;
    }
    // A unit is there once.
    if (found.units.some((unit) => taken.has(unit))) return undefined;
    for (const unit of found.units) taken.add(unit);
    ms += found.ms;
    if (found.units.some((unit) => unit >= DAY)) days += found.ms;
  }
  // A server keeps days apart, and shows both.
  if (days * (ms - days) < 0) throw new NotModelled(`the interval "${text}"`, SEE);
  return isAgo ? -ms : ms;
}

interface Piece {
  readonly ms: number;
  readonly units: readonly number[];
}

/** What one amount with its unit, or one time of the clock, counts for. */
function pieceOf(
  piece: Readonly<Record<string, string | undefined>> | undefined,
  text: string,
): Piece | undefined {
  if (piece === undefined) return undefined;
  const { sign, hours, minutes, seconds = "0", amount, unit } = piece;
  if (hours !== undefined) {
    if (Number(minutes) >= 60 || Number(seconds) > 60) {
      throw new SqlError("22015", `interval field value out of range: "${text}"`);
    }
    const ms = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
    return { ms: sign === "-" ? -ms : ms, units: [HOUR, MINUTE, SECOND] };
  }
  const name = (unit ?? "").toLowerCase();
  if (OF_MONTHS.test(name)) throw ofMonths(name);
  const one = UNITS.get(name);
  return one === undefined ? undefined : { ms: Number(amount) * one, units: [one] };
}

/** An interval as ISO 8601 has it, such as PT30S. */
function isoMsIn(text: string): number | undefined {
  const groups = /\d/.test(text) ? ISO.exec(text)?.groups : undefined;
  if (groups === undefined) {
    if (/^P[-\d.YMWDTHS:]*\d/.test(text)) throw new NotModelled(`the interval "${text}"`, SEE);
    return undefined;
  }
  const units = { w: WEEK, d: DAY, h: HOUR, m: MINUTE, s: SECOND };
  const parts = Object.entries(units).map(([name, ms]) => Number(groups[name] ?? 0) * ms);
  return parts.reduce((sum, ms) => sum + ms, 0);
}

function ofMonths(unit: string): NotModelled {
  return new NotModelled(`an interval in ${unit}`, SEE);
}
