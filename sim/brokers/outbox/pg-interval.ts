import { NotModelled } from "../not-modelled.ts";
import { SEE } from "./sql-tokens.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Part = "hours" | "minutes" | "seconds" | "milliseconds";

/** An interval as `pg` gives it: with the parts that are not zero, by the names of their units. */
export class PostgresInterval {
  static {
    Object.defineProperty(this, "name", { value: "PostgresInterval" });
  }

  declare hours?: number;
  declare minutes?: number;
  declare seconds?: number;
  declare milliseconds?: number;

  constructor(parts: readonly (readonly [Part, number])[]) {
    for (const [name, value] of parts) if (value !== 0) this[name] = value;
  }

  /** Returns it as the server takes it, such as "2 seconds 1 minutes". */
  toPostgres(): string {
    const { hours, minutes } = this;
    const hasSeconds = this.seconds !== undefined || this.milliseconds !== undefined;
    const parts = [
      ...(hasSeconds ? [`${this.#secondsText()} seconds`] : []),
      ...(minutes === undefined ? [] : [`${minutes} minutes`]),
      ...(hours === undefined ? [] : [`${hours} hours`]),
    ];
    return parts.length === 0 ? "0" : parts.join(" ");
  }

  /** Returns it as ISO 8601 has it, with all its parts, such as "P0Y0M0DT0H1M2S". */
  toISOString(): string {
    const { hours = 0, minutes = 0 } = this;
    return `P0Y0M0DT${hours}H${minutes}M${this.#secondsText()}S`;
  }

  toISO(): string {
    return this.toISOString();
  }

  #secondsText(): string {
    const { seconds = 0, milliseconds = 0 } = this;
    return String(Number((seconds + milliseconds / 1_000).toFixed(6)));
  }
}

/**
 * Returns what `pg` makes of an interval.
 *
 * @throws {NotModelled} for one of a day or more: a server tells days from hours
 */
export function intervalFrom(ms: number): PostgresInterval {
  const all = Math.abs(ms);
  if (all >= DAY) throw new NotModelled("an interval of a day or more as a result", SEE);
  const sign = ms < 0 ? -1 : 1;
  const of = (unit: number, within: number): number => sign * Math.floor((all % within) / unit);
  return new PostgresInterval([
    ["hours", of(HOUR, DAY)],
    ["minutes", of(MINUTE, HOUR)],
    ["seconds", of(1_000, MINUTE)],
    ["milliseconds", sign * (Math.round((all % 1_000) * 1_000) / 1_000)],
  ]);
}
