import { builtinModule } from "../../src/platform/mod.ts";
import { drawBytes } from "./chance-gates.ts";
import { gateClass, gateFunction } from "./gate.ts";
import { loadQuietly } from "./load-quietly.ts";
import { currentRealm, runOutside } from "./realm.ts";

type SqlFunction = (...args: unknown[]) => unknown;

interface Database {
  function(name: string, options: object, fn: SqlFunction): void;
  prepare(sql: string): { get(...args: unknown[]): Record<string, unknown> | undefined };
}

/** Functions of SQL that take a moment, and which of their arguments it is; "now" is the default. */
const OF_MOMENTS: Readonly<Record<string, readonly number[]>> = {
  date: [0],
  time: [0],
  datetime: [0],
  julianday: [0],
  unixepoch: [0],
  strftime: [1],
  timediff: [0, 1],
};

/** Keywords, which are functions without arguments to the database. */
const KEYWORDS: Readonly<Record<string, string>> = {
  current_date: "date",
  current_time: "time",
  current_timestamp: "datetime",
};

/**
 * Makes a database in memory the run's own: the time and the chance of its SQL are those of the
 * run. One in a file is outside, and refused.
 */
export function gateDatabases(): void {
  const sqlite = loadQuietly(() => builtinModule("node:sqlite")) as
    | Record<string, (new (path: string) => Database) | undefined>
    | undefined;
  const real = sqlite?.["DatabaseSync"];
  if (sqlite === undefined || real === undefined) return;
  const prototype = real.prototype as object;
  for (const name of ["DatabaseSync", "Database"]) {
    gateClass(sqlite, name, {
      construct: (realm, args) => {
        if (args[0] !== ":memory:") throw realm.refuse(`sqlite.${name} on a file`);
        return args;
      },
    });
  }
  gateFunction(sqlite, "backup", (realm) => {
    throw realm.refuse("sqlite.backup");
  });
  const gated = new WeakSet();
  let machine: Database | undefined;
  const ofMachine = (sql: string, args: readonly unknown[]): unknown =>
    runOutside(() => {
      machine ??= new real(":memory:");
      return machine.prepare(`select ${sql} as value`).get(...args)?.["value"];
    });
  for (const name of ["prepare", "exec", "createTagStore"]) {
    gateFunction(prototype, name, (_, args, callReal, self) => {
      if (!gated.has(self as object)) {
        gated.add(self as object);
        addFunctions(self as Database, ofMachine);
      }
      return callReal(...args);
    });
  }
}

type OfMachine = (sql: string, args: readonly unknown[]) => unknown;

function addFunctions(database: Database, ofMachine: OfMachine): void {
  database.function("random", {}, () => {
    const realm = currentRealm();
    if (realm === undefined) return BigInt(ofMachine("cast(random() as text)", []) as string);
    return new DataView(drawBytes(realm, 8).buffer).getBigInt64(0);
  });
  database.function("randomblob", { varargs: true }, (size) => {
    const realm = currentRealm();
    if (realm === undefined) return ofMachine("randomblob(?)", [size]);
    return drawBytes(realm, Math.max(1, Math.trunc(Number(size)) || 0));
  });
  for (const [name, places] of Object.entries(OF_MOMENTS)) {
    database.function(name, { varargs: true, deterministic: true }, (...args) => {
      const given = places.reduce(withMoment, args);
      return ofMachine(`${name}(${given.map(() => "?").join(", ")})`, given);
    });
  }
  for (const [keyword, name] of Object.entries(KEYWORDS)) {
    database.function(keyword, {}, () => ofMachine(`${name}(?)`, withMoment([], 0)));
  }
}

const NOW = /^now$/i;
/** A modifier that may stand where the moment does, which is now then. */
const SUBSECONDS = /^subsec(ond)?$/i;

/** Returns the arguments with the run's time where they mean now. */
function withMoment(args: readonly unknown[], at: number): unknown[] {
  const realm = currentRealm();
  const moment = args[at];
  const now = realm === undefined ? "now" : new Date(realm.wallMs).toISOString().slice(0, -1);
  if (typeof moment === "string" && SUBSECONDS.test(moment)) return args.toSpliced(at, 0, now);
  const isNow = typeof moment === "string" ? NOW.test(moment) : at === args.length;
  return isNow ? args.toSpliced(at, 1, now) : [...args];
}
