import { describe, expect, test } from "vitest";
import {
  MemoryStateBackend,
  NEVER_EXPIRE,
  type StoreScope,
  sweepStore,
  TaskStateStore,
} from "../../src/store/mod.ts";
import { simulate } from "../../sim/run/simulate.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import { readScenario } from "../sim/read-scenarios.ts";

type Scope = Exclude<StoreScope, { kind: "asset" }>;

const DAY = { days: 1 };

/** One database with a store for each scope. */
class Database {
  readonly clock = new VirtualClock();
  readonly backend = new MemoryStateBackend();

  of(scope: Scope): TaskStateStore {
    return new TaskStateStore(this.backend, scope, { clock: this.clock });
  }

  task(dagId: string, taskId: string): TaskStateStore {
    return this.of({ kind: "task", dagId, taskId });
  }

  instance(runId: string, mapIndex = -1): TaskStateStore {
    return this.of({ kind: "task-instance", dagId: "etl", runId, taskId: "load", mapIndex });
  }

  process(namespace: string, processName: string): TaskStateStore {
    return this.of({ kind: "process", namespace, processName });
  }

  async scopes(): Promise<number> {
    return (await this.backend.listScopes({ limit: 1_000, offset: 0 })).total;
  }
}

describe("AIP-30, three scopes of state", () => {
  test("D1 D4 TaskState is one value of a task across all of its runs", async () => {
    const database = new Database();
    await database.task("etl", "load").set("state", "run 1");
    expect(await database.task("etl", "load").get("state")).toBe("run 1");
    expect(await database.task("etl", "other").get("state")).toBeNull();
  });

  test("D2 D5 TaskInstanceState of one run is absent in the next", async () => {
    const database = new Database();
    await database.instance("run-1").set("state", 1);
    expect(await database.instance("run-2").get("state")).toBeNull();
    expect(await database.instance("run-1").get("state")).toBe(1);
  });

  test("D3 D9 D19 ProcessState has no dag, survives renames, and keeps namespaces apart", async () => {
    const database = new Database();
    await database.process("server-1", "orders").set("state", 7);
    await database.process("server-2", "orders").set("state", 8);
    await database.task("etl", "load").set("state", 9);
    expect(await database.process("server-1", "orders").get("state")).toBe(7);
    expect(await database.task("etl", "renamed").get("state")).toBeNull();
    expect(await database.task("renamed", "load").get("state")).toBeNull();
  });

  test("D6 TaskInstanceState is available to the retry", async () => {
    const database = new Database();
    await database.instance("run-1").set("job", "j-1");
    expect(await database.instance("run-1").get("job")).toBe("j-1");
  });

  test("D10 two concurrent runs overwrite each other's TaskState but not their TaskInstanceState", async () => {
    const database = new Database();
    for (const run of ["run-1", "run-2"]) {
      await database.task("etl", "load").set("job", run);
      await database.instance(run).set("job", run);
    }
    expect(await database.task("etl", "load").get("job")).toBe("run-2");
    expect(await database.instance("run-1").get("job")).toBe("run-1");
  });

  test("D15 the task reads the latest write, whatever the run is called", async () => {
    const database = new Database();
    await database.task("etl", "load").set("high", "scheduled for tomorrow");
    await database.task("etl", "load").set("high", "triggered by hand today");
    expect(await database.task("etl", "load").get("high")).toBe("triggered by hand today");
  });

  test("D16 an instance that failed early leaves no state and does not hide the task's", async () => {
    const database = new Database();
    await database.task("etl", "load").set("high", 5);
    expect(await database.instance("run-9").get("high")).toBeNull();
    expect(await database.task("etl", "load").get("high")).toBe(5);
  });

  test("D17 a second set leaves one row, with the newest value and time", async () => {
    const database = new Database();
    const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
    await database.task("etl", "load").set("high", 1);
    await database.task("etl", "load").set("high", 2);
    const { entries, total } = await database.backend.list(scope, { limit: 10, offset: 0 });
    expect([total, entries[0]?.value]).toEqual([1, "2"]);
  });

  test("D20 rows after five runs: one for the task, one for the process, five for instances", async () => {
    const database = new Database();
    for (let run = 1; run <= 5; run += 1) {
      await database.task("etl", "load").set("high", run);
      await database.process("warehouse", "orders").set("high", run);
      await database.instance(`run-${run}`).set("high", run);
    }
    expect(await database.scopes()).toBe(7);
  });

  test("D21 the next run reads what a person edited", async () => {
    const database = new Database();
    await database.task("etl", "load").set("high", 100);
    const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
    await database.backend.set(scope, "high", "40", { expiresAt: null });
    expect(await database.task("etl", "load").get("high")).toBe(40);
  });

  test("D22 unused state leaves no rows", async () => {
    const database = new Database();
    await database.task("etl", "load").get("high");
    expect(await database.scopes()).toBe(0);
  });

  test("D23 task instances have their own keys and map indices", async () => {
    const database = new Database();
    await database.instance("run-1", 0).set("a", 1);
    await database.instance("run-1", 1).set("a", 2);
    expect(await database.instance("run-1", 0).get("a")).toBe(1);
    expect(await database.instance("run-1", 1).get("b")).toBeNull();
  });

  test("D24 state of tasks and processes never expires by default", async () => {
    const database = new Database();
    await database.task("etl", "load").set("kept", 1);
    await database.process("warehouse", "orders").set("kept", 1, { retention: NEVER_EXPIRE });
    await database.task("etl", "load").set("let-go", 1, { retention: DAY });
    await database.clock.advance(365 * 86_400_000, async () => {});
    await sweepStore(database.backend, { clock: database.clock });
    expect(await database.task("etl", "load").get("kept")).toBe(1);
    expect(await database.process("warehouse", "orders").get("kept")).toBe(1);
    expect(await database.task("etl", "load").get("let-go")).toBeNull();
  });
});

describe("AIP-30, in a simulated world of tasks", () => {
  const loads = (
    trace: readonly TraceEvent[],
  ): ReadonlyMap<string, readonly (readonly [number, number])[]> => {
    const ofProcess = new Map<string, (readonly [number, number])[]>();
    for (const event of trace) {
      if (event.kind !== "rows-loaded") continue;
      const ranges = ofProcess.get(event.process) ?? [];
      ranges.push([event.from, event.to]);
      ofProcess.set(event.process, ranges);
    }
    return ofProcess;
  };

  test("D11 D13 a run loads (low, high], with high read at its start, and nothing when both are equal", async () => {
    const { trace } = await simulate(readScenario("store/task-state-is-shared-across-runs"));
    const all = [...loads(trace).values()];
    expect(all).toHaveLength(2);
    for (const ranges of all) {
      expect(ranges.length).toBeGreaterThan(1);
      ranges.forEach(([from], at) =>
        expect(from).toBe(at === 0 ? 1 : (ranges[at - 1]?.[1] ?? 0) + 1),
      );
    }
  });

  test("D7 D12 a retry after a failure mid-way reads the same low again; an XCom would be gone", async () => {
    const kept = await simulate(readScenario("store/watermark-follows-the-data"), { seed: 3 });
    expect(kept.verdict).toBe("held");
    const gone = await simulate(readScenario("store/xcom-is-cleared-at-task-start"));
    const pages = gone.trace.flatMap((event) => (event.kind === "page-loaded" ? [event.page] : []));
    expect(pages.filter((page) => page === 1)).toHaveLength(2);
  });
});
