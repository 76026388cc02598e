import { ReplyError } from "./reply-error.ts";

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const HEXADECIMAL = /^[+-]?0x[\da-f]+$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;
const NO_FLOAT = "ERR value is not a valid float";
/** So many digits of a number are told before version 7.2. */
const DIGITS = 17;
/** From this version on (7.2 to be exact) a number is told with the fewest digits that tell it. */
const SHORTEST_MAJOR = 8;
/** Numbers that are this small, and smaller ones, are told with an exponent. */
const SMALLEST_EXPONENT = -4;

/** Returns the number that a text holds, if it holds one; not where that is too large. */
export function floatFrom(text: string): number | undefined {
  const value = anyFloatFrom(text);
  return INFINITE.test(text) || Number.isFinite(value) ? value : undefined;
}

/** Returns the number that a text holds, as C reads it: infinite where it is too large. */
export function anyFloatFrom(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  if (INFINITE.test(text)) return sign * Number.POSITIVE_INFINITY;
  if (HEXADECIMAL.test(text)) return sign * Number(text.replace(/^[+-]/, ""));
  return DECIMAL.test(text) ? Number(text) : undefined;
}

/** @throws {ReplyError} for a text that holds no number */
export function scoreFrom(text: string): number {
  const value = floatFrom(text);
  if (value === undefined) throw new ReplyError(NO_FLOAT);
  return value;
}

/**
 * Returns a score as the server tells it, which is as text in RESP3, too.
 *
 * Source: redis 7.0, networking.c, addReplyDouble; redis 7.2, util.c, d2string, and fpconv_dtoa.c
 */
export function scoreText(value: number, major: number): string {
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (Object.is(value, -0)) return "-0";
  if (major < SHORTEST_MAJOR) return textWithDigits(value);
  return Number.isSafeInteger(value) ? String(value) : shortestText(value);
}

/** As "%.17g" of C. */
function textWithDigits(value: number): string {
  const { sign, digits, exponent } = partsOf(value.toExponential(DIGITS - 1));
  const isLong = exponent < SMALLEST_EXPONENT || exponent >= DIGITS;
  return sign + (isLong ? withExponent(digits, exponent, 2) : plain(digits, exponent));
}

function shortestText(value: number): string {
  const { sign, digits, exponent } = partsOf(value.toExponential());
  const zeros = exponent - digits.length + 1;
  const isPlain =
    zeros >= 0
      ? Math.abs(exponent) < digits.length + 7
      : zeros > -7 || Math.abs(exponent) < -SMALLEST_EXPONENT;
  return sign + (isPlain ? plain(digits, exponent) : withExponent(digits, exponent, 1));
}

function partsOf(text: string): {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
} {
  const [, sign = "", whole = "", part = "", exponent] =
    /^(-?)(\d)(?:\.(\d+))?e(.+)$/.exec(text) ?? [];
  return { sign, digits: (whole + part).replace(/0+$/, "") || "0", exponent: Number(exponent) };
}

function plain(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const part = digits.slice(exponent + 1);
  return part === "" ? whole : `${whole}.${part}`;
}

function withExponent(digits: string, exponent: number, digitsMin: number): string {
  const part = digits.length > 1 ? `.${digits.slice(1)}` : "";
  const told = String(Math.abs(exponent)).padStart(digitsMin, "0");
  return `${digits.slice(0, 1)}${part}e${exponent < 0 ? "-" : "+"}${told}`;
}
