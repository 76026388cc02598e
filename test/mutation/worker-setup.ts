// Runs in the worker before each test file: guards it with the watchdog, or records what it enters.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, expect, inject } from "vitest";
import { HITS } from "./probes.ts";
import type { Limits } from "./watchdog.ts";

/** What the host of a run gives to its test files. */
export interface GivenToWorkers {
  /** Where the watchdog says that it ended the worker. */
  readonly endedFile: string;
  /** By test file; nothing while files are recorded. */
  readonly limits: Readonly<Record<string, Limits>>;
  /** Where what a test file enters is recorded; nothing while mutants run. */
  readonly recordsIn: string | undefined;
}

/** What an unmutated test file took and entered. */
export interface TestRecord {
  readonly test: string;
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The regions that were entered, by source file. */
  readonly entered: Readonly<Record<string, readonly number[]>>;
}

declare module "vitest" {
  export interface ProvidedContext {
    mutation: GivenToWorkers;
  }
}

interface WorkerGlobals {
  [HITS]?: Record<string, Record<string, 1>>;
  mutationWatchdog?: Worker;
}

const globals = globalThis as unknown as WorkerGlobals;
const { endedFile, limits, recordsIn } = inject("mutation");
const test = expect.getState().testPath ?? "";

if (recordsIn === undefined) {
  globals.mutationWatchdog ??= startWatchdog();
  globals.mutationWatchdog.postMessage(limits[test], []);
} else {
  const cpuBefore = process.cpuUsage();
  const wallBefore = performance.now();
  afterAll(() => {
    const { user, system } = process.cpuUsage(cpuBefore);
    const record: TestRecord = {
      test,
      cpuMs: Math.round((user + system) / 1_000),
      wallMs: Math.round(performance.now() - wallBefore),
      entered: Object.fromEntries(
        Object.entries(globals[HITS] ?? {}).map(([file, hits]) => [
          file,
          Object.keys(hits).map(Number),
        ]),
      ),
    };
    const name = createHash("sha256").update(test).digest("hex");
    writeFileSync(join(recordsIn, `${name}.json`), JSON.stringify(record));
  });
}

function startWatchdog(): Worker {
  const watchdog = new Worker(new URL("watchdog.ts", import.meta.url), { workerData: endedFile });
  watchdog.unref();
  return watchdog;
}
