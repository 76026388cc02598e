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
    testTimeout: 60_000,
    deps: { interopDefault: false },
  },
});
