import type { AssetRef } from "../../../src/store/mod.ts";
import type { ApiAddress } from "../../hosts/api-server.ts";
import { startDagProcessor } from "../../hosts/dag-processor.ts";
import type { Life } from "../../hosts/life.ts";
import { startSweeper } from "../../hosts/sweeper.ts";
import type { TaskDatabase, TaskRow } from "../../hosts/task-database.ts";
import { scopeText } from "../../hosts/traced-store.ts";
import { type ShownScope, startDashboard } from "../../workloads/dashboard.ts";
import { PAGE_KEY } from "../../workloads/page-loader.ts";
import { type ProgressScope, progressScopeOf } from "../../workloads/progress-memory.ts";
import { WATERMARK_KEY } from "../../workloads/watermark-loader.ts";
import type { TaskScenario, TaskSpec } from "./task-scenario.ts";

/** Who sweeps the state store. */
export const SWEEPER = "sweeper";
/** Who parses the DAGs, and clears the state of assets that none of them declares. */
export const DAG_PROCESSOR = "dag-processor";
/** How often it parses them. */
const PARSE_EVERY_MS = 10_000;
/** Where somebody looks at the state store over HTTP. */
export const DASHBOARD = "dashboard";

interface StoreHostParts {
  readonly database: TaskDatabase;
  readonly databaseHost: string;
  readonly api: ApiAddress;
  /** The tasks that were removed from their DAGs. */
  readonly removed: ReadonlySet<string>;
  /** Adds a host to the world. */
  readonly addHost: (name: string, boot: (life: Life) => void) => void;
}

/** Adds the hosts that reach the state store for no task: those that clean up, and who looks at it. */
export function addStoreHosts(scenario: TaskScenario, parts: StoreHostParts): void {
  const { database, databaseHost, api, addHost } = parts;
  const { sweep, dashboard } = scenario;
  if (sweep !== undefined) {
    const { every: everyMs, batchSize, grace: graceMs } = sweep;
    const options = { database: databaseHost, everyMs, batchSize, graceMs };
    addHost(SWEEPER, (life) => startSweeper(life, database, options));
  }
  if (removesTasks(scenario)) {
    const options = { database: databaseHost, everyMs: PARSE_EVERY_MS };
    const declared = (): readonly AssetRef[] => declaredAssets(scenario, parts.removed);
    addHost(DAG_PROCESSOR, (life) => startDagProcessor(life, database, { ...options, declared }));
  }
  if (dashboard === undefined) return;
  const { every: everyMs } = dashboard;
  // Counted by the world, because a dashboard that restarts forgets what it has asked.
  let requests = 0;
  const number = (): number => (requests += 1);
  const scopes = (): readonly ShownScope[] => shownScopes(scenario, database.rows());
  addHost(DASHBOARD, (life) => startDashboard(life, { api, everyMs, scopes, number }));
}

/** Whether tasks are removed from their DAGs. */
export function removesTasks({ operations }: TaskScenario): boolean {
  return operations.some((operation) => "remove" in operation);
}

/** DAGs declare assets by name and URI, where tasks refer to them by name. */
function declaredAssets(
  { tasks }: TaskScenario,
  removed: ReadonlySet<string>,
): readonly AssetRef[] {
  return tasks
    .filter(({ name }) => !removed.has(name))
    .map(({ name }) => ({ name, uri: `s3://warehouse/${name}` }));
}

/** The scopes in which the tasks that have begun keep what they do, each once. */
function shownScopes(
  { tasks, dashboard }: TaskScenario,
  rows: readonly TaskRow[],
): readonly ShownScope[] {
  const shown = new Map<string, ShownScope>();
  for (const row of rows) {
    const spec = tasks.find(({ name }) => name === row.task) as TaskSpec;
    const { place, key, isModel } = progressOf(spec);
    if (place === "xcom") continue;
    const scope = progressScopeOf(row, place);
    // A note would stay behind when the state goes with the success of its task.
    const isCleared = place === "task-instance" && spec.clearOnSuccess;
    const takesNotes = dashboard?.notes === true && !isCleared && place !== "asset";
    shown.set(scopeText(scope), { scope, key, isModel, takesNotes });
  }
  return [...shown.values()];
}

interface Progress {
  readonly place: ProgressScope;
  readonly key: string;
  readonly isModel: boolean;
}

/** Where a task keeps how far it is, or the id of its job. */
function progressOf(spec: TaskSpec): Progress {
  switch (spec.operator) {
    case "pages":
      return { place: spec.progressIn, key: PAGE_KEY, isModel: spec.progressAs === "model" };
    case "watermark":
      return { place: spec.progressIn, key: WATERMARK_KEY, isModel: spec.progressAs === "model" };
    case "scratch":
      return { place: "task-instance", key: PAGE_KEY, isModel: false };
    default:
      return { place: "task-instance", key: spec.externalIdKey, isModel: false };
  }
}
