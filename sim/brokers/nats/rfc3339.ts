import { storedDate } from "../stored-date.ts";

/** A part of a time: how Go calls it, its form, and the numbers that it may be. */
interface Part {
  readonly word: string;
  readonly form: RegExp;
  readonly unit?: string;
  readonly from?: number;
  readonly to?: number;
}

const LAYOUT = "2006-01-02T15:04:05Z07:00";
const ZONE_WORD = LAYOUT.slice("2006-01-02T15:04:05".length);
const PARTS: readonly Part[] = [
  { word: "2006", form: /^\d{4}/ },
  { word: "-", form: /^-/ },
  { word: "01", form: /^\d{2}/, unit: "month", from: 1, to: 12 },
  { word: "-", form: /^-/ },
  { word: "02", form: /^\d{2}/ },
  { word: "T", form: /^T/ },
  { word: "15", form: /^\d{1,2}/, unit: "hour", to: 23 },
  { word: ":", form: /^:/ },
  { word: "04", form: /^\d{2}/, unit: "minute", to: 59 },
  { word: ":", form: /^:/ },
  { word: "05", form: /^\d{2}(?:[.,]\d+)?/, unit: "second", to: 59 },
];
const ZONE = /^(?:Z|([+-])(\d{2}):(\d{2}))/;
/** What Go takes for the hours and minutes of a zone. */
const ZONE_HOURS_MAX = 24;
const ZONE_MINUTES_MAX = 60;
const MS_PER_SECOND = 1_000;
const MS_PER_MINUTE = 60_000;

/**
 * Reads a time as the server does, in milliseconds since the epoch; returns in its words what is
 * wrong with the first part that is.
 *
 * Source: Go, time, parse with RFC3339
 */
export function readTime(text: string): number | string {
  const told = (what: string): string => `parsing time ${JSON.stringify(text)}${what}`;
  const other = (rest: string, word: string): string =>
    told(` as "${LAYOUT}": cannot parse ${JSON.stringify(rest)} as "${word}"`);
  const numbers: number[] = [];
  let rest = text;
  for (const { word, form, unit, from = 0, to = 0 } of PARTS) {
    const found = form.exec(rest)?.[0];
    if (found === undefined) return other(rest, word);
    rest = rest.slice(found.length);
    const number = Number(found.replace(",", "."));
    const isOut = Math.floor(number) < from || Math.floor(number) > to;
    if (unit !== undefined && isOut) return told(`: ${unit} out of range`);
    if (/^\d/.test(found)) numbers.push(number);
  }
  const zone = ZONE.exec(rest);
  if (zone === null) return other(rest, ZONE_WORD);
  const [all, sign, hours = "0", minutes = "0"] = zone;
  if (Number(hours) > ZONE_HOURS_MAX) return told(": time zone offset hour out of range");
  if (Number(minutes) > ZONE_MINUTES_MAX) return told(": time zone offset minute out of range");
  rest = rest.slice(all.length);
  if (rest !== "") return told(`: extra text: ${JSON.stringify(rest)}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers;
  const date = storedDate(0);
  date.setUTCFullYear(year, month - 1, day);
  if (day < 1 || date.getUTCDate() !== day) return told(": day out of range");
  date.setUTCHours(hour, minute);
  const ahead = (sign === "-" ? -1 : 1) * (60 * Number(hours) + Number(minutes));
  return date.getTime() + Math.floor(second * MS_PER_SECOND) - ahead * MS_PER_MINUTE;
}

/** Returns a time as the server writes it: without zeros at the end of its fraction. */
export function writtenTime(epochMs: number): string {
  return storedDate(epochMs)
    .toISOString()
    .replace(/\.?0+Z$/, "Z");
}
