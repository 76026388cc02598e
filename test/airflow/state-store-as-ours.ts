import type { JsonValue } from "../../src/mod.ts";
import { EPOCH_MS } from "../../sim/trace/epoch.ts";
import { type Ended, type Observed, type Row, type Step, TASKS } from "./state-store.ts";

/**
 * Changes what Airflow shows of a sequence into what ours is to show. As the docs of src/store and
 * of src/store-http say, what has expired is absent here, where Airflow shows it until its
 * clean-up; so what a PATCH writes there is not written.
 */
export class AsOurs {
  #now = EPOCH_MS;
  #rows: readonly Row[] = [];
  /** Rows that have expired, and that a PATCH has changed in Airflow alone. */
  readonly #kept = new Map<string, Row>();

  after(step: Step, [ended, all]: Observed): Observed {
    const before = this.#rows;
    if (step.does === "advance") this.#now += step.by;
    const ours = this.#endedAs(step, ended, before);
    if (step.does === "request" && step.method === "PATCH" && ours[1] !== ended[1]) {
      const changed = before.filter((row) => !all.some((one) => textOf(one) === textOf(row)));
      for (const row of changed) this.#kept.set(placeOf(row), row);
    }
    this.#rows = all.map((row) => this.#keptOr(row));
    return [ours, this.#rows];
  }

  /** What was kept, until another call writes the row. */
  #keptOr(row: Row): Row {
    const kept = this.#kept.get(placeOf(row));
    if (kept === undefined) return row;
    if (kept[4] === row[4]) return kept;
    this.#kept.delete(placeOf(row));
    return row;
  }

  #endedAs(step: Step, ended: Ended, rows: readonly Row[]): Ended {
    const expired = rows.filter((row) => row[4] !== null && row[4] <= this.#now);
    if (step.does === "get" && step.asset === undefined) {
      const isExpired = expired.some((row) => row[1] === step.task && row[2] === step.key);
      return isExpired ? ["returned", step.default ?? null] : ended;
    }
    if (step.does !== "request" || ended[1] !== 200) return ended;
    const { task, key, query } = placeIn(step.path);
    if (task === undefined) return ended;
    const here = expired.filter((row) => row[0] === "task" && row[1] === task);
    if (here.length === 0 || step.method === "DELETE") return ended;
    if (key !== undefined) {
      return here.some((row) => row[2] === key) ? ["status", 404, null] : ended;
    }
    const seen = rows.filter((row) => row[0] === "task" && row[1] === task && !here.includes(row));
    return ["status", 200, pageOf(seen, query)];
  }
}

function placeIn(path: string): { task?: number; key?: string; query: URLSearchParams } {
  const [place = "", query = ""] = path.split("?");
  const words = new URLSearchParams(query);
  const index = Number(words.get("map_index"));
  const [scope = "", keyText] = place.split(/\/state-store\/?(.*)/s);
  const task = TASKS.findIndex(({ dagId, runId, taskId, mapIndex }) => {
    const own = `/dags/${dagId}/dagRuns/${runId}/taskInstances/${taskId}`;
    return own === scope && mapIndex === index;
  });
  const key = keyText === undefined || keyText === "" ? undefined : decodeURIComponent(keyText);
  return {
    ...(task === -1 ? {} : { task }),
    ...(key === undefined ? {} : { key }),
    query: words,
  };
}

function pageOf(rows: readonly Row[], query: URLSearchParams): JsonValue {
  const limit = Number(query.get("limit") ?? 50);
  const offset = Number(query.get("offset") ?? 0);
  const sorted = rows.toSorted((one, other) => (one[2] < other[2] ? -1 : 1));
  return {
    task_state_store: sorted.slice(offset, offset + limit).map(([, , key, value, end, at]) => ({
      key,
      value: JSON.parse(value) as JsonValue,
      updated_at: at,
      expires_at: end,
    })),
    total_entries: rows.length,
  };
}

function placeOf([kind, at, key]: Row): string {
  return JSON.stringify([kind, at, key]);
}

function textOf(row: Row): string {
  return JSON.stringify(row);
}

/** One form for both: JSON texts without spaces, instants in milliseconds, errors without words. */
export function plain([ended, rows]: Observed): readonly [readonly unknown[], readonly string[]] {
  const [kind, what, body] = ended;
  const texts = rows.map(([row, at, key, value, ...rest]) =>
    JSON.stringify([row, at, key, JSON.parse(value), ...rest]),
  );
  const told = kind === "refused" ? [kind] : [kind, JSON.stringify(what), plainBody(body)];
  return [told, texts.toSorted()];
}

function plainBody(body: JsonValue | undefined): string {
  return JSON.stringify(body ?? null, (name, value: unknown) => {
    const isInstant = name === "updated_at" || name === "expires_at";
    return isInstant && typeof value === "string" ? Date.parse(value) : value;
  });
}
