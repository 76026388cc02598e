import type { Checker, Facts } from "./checker.ts";

/** A process dies of an exception that nobody catches, and so does the host in a world. */
export const nothingIsUncaught: Checker<Facts> = {
  id: "uncaught",
  promise: "code throws nothing that nobody catches, and does not end its process",
  on: {
    uncaught: ({ error }, _, report) =>
      report("uncaught-exception", `the host crashed of an exception that nobody caught: ${error}`),
  },
};
