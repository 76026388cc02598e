import { epochMsIn } from "../stored-date.ts";
import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { SEE } from "./sql-tokens.ts";

/** The fields of an ISO text. */
const FIELDS = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?/;
/** Words that a server takes for a time. */
const WORDS = /^\s*(?:now|today|tomorrow|yesterday|epoch|[-+]?infinity)\s*$/i;
/** So many digits alone are a date, or a date and a time. */
const DIGITS = /^\d{5,8}$/;
/** So many digits alone are milliseconds, which a server takes for a day of a far year. */
const MANY_DIGITS = /^\d{9,}$/;
/** One or two digits are taken for a month first, also with a word behind them. */
const SHORT = /^\s*(\d{1,2})\s*([a-z]*)\s*$/i;
const MONTH_NAMES = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|am$|pm$|z$|j$|bc$|ad$)/i;
const MONTHS = 12;
/** Of each month in a year without a leap day. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LEAP_DAY = 29;
const HOURS = 24;
const MINUTES = 60;

/**
 * Returns the instant that a text names, in milliseconds since the epoch; undefined for no time.
 *
 * @throws {SqlError} for a month, day, hour, minute or second that there is not
 * @throws {NotModelled} for what a server may know: other ways to write a time, and words for one
 */
export function instantIn(text: string): number | undefined {
  const fields = FIELDS.exec(text)?.slice(1).map(Number);
  if (fields !== undefined && !isThere(fields)) throw outOfRange(text);
  if (MANY_DIGITS.test(text)) throw outOfRange(text);
  const found = epochMsIn(text);
  if (found !== undefined) return found;
  const [, month, word = ""] = SHORT.exec(text) ?? [];
  if (MONTH_NAMES.test(word)) throw new NotModelled(`the time ${JSON.stringify(text)}`, SEE);
  if (month !== undefined && (Number(month) < 1 || Number(month) > MONTHS)) throw outOfRange(text);
  const isKnown = WORDS.test(text) || DIGITS.test(text) || /\d\D+\d/.test(text);
  if (isKnown) throw new NotModelled(`the time ${JSON.stringify(text)}`, SEE);
  return undefined;
}

function isThere([year = 0, month = 0, day = 0, ...time]: readonly number[]): boolean {
  const [hour = 0, minute = 0, second = 0] = time.filter((one) => !Number.isNaN(one));
  if (month < 1 || month > MONTHS || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (day > (month === 2 && isLeap ? LEAP_DAY : (DAYS[month - 1] ?? 0))) return false;
  const isMidnight = hour === HOURS && minute === 0 && second === 0;
  return (hour < HOURS || isMidnight) && minute < MINUTES && second <= MINUTES;
}

function outOfRange(text: string): SqlError {
  return new SqlError("22008", `date/time field value out of range: "${text}"`);
}
