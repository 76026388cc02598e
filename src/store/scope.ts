/** One task instance without its try number: all attempts share it. */
export interface TaskInstanceScope {
  /** Always `"task-instance"`. */
  readonly kind: "task-instance";
  /** The id of the dag. */
  readonly dagId: string;
  /** The id of the dag run. */
  readonly runId: string;
  /** The id of the task within the dag. */
  readonly taskId: string;
  /** -1 for a task that is not mapped; an index like any other and no wildcard. */
  readonly mapIndex: number;
}

/** One asset, identified by name, URI or both. */
export interface AssetScope {
  /** Always `"asset"`. */
  readonly kind: "asset";
  /** The asset's name. */
  readonly name?: string;
  /** The asset's URI. */
  readonly uri?: string;
}

/** How an asset is referred to: by its name, its URI or both. */
export type AssetRef = Omit<AssetScope, "kind">;

/** One task across all of its runs (AIP-30, TaskState). */
export interface TaskScope {
  /** Always `"task"`. */
  readonly kind: "task";
  /** The id of the dag. */
  readonly dagId: string;
  /** The id of the task within the dag. */
  readonly taskId: string;
}

/** A process with a name of its own, which survives renaming a dag or a task (AIP-30). */
export interface ProcessScope {
  /** Always `"process"`. */
  readonly kind: "process";
  /** A group of processes. */
  readonly namespace: string;
  /** The name of the process within its namespace. */
  readonly processName: string;
}

/** What state belongs to; part of the address of every entry. */
export type StoreScope = TaskInstanceScope | AssetScope | TaskScope | ProcessScope;

/** One run of a dag. */
export interface DagRunRef {
  /** The id of the dag. */
  readonly dagId: string;
  /** The id of the dag run. */
  readonly runId: string;
}

/**
 * A scope as a text and an index, for backends to store entries under.
 *
 * Holds: different scopes have different addresses, whatever characters their parts contain. The
 * text is JSON without zero characters and lone surrogates.
 */
export interface ScopeAddress {
  /** Everything but the map index; all map indices of one task share it. */
  readonly group: string;
  /** The map index; -1 for every scope that has none. */
  readonly mapIndex: number;
}

/** The index of scopes without a map index. */
const UNMAPPED_INDEX = -1;

/** The largest index that a four-byte column can hold. */
const MAP_INDEX_MAX = 2_147_483_647;

/**
 * Returns the address of `scope`.
 *
 * @example
 * ```ts
 * import { scopeAddressFrom } from "faultlane";
 *
 * const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
 * console.log(scopeAddressFrom(scope).group); // => ["task","etl","load"]
 * console.log(scopeAddressFrom(scope).mapIndex); // => -1
 * ```
 *
 * @throws {TypeError} when `scope` is of no known kind, or a part is missing or of the wrong type
 * @throws {RangeError} when the map index is not an integer of -1 or more
 */
export function scopeAddressFrom(scope: StoreScope): ScopeAddress {
  const known = ADDRESSES.get(scope);
  if (known !== undefined) return known;
  const address = addressOf(scope);
  // A scope that is not frozen may change, so its address is not cached.
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

/**
 * Returns the scope at an address; the inverse of {@linkcode scopeAddressFrom}.
 *
 * @example
 * ```ts
 * import { scopeFromAddress } from "faultlane";
 *
 * const scope = scopeFromAddress({ group: '["task","etl","load"]', mapIndex: -1 });
 * console.log(scope.kind); // => task
 * ```
 *
 * @throws {TypeError} when the group is of no known kind
 * @throws {SyntaxError} when the group is not JSON
 */
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

/** Returns the text with which the groups of a run's task instances, and no others, begin. */
export function runGroupPrefix(run: DagRunRef): string {
  const text = groupText({ kind: "task-instance", ...run }, ["dagId", "runId"]);
  return `${text.slice(0, -1)},`;
}

/**
 * Returns a scope in words, for messages.
 *
 * @example
 * ```ts
 * import { describeScope } from "faultlane";
 *
 * console.log(describeScope({ kind: "task", dagId: "etl", taskId: "load" }));
 * // => task (dag "etl", task "load")
 * ```
 */
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
    throw new TypeError(
      "Cannot use an asset without a name and a URI as a scope: give at least one",
    );
  }
  return JSON.stringify(["asset", scope.name ?? null, scope.uri ?? null]);
}

function checkedMapIndex(mapIndex: unknown): number {
  if (typeof mapIndex !== "number") {
    throw new TypeError(
      `Cannot use ${String(mapIndex)} as a map index: write an integer, ${UNMAPPED_INDEX} for a task that is not mapped`,
    );
  }
  if (!Number.isInteger(mapIndex) || mapIndex < UNMAPPED_INDEX || mapIndex > MAP_INDEX_MAX) {
    throw new RangeError(
      `Cannot use ${mapIndex} as a map index: it must be an integer from ${UNMAPPED_INDEX} to ${MAP_INDEX_MAX}`,
    );
  }
  return mapIndex;
}
