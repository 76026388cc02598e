import { BaseOperator, type Operator, type TaskContext } from "../../src/operator/mod.ts";
import {
  type ClearOptions,
  MemoryStateBackend,
  OffloadingStateBackend,
  type StateBackend,
  type StateEntry,
  type StoreScope,
  type SweepReport,
  type SweepRequest,
  type WriteOptions,
} from "../../src/store/mod.ts";
import type { TaskServices } from "../../sim/hosts/task-process.ts";
import { PageLoader } from "../../sim/workloads/page-loader.ts";
import type { PageSpec, TaskSpec } from "../../sim/worlds/tasks/task-scenario.ts";
import type { TaskWorldParts } from "../../sim/worlds/tasks/task-parts.ts";
import { KEPT_TIME_BUGS } from "./kept-time-bugs.ts";
import { backendWith, type PlantedStoreBug } from "./planted-backend.ts";

/** A sweep that deletes by id what its last look saw, without another look (E9, A72). */
function sweepById(correct: MemoryStateBackend): Partial<StateBackend> {
  let seen: SweepReport = { expired: 0, batches: 0, entries: [] };
  return {
    async sweepExpired(request: SweepRequest): Promise<SweepReport> {
      if (request.dryRun === true) return seen;
      for (const { scope, key } of seen.entries) await correct.delete(scope, key);
      seen = await correct.sweepExpired({ ...request, dryRun: true });
      return { ...seen, batches: 1 };
    },
  };
}

const BACKEND_BUGS: readonly PlantedStoreBug[] = [
  {
    bug: "E9 a sweep deletes by id what it saw before, refreshed or not",
    scenario: "store/sweep-races-a-set",
    breaks: "R-I9",
    parts: backendWith(sweepById),
  },
  {
    bug: "E10 a sweep counts with a margin that nobody asked for",
    scenario: "store/sweep-races-a-set",
    breaks: "R-I9",
    parts: backendWith((correct) => ({
      sweepExpired: (request) => correct.sweepExpired({ ...request, now: request.now + 60_000 }),
    })),
  },
  {
    bug: "E11 a clear of one index wipes them all",
    scenario: "store/cleared-mapped-task",
    breaks: "R-I10",
    parts: backendWith((correct) => ({
      clear: (scope: StoreScope, _options?: ClearOptions) =>
        correct.clear(scope, { allMapIndices: true }),
    })),
  },
  {
    bug: "E13 the map index is no part of the key",
    scenario: "store/cleared-mapped-task",
    breaks: "R-I7",
    parts: backendWith((correct) => {
      const merged = (scope: StoreScope): StoreScope =>
        scope.kind === "task-instance" ? { ...scope, mapIndex: -1 } : scope;
      return {
        get: (scope: StoreScope, key: string) => correct.get(merged(scope), key),
        set: (scope: StoreScope, key: string, value: string, options: WriteOptions) =>
          correct.set(merged(scope), key, value, options),
      };
    }),
  },
  {
    bug: "E34 a write is seen by readers and lost with the next read",
    scenario: "store/paginated-progress",
    breaks: "R-I7",
    parts: backendWith((correct) => {
      let reads = 0;
      return {
        async get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
          reads += 1;
          return reads % 3 === 0 ? undefined : correct.get(scope, key);
        },
      };
    }),
  },
  {
    bug: "E55 a clear of a task takes its asset's state along",
    scenario: "store/asset-watermark",
    breaks: "R-I11",
    parts: backendWith((correct) => ({
      async clear(scope: StoreScope, options?: ClearOptions): Promise<void> {
        await correct.clear(scope, options);
        await correct.clear({ kind: "asset", name: "orders" });
      },
    })),
  },
];

/** An operator of the scenario's tasks with another `execute`. */
function operatorWith(
  execute: (services: TaskServices, spec: TaskSpec, ctx: TaskContext) => Promise<unknown>,
): TaskWorldParts {
  return {
    createOperator(spec, services): Operator {
      return new (class extends BaseOperator {
        override execute(ctx: TaskContext): Promise<unknown> {
          return execute(services, spec, ctx);
        }
      })();
    },
  };
}

function load(services: TaskServices, page: number): Promise<void> {
  const { life, assignment } = services;
  const { row, attempt } = assignment;
  return life.call("warehouse.load", "warehouse", () =>
    life.trace({ kind: "page-loaded", task: row.name, attempt, page }),
  );
}

function loadRows(services: TaskServices, from: number, to: number): Promise<void> {
  const { life, assignment } = services;
  const { attempt } = assignment;
  return life.call("warehouse.load", "warehouse", () =>
    life.trace({ kind: "rows-loaded", process: "orders", attempt, from, to }),
  );
}

const OPERATOR_BUGS: readonly PlantedStoreBug[] = [
  {
    bug: "E45 a page is noted before it is loaded",
    scenario: "store/paginated-progress",
    breaks: "R-I12",
    parts: operatorWith(async (services, _spec, ctx) => {
      const store = ctx.taskStateStore;
      const last = ((await store?.get("last_page")) as number | null) ?? 0;
      for (let page = last + 1; page <= 12; page += 1) {
        await store?.set("last_page", page);
        await load(services, page);
      }
      return 12;
    }),
  },
  {
    bug: "E47 the note is asked for its truth, and pages count from 0",
    scenario: "store/paginated-progress",
    breaks: "R-I12",
    parts: operatorWith(async (services, _spec, ctx) => {
      const store = ctx.taskStateStore;
      const last = await store?.get("last_page");
      const next = typeof last === "number" && last % 4 > 0 ? last + 1 : 1;
      for (let page = next; page <= 12; page += 1) {
        await load(services, page);
        await store?.set("last_page", page);
      }
      return 12;
    }),
  },
  {
    bug: "E48 the note is an item's name, and the list comes in another order",
    scenario: "store/paginated-progress",
    breaks: "R-I12",
    parts: operatorWith(async (services, _spec, ctx) => {
      const store = ctx.taskStateStore;
      const pages = Array.from({ length: 12 }, (_, at) => at + 1);
      if (services.assignment.attempt % 2 === 0) pages.reverse();
      const last = (await store?.get("last_page")) as number | null;
      for (const page of pages.slice(last === null ? 0 : pages.indexOf(last) + 1)) {
        await load(services, page);
        await store?.set("last_page", page);
      }
      return 12;
    }),
  },
  {
    bug: "E49 the watermark is written before the rows are committed",
    scenario: "store/watermark-follows-the-data",
    breaks: "R-I13",
    parts: operatorWith(async (services) => {
      const { row } = services.assignment;
      const { dagId, taskId } = row.key;
      const store = services.stateStore({ kind: "task", dagId, taskId });
      const low = (await store.get<number>("watermark")) ?? 0;
      await store.set("watermark", low + 5);
      await loadRows(services, low + 1, low + 5);
      return low + 5;
    }),
  },
  {
    bug: "E50 the watermark is what the source holds at the end, and not at the start",
    scenario: "store/watermark-follows-the-data",
    breaks: "R-I13",
    parts: operatorWith(async (services) => {
      const { row } = services.assignment;
      const { dagId, taskId } = row.key;
      const store = services.stateStore({ kind: "task", dagId, taskId });
      const low = (await store.get<number>("watermark")) ?? 0;
      await loadRows(services, low + 1, low + 5);
      await store.set("watermark", low + 6);
      return low + 6;
    }),
  },
  {
    bug: "E51 a watcher notes what it saw last before its event is out",
    scenario: "store/asset-watermark",
    breaks: "R-I13",
    parts: operatorWith(async (services) => {
      const store = services.stateStore({ kind: "asset", name: "orders" });
      const seen = (await store.get<number>("watermark")) ?? 0;
      await store.set("watermark", seen + 1);
      await loadRows(services, seen + 1, seen + 1);
      return seen + 1;
    }),
  },
  {
    bug: "D18 a slower attempt moves the watermark back",
    scenario: "store/watermark-follows-the-data",
    breaks: "R-I13",
    parts: operatorWith(async (services) => {
      const { attempt, row } = services.assignment;
      const { dagId, taskId } = row.key;
      const store = services.stateStore({ kind: "task", dagId, taskId });
      const low = (await store.get<number>("watermark")) ?? 0;
      await loadRows(services, low + 1, low + 5);
      await store.set("watermark", attempt % 2 === 0 ? low - 1 : low + 5);
      return low;
    }),
  },
];

const SUCCESS_BUGS: readonly PlantedStoreBug[] = [
  {
    bug: "a lock in the store outlives the attempt that took it",
    scenario: "store/paginated-progress",
    breaks: "R-recovers",
    parts: operatorWith(async (services, _spec, ctx) => {
      const { attempt } = services.assignment;
      const store = ctx.taskStateStore;
      const holder = (await store?.get("lock")) ?? null;
      if (holder !== null) throw new Error(`Attempt ${JSON.stringify(holder)} has the lock`);
      await store?.set("lock", attempt);
      for (let page = 1; page <= 12; page += 1) await load(services, page);
      return 12;
    }),
  },
  {
    bug: "E31 a worker deletes its payloads before its success is reported",
    scenario: "store/payloads-of-a-lost-worker",
    breaks: "R-recovers",
    parts: operatorWith(async (services, spec, ctx) => {
      const { pages } = spec as PageSpec;
      const scope = "task-instance";
      const loader = new PageLoader(services, { pages, pageTakesMs: 0, scope });
      const result = await loader.execute(ctx);
      const { payloads, assignment } = services;
      const own = { kind: scope, ...assignment.row.key } as const;
      // The database keeps its references; the payloads that they name are gone.
      const inner = new MemoryStateBackend();
      if (payloads !== undefined) await new OffloadingStateBackend(inner, payloads).clear(own);
      return result;
    }),
  },
];

export const STORE_BUGS: readonly PlantedStoreBug[] = [
  ...BACKEND_BUGS,
  ...KEPT_TIME_BUGS,
  ...OPERATOR_BUGS,
  ...SUCCESS_BUGS,
];
