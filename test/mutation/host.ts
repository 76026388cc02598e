// A process that holds one warm vitest: what is transformed once need not be transformed again for the
// next mutant, and each run gets a fresh worker. It takes one task at a time over its IPC channel, all of
// one kind.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVitest, type TestSpecification, type Vitest } from "vitest/node";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { withProbes } from "./probes.ts";
import type { Limits } from "./watchdog.ts";
import type { GivenToWorkers, TestRecord } from "./worker-setup.ts";

/** Runs the tests unmutated, each in a process of its own, and records what they enter. */
export interface RecordTask {
  readonly kind: "record";
  readonly tests: readonly string[];
  /** The files that get probes. */
  readonly files: readonly string[];
}

/** Runs the tests in this order in one process, until one fails. */
export interface RunTask {
  readonly kind: "run";
  readonly file: string;
  readonly text: string;
  readonly tests: readonly { readonly test: string; readonly limits: Limits }[];
}

export type Task = RecordTask | RunTask;

export interface RecordReply {
  readonly kind: "record";
  readonly records: readonly TestRecord[];
  /** Tests that fail without a mutant. */
  readonly failed: readonly string[];
}

export interface RunReply {
  readonly kind: "run";
  readonly end: "passed" | "failed" | "ended" | "crashed";
  /** The first test file that failed. */
  readonly by: string | undefined;
}

export type Reply = RecordReply | RunReply;

/** Memory that no test file needs by far, and that a mutant which hoards soon exhausts. */
const HEAP_MB_MAX = 1_536;

const folder = mkdtempSync(join(tmpdir(), "faultlane-mutation-"));
const endedFile = join(folder, "ended");
/** The text that takes the place of a file's own. */
const replaced = new Map<string, string>();
let vitest: Vitest | undefined;

process.on("message", (task: Task) => {
  void perform(task).then((reply) => process.send?.(reply));
});
process.on("disconnect", () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});

async function perform(task: Task): Promise<Reply> {
  return task.kind === "record" ? await record(task) : await runMutant(task);
}

async function record({ tests, files }: RecordTask): Promise<RecordReply> {
  if (vitest === undefined) {
    for (const file of files) {
      replaced.set(file, withProbes(file, readFileSync(join(checkoutRoot, file), "utf8")));
    }
    vitest = await startVitest(true);
  }
  const recordsIn = mkdtempSync(join(folder, "records-"));
  const { failed } = await run(vitest, tests, { endedFile, limits: {}, recordsIn });
  const records = readdirSync(recordsIn).map((name) => {
    const one = JSON.parse(readFileSync(join(recordsIn, name), "utf8")) as TestRecord;
    return { ...one, test: one.test.slice(checkoutRoot.length) };
  });
  return { kind: "record", records, failed };
}

async function runMutant({ file, text, tests }: RunTask): Promise<RunReply> {
  vitest ??= await startVitest(false);
  rmSync(endedFile, { force: true });
  replaced.set(file, text);
  vitest.invalidateFile(join(checkoutRoot, file));
  const limits = Object.fromEntries(
    tests.map(({ test, limits: limit }) => [join(checkoutRoot, test), limit]),
  );
  const names = tests.map(({ test }) => test);
  const given = { endedFile, limits, recordsIn: undefined };
  const { failed, hasCrashed } = await run(vitest, names, given);
  replaced.delete(file);
  vitest.invalidateFile(join(checkoutRoot, file));
  const [by] = failed;
  if (existsSync(endedFile)) return { kind: "run", end: "ended", by };
  if (failed.length > 0) return { kind: "run", end: "failed", by };
  return { kind: "run", end: hasCrashed ? "crashed" : "passed", by };
}

async function startVitest(isRecording: boolean): Promise<Vitest> {
  const started = await createVitest(
    "test",
    {
      config: join(checkoutRoot, "test/vitest.config.ts"),
      watch: false,
      reporters: [{}],
      bail: isRecording ? 0 : 1,
      isolate: isRecording,
      maxWorkers: 1,
      fileParallelism: false,
      fsModuleCache: false,
      setupFiles: [join(checkoutRoot, "test/mutation/worker-setup.ts")],
      execArgv: [`--max-old-space-size=${HEAP_MB_MAX}`],
      sequence: { sequencer: AsGiven },
    },
    {
      plugins: [
        {
          name: "mutation",
          enforce: "pre",
          transform(_code: string, id: string) {
            const text = replaced.get(id.slice(checkoutRoot.length));
            return text === undefined ? undefined : { code: text, map: { mappings: "" } };
          },
        },
      ],
    },
  );
  await started.standalone();
  return started;
}

/** Returns the test files that failed, in their order. */
async function run(
  on: Vitest,
  tests: readonly string[],
  given: GivenToWorkers,
): Promise<{ failed: readonly string[]; hasCrashed: boolean }> {
  const [project] = on.projects;
  if (project === undefined) throw new TypeError("Cannot run tests: vitest has no project");
  project.provide("mutation", given);
  on.state.errorsSet.clear();
  const specifications = tests.map((test) => project.createSpecification(join(checkoutRoot, test)));
  const result = await on.runTestSpecifications(specifications);
  const ends = new Map(result.testModules.map((module) => [module.moduleId, module.state()]));
  const failed = tests.filter((test) => ends.get(join(checkoutRoot, test)) === "failed");
  return { failed, hasCrashed: result.unhandledErrors.length > 0 };
}

/** Leaves the tests in their order. */
class AsGiven {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files;
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}
