import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import type { Statement } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";

type Setting = Extract<Statement, { kind: "set" }>;
type Values = ReadonlyMap<string, string>;

/** How long a statement may wait for others. */
interface WaitLimit {
  readonly limitMs: number | undefined;
  /** What ends a statement that has waited so long. */
  readonly overdue: SqlError;
}

/** What has no effect on anything that the model shows. */
const WITHOUT_EFFECT = ["application_name", "client_min_messages"];
/** Settings that are here what they may be set to, but in other words. */
const ONLY: Readonly<Record<string, RegExp>> = {
  search_path: /^public$/,
  timezone: /^(?:etc\/)?(?:utc|uct|gmt|zulu)$/i,
};
const LOCK = "lock_timeout";
const STATEMENT = "statement_timeout";
const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const MS_MAX = 2_147_483_647;

/**
 * The settings of a connection.
 *
 * Holds: what a transaction that is rolled back has set is as it was before; what was set for one
 * transaction is so also when it is committed.
 */
export class SessionSettings {
  #values: Values = new Map();
  #before: Values = new Map();
  #local: Values = new Map();

  /** The shorter of the two timeouts; a statement of the model takes time only when it waits. */
  get waitLimit(): WaitLimit {
    const [lockMs, statementMs] = [this.#msOf(LOCK), this.#msOf(STATEMENT)];
    const isOfLock = lockMs !== undefined && (statementMs === undefined || lockMs <= statementMs);
    return isOfLock
      ? { limitMs: lockMs, overdue: canceled("55P03", "lock timeout") }
      : { limitMs: statementMs, overdue: canceled("57014", "statement timeout") };
  }

  begin(): void {
    this.#before = this.#values;
  }

  end(how: "committed" | "rolled-back"): void {
    if (how === "rolled-back") this.#values = this.#before;
    this.#local = new Map();
  }

  /**
   * @throws {SqlError} for a value that is no time
   * @throws {NotModelled} for another setting than those that the model has
   */
  set({ name, value, isLocal }: Setting, isInTransaction: boolean): void {
    const isTime = name === LOCK || name === STATEMENT;
    const isAsItIs = value === undefined || ONLY[name]?.test(value) === true;
    const hasNoEffect = WITHOUT_EFFECT.includes(name) || (name in ONLY && isAsItIs);
    if (!isTime && !hasNoEffect) throw new NotModelled(`SET ${name}`, SEE);
    if (value !== undefined && isTime) msFrom(name, value);
    if (!isTime) return;
    const next = value ?? "0";
    // For one transaction and outside of one, it is for nothing.
    if (!isLocal) this.#values = new Map(this.#values).set(name, next);
    else if (isInTransaction) this.#local = new Map(this.#local).set(name, next);
  }

  #msOf(name: string): number | undefined {
    const value = this.#local.get(name) ?? this.#values.get(name);
    const ms = value === undefined ? 0 : msFrom(name, value);
    return ms === 0 ? undefined : ms;
  }
}

function canceled(code: string, why: string): SqlError {
  return new SqlError(code, `canceling statement due to ${why}`);
}

/** Reads a time; without a unit it is in milliseconds. */
function msFrom(name: string, text: string): number {
  const [, amount, unit = "ms"] = /^\s*(-?\d+)\s*([a-z]+)?\s*$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (amount === undefined || unitMs === undefined) {
    throw new SqlError("22023", `invalid value for parameter "${name}": "${text}"`);
  }
  const ms = Number(amount) * unitMs;
  if (ms >= 0 && ms <= MS_MAX) return ms;
  const range = `the valid range for parameter "${name}" (0 .. ${MS_MAX})`;
  throw new SqlError("22023", `${ms} ms is outside ${range}`);
}
