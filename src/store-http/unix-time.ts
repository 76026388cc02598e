const NUMBER_TEXT = /^[+-]?\d+(\.\d+)?$/;
/** A number beyond this counts milliseconds: as seconds it would be the year 2603. */
const SECONDS_MAX = 20_000_000_000;

/**
 * Returns the instant that a Unix time means, or undefined when `given` is none: a number, or a
 * text of digits, of seconds or of milliseconds, whichever its size says. Digits below the
 * millisecond are cut off.
 *
 * Source: Pydantic, "Datetime types", which reads the bodies of Airflow's core REST API
 */
export function instantFromUnix(given: number | string): number | undefined {
  if (typeof given === "string" && !NUMBER_TEXT.test(given)) return undefined;
  const time = Number(given);
  return Math.floor(Math.abs(time) > SECONDS_MAX ? time : time * 1000);
}
