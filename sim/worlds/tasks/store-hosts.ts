import type { ApiAddress } from "../../hosts/api-server.ts";
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
/** Where somebody looks at the state store over HTTP. */
export const DASHBOARD = "dashboard";

interface StoreHostParts {
  readonly database: TaskDatabase;
  readonly databaseHost: string;
  readonly api: ApiAddress;
  /** Adds a host to the world. */
  readonly addHost: (name: string, boot: (life: Life) => void) => void;
}

/** Adds the hosts that reach the state store for no task: what sweeps it, and who looks at it. */
export function addStoreHosts(scenario: TaskScenario, parts: StoreHostParts): void {
  const { database, databaseHost, api, addHost } = parts;
  const { sweep, dashboard } = scenario;
  if (sweep !== undefined) {
    const { every: everyMs, batchSize, grace: graceMs } = sweep;
    const options = { database: databaseHost, everyMs, batchSize, graceMs };
    addHost(SWEEPER, (life) => startSweeper(life, database, options));
  }
  if (dashboard === undefined) return;
  const { every: everyMs } = dashboard;
  // Counted by the world, because a dashboard that restarts forgets what it has asked.
  let requests = 0;
  const number = (): number => (requests += 1);
  const scopes = (): readonly ShownScope[] => shownScopes(scenario, database.rows());
  addHost(DASHBOARD, (life) => startDashboard(life, { api, everyMs, scopes, number }));
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
