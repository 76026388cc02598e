import * as fc from "fast-check";
import {
  type AssetRef,
  type AssetStateStore,
  contextStores,
  type ContextStores,
  type JsonValue,
  NEVER_EXPIRE,
  type Retention,
  silentLogger,
  type SetOptions,
  type StateBackend,
  stateStoreSettings,
  type StoreScope,
  type TaskStateStore,
} from "../../src/mod.ts";
import { createStoreHandler } from "../../src/store-http/mod.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import { EPOCH_MS } from "../../sim/trace/epoch.ts";

/** The task instances of a sequence; two of them are of one mapped task, one is of another run. */
export const TASKS = [
  { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 },
  { dagId: "etl", runId: "r1", taskId: "mapped", mapIndex: 0 },
  { dagId: "etl", runId: "r1", taskId: "mapped", mapIndex: 1 },
  { dagId: "etl", runId: "r2", taskId: "load", mapIndex: -1 },
] as const;

/** The assets; all use the first one's name and the second one's URI. */
export const ASSETS = [
  { name: "orders", uri: "s3://lake/orders" },
  { name: "clicks", uri: "s3://lake/clicks" },
] as const;

const ADDRESSES: readonly AssetRef[] = [{ name: ASSETS[0].name }, { uri: ASSETS[1].uri }];

/** Whose state it is, and which task calls. */
type Place = { readonly task: number; readonly asset?: number };

/** A call of a task, a request of a user, or something that happens. */
export type Step =
  | (Place & { readonly does: "get"; readonly key: string; readonly default?: JsonValue })
  | (Place & {
      readonly does: "set";
      readonly key: string;
      /** JSON text. */
      readonly value: string;
      /** Units of time, "never", null, or what is no retention. */
      readonly retention?: unknown;
    })
  | (Place & { readonly does: "delete"; readonly key: string })
  | (Place & { readonly does: "clear" })
  | {
      readonly does: "request";
      readonly method: string;
      readonly path: string;
      readonly body?: string;
    }
  | { readonly does: "advance"; readonly by: number }
  | { readonly does: "sweep"; readonly dryRun: boolean };

/** Steps that follow each other, from an empty store on. */
export interface Sequence {
  readonly startsAt: typeof EPOCH_MS;
  readonly defaultRetentionDays: number;
  readonly steps: readonly Step[];
}

/** How a step ended. */
export type Ended =
  | readonly ["done"]
  | readonly ["refused", string]
  | readonly ["returned", JsonValue]
  | readonly ["status", number, JsonValue];

/** An entry: where it is, key, JSON text, expiry, last write, and for assets who wrote it. */
export type Row = readonly [
  kind: "task" | "asset",
  at: number,
  key: string,
  value: string,
  expiresAt: number | null,
  updatedAt: number | null,
  writer: string | null,
];

/** What was seen of one step, and all that is stored after it. */
export type Observed = readonly [Ended, readonly Row[]];

/** "." and "..", line breaks and more than 512 characters are handled otherwise on purpose. */
const oddKey = fc.constantFrom(
  ...["a", "job_id", "a/b", "/a", "a//b", "a b", " ", "ü", "😀", "%2F", "a%20b", "+", "?q=1#x"],
  ...["x:y", "a\\b", "../x", "clear", "tab\there", "null", "__proto__", "x".repeat(512)],
);
const key = fc.oneof(
  { arbitrary: oddKey, weight: 3 },
  {
    arbitrary: fc
      .string({ minLength: 1, maxLength: 8 })
      .filter((text) => text !== "." && text !== ".."),
    weight: 1,
  },
);

const value = fc.oneof(
  { arbitrary: fc.jsonValue({ maxDepth: 2 }).map((one) => JSON.stringify(one)), weight: 6 },
  {
    arbitrary: fc.constantFrom(
      ...["0", "false", '""', "[]", "{}", "null", "1e21", "-0.5", '"\\u0000"', '"null"'],
      ...['{"__airflow_state_ref__":"x"}', '{"$payload":"x"}', "5e-324", '{"10":1,"b":null}'],
      `"${"x".repeat(60_000)}"`,
    ),
    weight: 4,
  },
);

const retention = fc.constantFrom<readonly unknown[]>(
  ...[[], [], [null], ["never"], [{ hours: 6 }], [{ days: 1, minutes: 1 }], [{ seconds: 0 }]],
  ...[[{ milliseconds: 1 }], [5], [0], [true], ["1 day"], [{ days: 4_000_000 }]],
);

const MS_PER_DAY = 86_400_000;
const expiresAt = fc.constantFrom<readonly unknown[]>(
  ...[[], [], ["default"], [null], ["2026-01-02T00:00:00Z"], ["2026-01-01T06:00:00+02:00"]],
  ...[["2026-01-02T00:00:00"], ["tomorrow"], [EPOCH_MS / 1_000 + 3_600], [true]],
);

function pathOf(place: Place, keyText?: string, query = ""): string {
  const { dagId, runId, taskId, mapIndex } = TASKS[place.task] ?? TASKS[0];
  const scope =
    place.asset === undefined
      ? `/dags/${dagId}/dagRuns/${runId}/taskInstances/${taskId}`
      : `/assets/${place.asset + 1}`;
  const words = [place.asset === undefined ? `map_index=${mapIndex}` : "", query];
  const text = keyText === undefined ? "" : `/${encodeURIComponent(keyText)}`;
  return `${scope}/state-store${text}?${words.filter((word) => word !== "").join("&")}`;
}

function stepOf(keys: readonly string[]): fc.Arbitrary<Step> {
  const one = fc.constantFrom(...keys);
  const task = fc.nat({ max: TASKS.length - 1 });
  const place: fc.Arbitrary<Place> = fc.oneof(
    { arbitrary: fc.record({ task }), weight: 3 },
    { arbitrary: fc.record({ task, asset: fc.nat({ max: ASSETS.length - 1 }) }), weight: 1 },
  );
  const calls = [
    fc.tuple(place, one, value, retention).map(([at, k, text, [given]]): Step => {
      const isGiven = given !== undefined && at.asset === undefined;
      const options = isGiven ? { retention: given } : {};
      return { does: "set", ...at, key: k, value: text, ...options };
    }),
    fc
      .tuple(place, one, fc.option(fc.constantFrom<JsonValue>(0, "none", []), { nil: undefined }))
      .map(([at, k, d]): Step => {
        return { does: "get", ...at, key: k, ...(d === undefined ? {} : { default: d }) };
      }),
    fc.tuple(place, one).map(([at, k]): Step => ({ does: "delete", ...at, key: k })),
    place.map((at): Step => ({ does: "clear", ...at })),
  ];
  const happens = [
    fc
      .constantFrom(0, 1, 3_600_000, MS_PER_DAY - 1, MS_PER_DAY, 30 * MS_PER_DAY)
      .map((by): Step => ({ does: "advance", by })),
    fc.boolean().map((dryRun): Step => ({ does: "sweep", dryRun })),
  ];
  return fc.oneof(
    { arbitrary: calls[0] as fc.Arbitrary<Step>, weight: 5 },
    { arbitrary: calls[1] as fc.Arbitrary<Step>, weight: 5 },
    { arbitrary: fc.oneof(...calls.slice(2)), weight: 2 },
    { arbitrary: fc.oneof(...happens), weight: 3 },
    { arbitrary: requestOf(place, one), weight: 5 },
  );
}

function requestOf(place: fc.Arbitrary<Place>, one: fc.Arbitrary<string>): fc.Arbitrary<Step> {
  const page = fc.constantFrom("", "limit=2", "limit=1&offset=1", "offset=9", "limit=-1");
  const asked = fc.constantFrom("", "", "all_map_indices=true", "all_map_indices=false");
  const body = fc.tuple(value, expiresAt, fc.constantFrom("", "", "", ',"more":1'));
  return fc.oneof(
    fc.tuple(place, page).map(([at, query]) => request("GET", pathOf(at, undefined, query))),
    fc.tuple(place, one).map(([at, k]) => request("GET", pathOf(at, k))),
    fc.tuple(place, one, body).map(([at, k, [text, [instant], more]]) => {
      const isAsset = at.asset !== undefined;
      const expiry =
        instant === undefined || isAsset ? "" : `,"expires_at":${JSON.stringify(instant)}`;
      return request("PUT", pathOf(at, k), `{"value":${text}${expiry}${more}}`);
    }),
    fc
      .tuple(place, one, value)
      .map(([at, k, text]) => request("PATCH", pathOf(at, k), `{"value":${text}}`)),
    fc.tuple(place, one).map(([at, k]) => request("DELETE", pathOf(at, k))),
    fc.tuple(place, asked).map(([at, query]) => {
      const isTask = at.asset === undefined;
      return request("DELETE", pathOf(at, undefined, isTask ? query : ""));
    }),
  );
}

function request(method: string, path: string, body?: string): Step {
  return { does: "request", method, path, ...(body === undefined ? {} : { body }) };
}

/** Sequences in which Airflow's stores and ours are to do the same. */
export const sequence: fc.Arbitrary<Sequence> = fc
  .uniqueArray(key, { minLength: 2, maxLength: 4 })
  .chain((keys) =>
    fc.record({
      startsAt: fc.constant(EPOCH_MS),
      defaultRetentionDays: fc.constantFrom(30, 30, 1, 0),
      steps: fc.array(stepOf(keys), { minLength: 4, maxLength: 24 }),
    }),
  );

/** Plays a sequence on our stores and our handler, over a backend. */
export async function observeOurs(
  { defaultRetentionDays, steps }: Sequence,
  backend: StateBackend,
): Promise<readonly Observed[]> {
  const clock = new VirtualClock();
  const defaultRetention = { days: defaultRetentionDays };
  const settings = stateStoreSettings({ defaultRetention });
  const stores = TASKS.map((task) =>
    contextStores(backend, task, { clock, settings, assets: ADDRESSES }),
  );
  const handler = createStoreHandler(backend, {
    clock,
    grants: [{ token: TOKEN }],
    settings,
    findAsset: (id) => ADDRESSES[id - 1],
    logger: silentLogger,
  });
  const observed: Observed[] = [];
  for (const step of steps) {
    const ended = await play(step, { backend, clock, stores, handler }).catch(
      (error: unknown): Ended => ["refused", String(error)],
    );
    observed.push([ended, await rowsOf(backend)]);
  }
  return observed;
}

const TOKEN = "a-token-that-is-long-enough";

interface Surroundings {
  readonly backend: StateBackend;
  readonly clock: VirtualClock;
  readonly stores: readonly ContextStores[];
  readonly handler: (request: Request) => Promise<Response>;
}

async function play(step: Step, { backend, clock, stores, handler }: Surroundings): Promise<Ended> {
  switch (step.does) {
    case "advance":
      await clock.advance(step.by, () => Promise.resolve());
      return ["done"];
    case "sweep": {
      const now = clock.wallNow();
      return ["returned", (await backend.sweepExpired({ now, dryRun: step.dryRun })).expired];
    }
    case "request": {
      const { method, path, body } = step;
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
      const url = `http://localhost/api/v2${path}`;
      const response = await handler(
        new Request(url, { method, headers, ...(body === undefined ? {} : { body }) }),
      );
      return ["status", response.status, response.status === 200 ? await response.json() : null];
    }
    default:
      return call(step, storeOf(step, stores));
  }
}

type Call = Extract<Step, Place>;

async function call(step: Call, store: TaskStateStore | AssetStateStore): Promise<Ended> {
  switch (step.does) {
    case "get":
      return ["returned", await store.get(step.key, step.default ?? null)];
    case "set": {
      const given = JSON.parse(step.value) as NonNullable<JsonValue>;
      const options: readonly SetOptions[] =
        "retention" in step ? [{ retention: retentionFrom(step.retention) }] : [];
      await (store as TaskStateStore).set(step.key, given, ...options);
      return ["done"];
    }
    case "delete":
      await store.delete(step.key);
      return ["done"];
    case "clear":
      await store.clear();
      return ["done"];
  }
}

function storeOf(
  { task, asset }: Place,
  stores: readonly ContextStores[],
): TaskStateStore | AssetStateStore {
  const own = stores[task] as ContextStores;
  if (asset === undefined) return own.taskStateStore;
  return own.assetStateStore.of(ADDRESSES[asset] as AssetRef);
}

function retentionFrom(given: unknown): Retention | null {
  return given === "never" ? NEVER_EXPIRE : (given as Retention | null);
}

async function rowsOf(backend: StateBackend): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const scopes: readonly (readonly ["task" | "asset", number, StoreScope])[] = [
    ...TASKS.map((key, at) => ["task", at, { kind: "task-instance", ...key }] as const),
    ...ADDRESSES.map((ref, at) => ["asset", at, { kind: "asset", ...ref }] as const),
  ];
  for (const [kind, at, scope] of scopes) {
    const { entries } = await backend.list(scope, { limit: 1_000, offset: 0 });
    for (const { key: name, value: text, expiresAt: end, updatedAt, writer } of entries) {
      const by = writer === null ? null : "taskId" in writer ? writer.taskId : writer.kind;
      rows.push([kind, at, name, text, end, updatedAt, kind === "asset" ? by : null]);
    }
  }
  return rows;
}
