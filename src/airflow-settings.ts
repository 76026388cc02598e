import type { DurationLike } from "./time/mod.ts";

/** A setting of ours, Airflow's option for it, and how its text is read. */
export type AirflowOption<Settings> = readonly [
  option: string,
  setting: keyof Settings,
  read: (text: string, variable: string) => unknown,
];

/**
 * Returns the settings that are in Airflow's environment variables: `AIRFLOW__`, the section, `__`
 * and the option, in capitals. An empty variable sets nothing.
 *
 * @throws {TypeError} when a text is not of the form of its setting
 *
 * Source: Airflow 3.3, Setting Configuration Options
 */
export function settingsFromAirflow<Settings>(
  env: Readonly<Record<string, string | undefined>>,
  section: string,
  options: readonly AirflowOption<Settings>[],
): Partial<Settings> {
  const given: Partial<Record<keyof Settings, unknown>> = {};
  for (const [option, setting, read] of options) {
    const variable = `AIRFLOW__${section}__${option.toUpperCase()}`;
    const text = env[variable]?.trim();
    if (text !== undefined && text !== "") given[setting] = read(text, variable);
  }
  return given as Partial<Settings>;
}

export function integerFrom(text: string, variable: string): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw new TypeError(`Cannot use "${text}" as ${variable}: write an integer`);
}

export function daysFrom(text: string, variable: string): DurationLike {
  return { days: integerFrom(text, variable) };
}

/** Reads seconds, with a fraction or without, to the millisecond. */
export function secondsFrom(text: string, variable: string): DurationLike {
  const seconds = /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(seconds)) {
    throw new TypeError(`Cannot use "${text}" as ${variable}: write a number of seconds`);
  }
  return { milliseconds: Math.round(seconds * MS_PER_SECOND) };
}

/** Reads the words that Airflow's configuration takes for a truth value. */
export function booleanFrom(text: string, variable: string): boolean {
  const word = text.toLowerCase();
  if (["t", "true", "1", "yes", "on"].includes(word)) return true;
  if (["f", "false", "0", "no", "off"].includes(word)) return false;
  throw new TypeError(`Cannot use "${text}" as ${variable}: write True or False`);
}

const MS_PER_SECOND = 1_000;
