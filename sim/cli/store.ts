import { Command } from "commander";
import { systemClock } from "../../src/platform/mod.ts";
import {
  AssetStateStore,
  clearOrphanedAssets,
  describeScope,
  isExpired,
  type JsonValue,
  jsonValueFromText,
  listProcesses,
  type SetOptions,
  type StateEntry,
  type StateStoreSettings,
  stateStoreSettingsFromEnv,
  type StoreScope,
  StoreUnavailable,
  SWEEP_BATCH_DEFAULT,
  sweepStore,
  TaskStateStore,
  UnreadableValue,
} from "../../src/store/mod.ts";
import type { SqlStateBackend } from "../../src/store/sql/mod.ts";
import { assetsFromFile } from "./declared-assets.ts";
import { print, printJson, wholeNumber, WrongInput } from "./output.ts";
import {
  type DatabaseFlags,
  durationFrom,
  neededScope,
  openDatabase,
  retentionFrom,
  type ScopeFlags,
  scopeFromFlags,
  withDatabase,
  withScope,
} from "./store-flags.ts";
import { serveStore, TOKEN_VARIABLE } from "./store-serve.ts";

type Flags = DatabaseFlags & ScopeFlags & { readonly json?: boolean };
type ListFlags = Flags & {
  readonly limit: number;
  readonly offset: number;
  readonly all?: boolean;
};
type SetFlags = Flags & { readonly retention?: string; readonly text?: boolean };
type RemoveFlags = Flags & { readonly all?: boolean; readonly allMapIndices?: boolean };
type SweepFlags = DatabaseFlags & {
  readonly json?: boolean;
  readonly batchSize?: number;
  readonly grace?: string;
  readonly dryRun?: boolean;
};
type OrphansFlags = DatabaseFlags & {
  readonly json?: boolean;
  readonly declared: string;
  readonly dryRun?: boolean;
};
type ServeFlags = DatabaseFlags & { readonly json?: boolean; readonly port: number };

const PAGE_DEFAULT = 50;
const PORT_DEFAULT = 8_793;
/** How many characters of a value a list shows. */
const VALUE_SHOWN_CHARS = 60;

/** `faultlane store ls|get|set|rm|sweep|orphans|serve --db <file or URL>` */
export function createStoreCommand(): Command {
  const store = new Command("store")
    .description(
      "read and edit what tasks, assets and processes have stored; default retention, sweep batch and size limit are those of Airflow's environment variables, such as AIRFLOW__STATE_STORE__DEFAULT_RETENTION_DAYS",
    )
    .exitOverride()
    .showHelpAfterError("(see --help)");
  addList(store);
  addGet(store);
  addSet(store);
  addRemove(store);
  addSweep(store);
  addOrphans(store);
  addServe(store);
  return store;
}

function addList(store: Command): void {
  const least = wholeNumber("a part of a list", 0, 1e9);
  withScope(withDatabase(store.command("ls")))
    .description(
      "list the keys of a scope; without a scope, list the scopes that have entries, or the processes of one --namespace",
    )
    .option("--limit <n>", "how many at most", least, PAGE_DEFAULT)
    .option("--offset <n>", "how many to skip", least, 0)
    .option("--all", "include keys that have expired and are not swept yet")
    .action((flags: ListFlags) => inDatabase(flags, false, (backend) => list(backend, flags)));
}

async function list(backend: SqlStateBackend, flags: ListFlags): Promise<void> {
  const { limit, offset, json } = flags;
  const { namespace, process: processName, ...others } = flags;
  const isNamespace = namespace !== undefined && processName === undefined;
  const scope = scopeFromFlags(isNamespace ? others : flags);
  if (isNamespace && scope !== undefined) {
    throw new WrongInput("Cannot use several scopes at once: name one");
  }
  if (scope === undefined) {
    const page = { limit, offset };
    const { scopes, total } = isNamespace
      ? await listProcesses(backend, namespace, page)
      : await backend.listScopes(page);
    if (json === true) return printJson({ scopes, total });
    for (const { scope, entries } of scopes)
      print(`${String(entries).padStart(6)}  ${describeScope(scope)}`);
    return print(`${scopes.length} of ${total} scopes`);
  }
  const visible = flags.all === true ? {} : { now: systemClock.wallNow() };
  const { entries, total } = await backend.list(scope, { limit, offset, ...visible });
  if (json === true) return printJson({ scope, entries: entries.map(documentOf), total });
  const width = Math.max(0, ...entries.map(({ key }) => key.length));
  for (const { key, value, expiresAt } of entries) {
    const text =
      value.length > VALUE_SHOWN_CHARS ? `${value.slice(0, VALUE_SHOWN_CHARS)}...` : value;
    print(`${key.padEnd(width)}  ${text}  (${expiryInWords(expiresAt)})`);
  }
  print(`${entries.length} of ${total} keys`);
}

function addGet(store: Command): void {
  withScope(withDatabase(store.command("get")))
    .description("print the value of a key, as JSON")
    .argument("<key>")
    .action((key: string, flags: Flags) =>
      inDatabase(flags, false, async (backend) => {
        const entry = await backend.get(neededScope(flags), key);
        if (entry === undefined || isExpired(entry.expiresAt, systemClock.wallNow())) {
          throw new WrongInput(`Cannot get "${key}": nothing is stored under it`);
        }
        if (flags.json === true) printJson(documentOf(entry));
        else print(entry.value);
      }),
    );
}

function addSet(store: Command): void {
  withScope(withDatabase(store.command("set")))
    .description("write a key; the value is JSON, or any text with --text")
    .argument("<key>")
    .argument("<value>")
    .option("--text", "the value is text, not JSON")
    .option("--retention <duration>", "30d, 6h, 15m, 90s or never (default: that of the scope)")
    .action((key: string, value: string, flags: SetFlags) =>
      inDatabase(flags, true, async (backend) => {
        await write(backend, neededScope(flags), key, value, flags);
        if (flags.json === true) printJson({ set: key });
      }),
    );
}

async function write(
  backend: SqlStateBackend,
  scope: StoreScope,
  key: string,
  text: string,
  { retention, text: isText }: SetFlags,
): Promise<void> {
  const value = isText === true ? text : valueFrom(text);
  if (scope.kind === "asset") {
    if (retention !== undefined)
      throw new WrongInput("Cannot use --retention: an asset's state never expires");
    const asset = new AssetStateStore(backend, scope, {
      clock: systemClock,
      writer: { kind: "api" },
      valueCharsMax: settingsOfMachine().valueCharsMax,
    });
    return asset.set(key, value);
  }
  const options: SetOptions =
    retention === undefined ? {} : { retention: retentionFrom(retention) };
  const { defaultRetention, valueCharsMax } = settingsOfMachine();
  const store = new TaskStateStore(backend, scope, {
    clock: systemClock,
    valueCharsMax,
    ...(scope.kind === "task-instance" ? { defaultRetention } : {}),
  });
  return store.set(key, value, options);
}

/** Returns the settings that the environment gives, as it gives them to Airflow. */
function settingsOfMachine(): StateStoreSettings {
  return stateStoreSettingsFromEnv(process.env);
}

function valueFrom(text: string): NonNullable<JsonValue> {
  let value: JsonValue;
  try {
    value = jsonValueFromText(text);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new WrongInput(`Cannot read ${JSON.stringify(text)} as JSON: quote it, or add --text`);
  }
  if (value === null) throw new WrongInput("Cannot store null: remove the key instead");
  return value;
}

function addRemove(store: Command): void {
  withScope(withDatabase(store.command("rm")))
    .description("delete a key, or with --all every key of the scope")
    .argument("[key]")
    .option("--all", "every key of the scope")
    .option("--all-map-indices", "with --all: of every map index of the task")
    .action((key: string | undefined, flags: RemoveFlags) =>
      inDatabase(flags, false, async (backend) => {
        const { all = false, allMapIndices = false } = flags;
        if ((key === undefined) !== all)
          throw new WrongInput("Cannot delete without a key or --all");
        if (allMapIndices && !all)
          throw new WrongInput("Cannot use --all-map-indices without --all");
        const scope = neededScope(flags);
        if (key === undefined) await backend.clear(scope, { allMapIndices });
        else await backend.delete(scope, key);
        if (flags.json === true) printJson({ deleted: key ?? null });
      }),
    );
}

function addSweep(store: Command): void {
  withDatabase(store.command("sweep"))
    .description("delete expired entries")
    .option(
      "--batch-size <n>",
      `rows in one delete, 0 for all (default: ${SWEEP_BATCH_DEFAULT})`,
      wholeNumber("--batch-size", 0, 1e9),
    )
    .option("--grace <duration>", "keep entries that expired less than this ago, such as 1h")
    .option("--dry-run", "list what would be deleted, and delete nothing")
    .action((flags: SweepFlags) => inDatabase(flags, false, (backend) => sweep(backend, flags)));
}

async function sweep(backend: SqlStateBackend, flags: SweepFlags): Promise<void> {
  const { batchSize, dryRun = false, grace } = flags;
  const waits = grace === undefined ? {} : { grace: durationFrom("--grace", grace) };
  const report = await sweepStore(backend, {
    clock: systemClock,
    settings: settingsOfMachine(),
    ...(batchSize === undefined ? {} : { batchSize }),
    dryRun,
    ...waits,
  });
  if (flags.json === true) return printJson({ ...report, dryRun });
  for (const { scope, key, expiresAt } of report.entries) {
    print(`${key}  of ${describeScope(scope)}  (${expiryInWords(expiresAt)})`);
  }
  const verb = dryRun ? "would be deleted" : "deleted";
  print(report.expired === 0 ? "Nothing has expired" : `${report.expired} entries ${verb}`);
}

function addOrphans(store: Command): void {
  withDatabase(store.command("orphans"))
    .description("delete the state of assets that no DAG declares any more")
    .requiredOption(
      "--declared <file>",
      'a JSON list of the assets that DAGs declare: [{ "name": "orders", "uri": "s3://shop/orders" }]',
    )
    .option("--dry-run", "list what would be deleted, and delete nothing")
    .action((flags: OrphansFlags) =>
      inDatabase(flags, false, async (backend) => {
        const declared = await assetsFromFile(flags.declared);
        const { dryRun = false } = flags;
        const assets = await clearOrphanedAssets(backend, declared, { dryRun });
        if (flags.json === true) return printJson({ assets, dryRun });
        for (const asset of assets) print(describeScope({ ...asset, kind: "asset" }));
        const verb = dryRun ? "would be cleared" : "cleared";
        print(assets.length === 0 ? "No asset is orphaned" : `${assets.length} assets ${verb}`);
      }),
    );
}

function addServe(store: Command): void {
  withDatabase(store.command("serve"))
    .description(
      `serve the state of task instances, tasks, processes and assets over HTTP on loopback; the token is $${TOKEN_VARIABLE}, or generated`,
    )
    .option(
      "--port <n>",
      "the port; 0 for any free one",
      wholeNumber("--port", 0, 65_535),
      PORT_DEFAULT,
    )
    .action((flags: ServeFlags) =>
      inDatabase(flags, false, async (backend) => {
        await backend.migrate();
        const settings = settingsOfMachine();
        await serveStore(backend, { port: flags.port, json: flags.json === true, settings });
      }),
    );
}

/** Opens the store, calls `act` and closes it; errors of the input become `WrongInput`. */
async function inDatabase(
  { db }: DatabaseFlags,
  mayCreate: boolean,
  act: (backend: SqlStateBackend) => Promise<void>,
): Promise<void> {
  const backend = await openDatabase(db, mayCreate);
  try {
    await backend.migrate().catch((error: unknown) => {
      throw new WrongInput(`Cannot open the store: ${messageOf(error)}`);
    });
    await act(backend);
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof UnreadableValue) throw error;
    if (error instanceof TypeError || error instanceof RangeError)
      throw new WrongInput(error.message);
    throw error;
  } finally {
    await backend.close();
  }
}

/** A refused connection to several addresses has no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}

function documentOf({ key, value, expiresAt, updatedAt, writer }: StateEntry): object {
  const parsed: unknown = JSON.parse(value);
  return {
    key,
    value: parsed,
    expiresAt: isoOrNull(expiresAt),
    updatedAt: isoOrNull(updatedAt),
    writer,
  };
}

function isoOrNull(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

function expiryInWords(expiresAt: number | null): string {
  return expiresAt === null ? "never expires" : `expires ${new Date(expiresAt).toISOString()}`;
}
