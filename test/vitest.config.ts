import { defineConfig } from "vitest/config";

const onBun = "Bun" in globalThis;

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.{test,prop.test,model.test,sim.test}.ts"],
    isolate: false,
    pool: onBun ? "threads" : "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    deps: { interopDefault: false },
  },
});
