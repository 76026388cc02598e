import type { Checker, Facts } from "./checker.ts";

/** Code that goes on without waiting keeps its process from everything else, and time from passing. */
export const nothingSpinsForEver: Checker<Facts> = {
  id: "hot-loop",
  promise: "code waits without spinning",
  on: {
    spinning: ({ host, steps, ms }, _, report) =>
      report(
        "spinning-host",
        `${host} spins: ${steps} steps of the world within ${ms} ms, and no end`,
      ),
  },
};
