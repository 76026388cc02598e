import { expect, test } from "vitest";
import { BlockedTime, CHECK_EVERY_MS, type ThreadSample } from "../../sim/cli/blocked-time.ts";
import { fileOfThreadTimes, threadTimesFrom, threadTimesIn } from "../../sim/cli/thread-times.ts";

interface Seen {
  readonly beats?: number;
  readonly cpuMs?: number;
  readonly isWaiting?: boolean;
}

function sampleOf({ beats = 0, cpuMs = 0, isWaiting = false }: Seen): ThreadSample {
  return { beats, times: { cpuMs, isWaiting }, processCpuMs: 0 };
}

/** Returns the blocked time after each of the samples. */
function blockedAfter(samples: readonly ThreadSample[]): readonly number[] {
  const blocked = new BlockedTime();
  return samples.map((sample) => blocked.add(sample));
}

test("a loop blocks for as long as it computes", () => {
  const samples = [0, 500, 1_000, 1_490].map((cpuMs) => sampleOf({ cpuMs }));
  expect(blockedAfter(samples)).toEqual([0, 500, 1_000, 1_490]);
});

test("work on a busy machine blocks only while it gets a processor, however long it takes", () => {
  const samples = Array.from({ length: 1_000 }, (_, at) =>
    sampleOf({ cpuMs: Math.floor(at / 100) }),
  );
  expect(blockedAfter(samples).at(-1)).toBe(9);
});

test("a thread that reaches its event loop does not block, however much it computes", () => {
  const samples = [1, 2, 3, 4].map((beats) => sampleOf({ beats, cpuMs: beats * 30_000 }));
  expect(blockedAfter(samples)).toEqual([0, 0, 0, 0]);
});

test("a thread that waits for something else than a processor blocks all the time", () => {
  const samples = [1, 2, 3].map(() => sampleOf({ isWaiting: true }));
  expect(blockedAfter(samples)).toEqual([0, CHECK_EVERY_MS, 2 * CHECK_EVERY_MS]);
});

test("without times of threads, the process's processor time counts, and a tenth of each wait", () => {
  const samples = [0, 400, 400].map((processCpuMs) => ({
    beats: 0,
    times: undefined,
    processCpuMs,
  }));
  expect(blockedAfter(samples)).toEqual([0, 400, 400 + CHECK_EVERY_MS / 10]);
});

test("reset() begins anew", () => {
  const blocked = new BlockedTime();
  for (const cpuMs of [0, 500]) blocked.add(sampleOf({ cpuMs }));
  blocked.reset();
  expect(blocked.add(sampleOf({ cpuMs: 600 }))).toBe(100);
});

test("threadTimesFrom() reads a line whose name has spaces and parentheses", () => {
  const line = "12 (a (b) c) S 1 12 12 0 -1 4194560 9 0 0 0 25 17 0 0 20 0 7 0 99";
  expect(threadTimesFrom(line)).toEqual({ cpuMs: 420, isWaiting: true });
  expect(threadTimesFrom(line.replace(" S ", " R "))?.isWaiting).toBe(false);
  expect(threadTimesFrom("nothing of the kind")).toBeUndefined();
});

test("the times of a thread are read from its file, where the system has one", () => {
  const file = fileOfThreadTimes();
  expect(file !== undefined).toBe(process.platform === "linux");
  if (file !== undefined) expect(threadTimesIn(file)?.isWaiting).toBe(false);
  expect(threadTimesIn("/proc/none/stat")).toBeUndefined();
});
