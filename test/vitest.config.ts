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
    // For what hangs. A machine that is busy with something else takes many times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    deps: { interopDefault: false },
  },
});
