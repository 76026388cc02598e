/** One task instance without its attempt: what every retry of it shares. */
export interface TaskInstanceScope {
  readonly kind: "task-instance";
  readonly dagId: string;
  readonly runId: string;
  readonly taskId: string;
  /** -1 for a task that is not mapped; it is an index of its own and no wildcard. */
  readonly mapIndex: number;
}

/** One asset, known by name, by uri, or by both; no run and no task is part of it. */
export interface AssetScope {
  readonly kind: "asset";
  readonly name?: string;
  readonly uri?: string;
}

/** One task over all of its runs (AIP-30, TaskState). */
export interface TaskScope {
  readonly kind: "task";
  readonly dagId: string;
  readonly taskId: string;
}

/** Any process, by names of its own, so that renaming a dag or a task loses nothing (AIP-30). */
export interface ProcessScope {
  readonly kind: "process";
  readonly namespace: string;
  readonly processName: string;
}

/** What a key is a key of; part of every key. */
export type StoreScope = TaskInstanceScope | AssetScope | TaskScope | ProcessScope;

/** A run of a dag: what takes the state of its task instances with it when it is deleted. */
export interface DagRunRef {
  readonly dagId: string;
  readonly runId: string;
}

/**
 * Where a scope lies: the text of its group, and the index inside of the group.
 *
 * Holds: two scopes that differ in anything have different addresses, whatever characters their
 * parts hold; the group is ASCII-safe JSON, so it has neither a zero character nor a lone
 * surrogate.
 */
export interface ScopeAddress {
  readonly group: string;
  readonly mapIndex: number;
}

/** The index of everything that is not one of several mapped task instances. */
const UNMAPPED_INDEX = -1;

/** The largest index that a four-byte column holds. */
const MAP_INDEX_MAX = 2_147_483_647;

/**
 * The address of `scope`.
 *
 * @throws {TypeError} when `scope` is of no known kind, or a part of it is not what its kind asks
 *   for
 * @throws {RangeError} when the map index is not a whole number from -1 up
 */
export function scopeAddressFrom(scope: StoreScope): ScopeAddress {
  const known = ADDRESSES.get(scope);
  if (known !== undefined) return known;
  const address = addressOf(scope);
  // Only what cannot change any more keeps its address.
  if (Object.isFrozen(scope)) ADDRESSES.set(scope, address);
  return address;
}

const ADDRESSES = new WeakMap<StoreScope, ScopeAddress>();

function addressOf(scope: StoreScope): ScopeAddress {
  if (typeof scope !== "object" || scope === null) {
    throw new TypeError(`Cannot use ${String(scope)} as a scope: write an object with a kind`);
  }
  switch (scope.kind) {
    case "task-instance":
      return {
        group: groupText(scope, ["dagId", "runId", "taskId"]),
        mapIndex: checkedMapIndex(scope.mapIndex),
      };
    case "asset":
      return { group: assetGroup(scope), mapIndex: UNMAPPED_INDEX };
    case "task":
      return { group: groupText(scope, ["dagId", "taskId"]), mapIndex: UNMAPPED_INDEX };
    case "process":
      return { group: groupText(scope, ["namespace", "processName"]), mapIndex: UNMAPPED_INDEX };
    default:
      throw new TypeError(
        `Cannot use "${String((scope as { kind: unknown }).kind)}" as the kind of a scope: write "task-instance", "asset", "task" or "process"`,
      );
  }
}

/** The scope that lies at an address; the inverse of {@linkcode scopeAddressFrom}. */
export function scopeFromAddress({ group, mapIndex }: ScopeAddress): StoreScope {
  const [kind, first, second, third] = JSON.parse(group) as (string | null)[];
  switch (kind) {
    case "task-instance":
      return { kind, dagId: first ?? "", runId: second ?? "", taskId: third ?? "", mapIndex };
    case "task":
      return { kind, dagId: first ?? "", taskId: second ?? "" };
    case "process":
      return { kind, namespace: first ?? "", processName: second ?? "" };
    case "asset":
      return {
        kind,
        ...(typeof first === "string" ? { name: first } : {}),
        ...(typeof second === "string" ? { uri: second } : {}),
      };
    default:
      throw new TypeError(`Cannot read "${group}" as the address of a scope: its kind is unknown`);
  }
}

/** What the groups of every task instance of one run, and of nothing else, begin with. */
export function runGroupPrefix(run: DagRunRef): string {
  const text = groupText({ kind: "task-instance", ...run }, ["dagId", "runId"]);
  return `${text.slice(0, -1)},`;
}

/** A scope in words, for messages: `task-instance (dag "a", run "b", task "c", index 2)`. */
export function describeScope(scope: StoreScope): string {
  switch (scope.kind) {
    case "task-instance":
      return `task instance (dag "${scope.dagId}", run "${scope.runId}", task "${scope.taskId}", map index ${scope.mapIndex})`;
    case "asset":
      return `asset (${[scope.name, scope.uri].filter((part) => part !== undefined).join(", ")})`;
    case "task":
      return `task (dag "${scope.dagId}", task "${scope.taskId}")`;
    case "process":
      return `process (namespace "${scope.namespace}", process "${scope.processName}")`;
  }
}

function groupText(scope: { readonly kind: string }, names: readonly string[]): string {
  const parts = scope as unknown as Readonly<Record<string, unknown>>;
  const texts: string[] = [scope.kind];
  for (const name of names) {
    const part = parts[name];
    if (typeof part !== "string") {
      throw new TypeError(
        `Cannot use ${String(part)} as ${name} of a ${scope.kind} scope: write a string`,
      );
    }
    texts.push(part);
  }
  return JSON.stringify(texts);
}

function assetGroup(scope: AssetScope): string {
  for (const [name, part] of [
    ["name", scope.name],
    ["uri", scope.uri],
  ] as const) {
    if (part === undefined || typeof part === "string") continue;
    throw new TypeError(`Cannot use ${String(part)} as ${name} of an asset: write a string`);
  }
  if (scope.name === undefined && scope.uri === undefined) {
    throw new TypeError("Cannot use an asset without name and uri as a scope: give one of the two");
  }
  return JSON.stringify(["asset", scope.name ?? null, scope.uri ?? null]);
}

function checkedMapIndex(mapIndex: unknown): number {
  if (typeof mapIndex !== "number") {
    throw new TypeError(
      `Cannot use ${String(mapIndex)} as a map index: write a whole number, ${UNMAPPED_INDEX} for a task that is not mapped`,
    );
  }
  if (!Number.isInteger(mapIndex) || mapIndex < UNMAPPED_INDEX || mapIndex > MAP_INDEX_MAX) {
    throw new RangeError(
      `Cannot use ${mapIndex} as a map index: it is a whole number from ${UNMAPPED_INDEX} up to ${MAP_INDEX_MAX}`,
    );
  }
  return mapIndex;
}
