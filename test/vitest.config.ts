import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const onBun = "Bun" in globalThis;
const onDeno = "Deno" in globalThis;

/** The files that take minutes, the longest first; those that mostly wait for servers between them. */
const LONGEST = [
  "mutants/mutants.long",
  "real/confluent.long",
  "tasks/crash-points.long",
  "real/kafka.long",
  "cli/nothing-lost.long",
  "search/shrink.long",
  "search/fuzz.long",
  "cli/killed.long",
];

/** Begins with what takes longest, so that at the end no worker is alone with it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.includes(`/test/${name}`));
  return at === -1 ? LONGEST.length : at;
}

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    // Heavy or Node-only by nature: see CONTRIBUTING.md.
    exclude: onBun || onDeno ? ["test/**/*.node.test.ts"] : [],
    isolate: false,
    pool: onBun ? "threads" : "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // A worker keeps every copy of the simulator in which a bug is planted: code is never unloaded.
    execArgv: onBun || onDeno ? [] : ["--max-old-space-size=8192"],
    // For what hangs. A machine that is busy with something else takes many times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    deps: { interopDefault: false },
    // The runtime itself loads the copies of sources in which bugs are planted: Vite would transform
    // hundreds of modules anew for each, which took twice as long as the hunt.
    server: { deps: { external: [/\/faultlane-(mutants|producer|reworded)-/] } },
    // kafkajs retries fifteen times, and quickly, where this says "test".
    env: { NODE_ENV: "production" },
  },
});
