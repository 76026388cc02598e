import { fieldsOf, type Interval, type IntervalFields } from "./interval.ts";

/** An interval as `pg` gives it: with the fields that are not zero. */
export class PostgresInterval {
  static {
    Object.defineProperty(this, "name", { value: "PostgresInterval" });
  }

  declare years?: number;
  declare months?: number;
  declare days?: number;
  declare hours?: number;
  declare minutes?: number;
  declare seconds?: number;
  declare milliseconds?: number;

  constructor(fields: IntervalFields) {
    for (const name of NAMES) if (fields[name] !== 0) this[name] = fields[name];
  }

  /** Returns it as the server takes it, such as "2 seconds 1 minutes". */
  toPostgres(): string {
    const counts = OF_WHOLES.flatMap((name) => {
      const count = this[name];
      return count === undefined ? [] : [`${count} ${name}`];
    });
    const seconds = `${this.#secondsText()} seconds`;
    // The library has the seconds first, and behind all else what is less than one.
    const last = this.milliseconds === undefined ? [] : [seconds];
    const parts = this.seconds === undefined ? [...counts, ...last] : [seconds, ...counts];
    return parts.length === 0 ? "0" : parts.join(" ");
  }

  /** Returns it as ISO 8601 has it, with all its parts, such as "P0Y0M0DT0H1M2S". */
  toISOString(): string {
    const { years = 0, months = 0, days = 0, hours = 0, minutes = 0 } = this;
    return `P${years}Y${months}M${days}DT${hours}H${minutes}M${this.#secondsText()}S`;
  }

  toISO(): string {
    return this.toISOString();
  }

  #secondsText(): string {
    const { seconds = 0, milliseconds = 0 } = this;
    return String(Number((seconds + milliseconds / 1_000).toFixed(6)));
  }
}

const NAMES: readonly (keyof IntervalFields)[] = [
  ...(["years", "months", "days", "hours", "minutes", "seconds", "milliseconds"] as const),
];
const OF_WHOLES = ["minutes", "hours", "days", "months", "years"] as const;

/** Returns what `pg` makes of an interval. */
export function pgIntervalFrom(interval: Interval): PostgresInterval {
  return new PostgresInterval(fieldsOf(interval));
}
