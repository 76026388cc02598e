import { defineConfig } from "vitest/config";

const onBun = "Bun" in globalThis;
const onDeno = "Deno" in globalThis;

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    // Heavy or Node-only by nature: see CONTRIBUTING.md.
    exclude: onBun || onDeno ? ["test/**/*.node.test.ts"] : [],
    isolate: false,
    pool: onBun ? "threads" : "forks",
    maxWorkers: 2,
    // A worker keeps every copy of the simulator in which a bug is planted: code is never unloaded.
    execArgv: onBun || onDeno ? [] : ["--max-old-space-size=8192"],
    // For what hangs. A machine that is busy with something else takes many times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    deps: { interopDefault: false },
    // kafkajs retries fifteen times, and quickly, where this says "test".
    env: { NODE_ENV: "production" },
  },
});
