import { describe, expect, test } from "vitest";
import { MemoryStateBackend, StateModel, sweepStore, TaskStateStore } from "../../src/store/mod.ts";
import type { Clock } from "../../src/time/mod.ts";

/** Ten minutes before the clocks of Berlin go back from 3:00 to 2:00. */
const BEFORE = Date.parse("2026-10-25T00:50:00Z");
const HOUR_MS = 3_600_000;
const TASK = { kind: "task", dagId: "etl", taskId: "load" } as const;
const INSTANCE = { ...TASK, kind: "task-instance", runId: "r1", mapIndex: -1 } as const;

function clockAt(wallMs: number): Clock & { wallMs: number } {
  return {
    wallMs,
    now: () => 0,
    wallNow() {
      return this.wallMs;
    },
    setTimer: () => 0,
    clearTimer: () => undefined,
  };
}

/** The local time of Berlin, with the offset that it has then or without. */
function berlin(wallMs: number, offset: "with offset" | "without"): string {
  const local = new Date(wallMs + (wallMs < Date.parse("2026-10-25T01:00:00Z") ? 2 : 1) * HOUR_MS);
  const text = local.toISOString().slice(0, 19);
  const hours = Math.round((local.getTime() - wallMs) / HOUR_MS);
  return offset === "without" ? text : `${text}+0${hours}:00`;
}

describe("a change of daylight saving", () => {
  test("moves no expiry: the store counts in instants", async () => {
    const backend = new MemoryStateBackend();
    const clock = clockAt(BEFORE);
    const store = new TaskStateStore(backend, INSTANCE, { clock });
    await store.set("page", 3, { retention: { hours: 1 } });
    clock.wallMs = BEFORE + HOUR_MS - 1;
    expect(berlin(clock.wallMs, "without")).toBe("2026-10-25T02:49:59");
    expect((await sweepStore(backend, { clock })).expired).toBe(0);
    expect(await store.get("page")).toBe(3);
    clock.wallMs += 2;
    expect(await store.get("page")).toBeNull();
    expect((await sweepStore(backend, { clock })).expired).toBe(1);
  });

  test.each(["with offset", "without"] as const)(
    "makes a watermark of local times, %s, stand still for an hour, and one in UTC rise",
    async (offset) => {
      const minutes = [0, 20, 40, 60, 80];
      const raisedBy = async (textOf: (wallMs: number) => string): Promise<readonly boolean[]> => {
        const clock = clockAt(BEFORE);
        const state = new StateModel(new MemoryStateBackend(), TASK, { clock });
        const raised: boolean[] = [];
        for (const minute of minutes) {
          raised.push(await state.raise(textOf(BEFORE + minute * 60_000)));
        }
        return raised;
      };
      const local = await raisedBy((wallMs) => berlin(wallMs, offset));
      expect(local).toEqual([true, false, false, false, true]);
      const utc = await raisedBy((wallMs) => new Date(wallMs).toISOString());
      expect(utc).toEqual([true, true, true, true, true]);
    },
  );
});
