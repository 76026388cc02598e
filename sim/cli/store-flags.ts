import { existsSync } from "node:fs";
import type { Command } from "commander";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";
import { NEVER_EXPIRE, type Retention, type StoreScope } from "../../src/store/mod.ts";
import type { SqlStateBackend } from "../../src/store/sql/mod.ts";
import type { DurationLike } from "../../src/time/mod.ts";
import { WrongInput } from "./output.ts";

export interface DatabaseFlags {
  readonly db: string;
}

export interface ScopeFlags {
  readonly dag?: string;
  readonly run?: string;
  readonly task?: string;
  readonly mapIndex?: string;
  readonly asset?: string;
  readonly assetUri?: string;
  readonly namespace?: string;
  readonly process?: string;
}

/** Adds the flags of every verb of the store. */
export function withDatabase(command: Command): Command {
  return command
    .requiredOption("--db <file or url>", "an SQLite file, or postgres://user@host/database")
    .option("--json", "one JSON document on standard output");
}

/** Adds the flags that name a scope. */
export function withScope(command: Command): Command {
  return command
    .option("--dag <id>", "with --task: a task over all runs; with --run too: a task instance")
    .option("--run <id>", "the run of the task instance")
    .option("--task <id>", "the task")
    .option("--map-index <n>", "the map index of the task instance (default: -1, not mapped)")
    .option("--asset <name>", "an asset by name")
    .option("--asset-uri <uri>", "an asset by uri")
    .option("--namespace <name>", "with --process: a process")
    .option("--process <name>", "the process");
}

/**
 * Returns the scope that the flags name; undefined when they name none.
 *
 * @throws {WrongInput} when they name more than one scope, or only a part of one
 */
export function scopeFromFlags(flags: ScopeFlags): StoreScope | undefined {
  const { dag, run, task, mapIndex, asset, assetUri, namespace, process } = flags;
  const named = [
    [dag, run, task, mapIndex],
    [asset, assetUri],
    [namespace, process],
  ].filter((group) => group.some((flag) => flag !== undefined));
  if (named.length === 0) return undefined;
  if (named.length > 1) throw new WrongInput("Cannot use several scopes at once: name one");
  if (asset !== undefined || assetUri !== undefined) {
    const uri = assetUri === undefined ? {} : { uri: assetUri };
    return { kind: "asset", ...(asset === undefined ? {} : { name: asset }), ...uri };
  }
  if (namespace !== undefined || process !== undefined) {
    if (namespace === undefined || process === undefined) {
      throw new WrongInput("Cannot name a process without --namespace and --process");
    }
    return { kind: "process", namespace, processName: process };
  }
  if (dag === undefined || task === undefined) {
    throw new WrongInput("Cannot name a task without --dag and --task (and --run for one run)");
  }
  if (run === undefined) {
    if (mapIndex === undefined) return { kind: "task", dagId: dag, taskId: task };
    throw new WrongInput("Cannot use --map-index without --run: a task over all runs has none");
  }
  return {
    kind: "task-instance",
    dagId: dag,
    runId: run,
    taskId: task,
    mapIndex: indexFrom(mapIndex),
  };
}

/** @throws {WrongInput} when the flags do not name exactly one scope */
export function neededScope(flags: ScopeFlags): StoreScope {
  const scope = scopeFromFlags(flags);
  if (scope !== undefined) return scope;
  throw new WrongInput(
    "Cannot find a scope in the flags: give --dag, --run and --task, --asset, or --namespace and --process",
  );
}

function indexFrom(text = "-1"): number {
  if (/^(-1|\d{1,10})$/.test(text)) return Number(text);
  throw new WrongInput(`Cannot use "${text}" as --map-index: write a whole number from -1 up`);
}

const UNITS: ReadonlyMap<string, keyof DurationLike> = new Map([
  ["d", "days"],
  ["h", "hours"],
  ["m", "minutes"],
  ["s", "seconds"],
]);

/** Parses a duration such as `30d`, `6h`, `15m` or `90s`. */
export function durationFrom(flag: string, text: string): DurationLike {
  const [, amount, letter = ""] = /^(\d{1,9})([dhms])$/.exec(text) ?? [];
  const unit = UNITS.get(letter);
  if (unit !== undefined) return { [unit]: Number(amount) };
  throw new WrongInput(`Cannot use "${text}" as ${flag}: write 30d, 6h, 15m or 90s`);
}

/** Parses a duration, or `never`. */
export function retentionFrom(text: string): Retention {
  return text === "never" ? NEVER_EXPIRE : durationFrom("--retention", text);
}

/**
 * Opens the store at `db`; creates a missing file only if `mayCreate`.
 *
 * @throws {WrongInput} when there is no such file, or the database is PostgreSQL and `pg` is not
 *   installed
 */
export async function openDatabase(db: string, mayCreate: boolean): Promise<SqlStateBackend> {
  if (/^postgres(ql)?:\/\//.test(db)) {
    return openPostgres(db);
  }
  if (/^[a-z]+:\/\//i.test(db)) {
    throw new WrongInput("Cannot use this --db: write a file, or postgres://user@host/database");
  }
  if (!mayCreate && !existsSync(db))
    throw new WrongInput(`Cannot open "${db}": there is no such file`);
  return new SqliteStateBackend(db);
}

/** Imports the backend only when it is needed, because users install its client themselves. */
async function openPostgres(db: string): Promise<SqlStateBackend> {
  try {
    const { PostgresStateBackend } = await import("../../src/platform/postgres-state-backend.ts");
    return new PostgresStateBackend(db, { connectionsMax: 1 });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new WrongInput("Cannot open PostgreSQL without its client: npm install pg");
  }
}
