import { describe, expect, test } from "vitest";
import { BEGUN, brokenBy, ended, state, TASK, type Told } from "./told-trace.ts";

const FAILED: Told = ["database", state("failed", 0)];
const page: Told = ["task-1", { kind: "page-loaded", task: TASK, attempt: 1, page: 1 }];

describe("a task that was rescheduled", () => {
  test.each(["rescheduled", "checkpointed", "deferred"])(
    "breaks R-recovers if it ends failed though it was %s",
    (how) => {
      expect(brokenBy([...BEGUN, ended(how), FAILED])).toEqual(["R-recovers"]);
    },
  );

  test("may fail if its worker was lost before it reported that", () => {
    const dead: Told = ["database", { kind: "declared-dead", task: TASK, attempt: 1 }];
    expect(brokenBy([...BEGUN, ended("rescheduled"), dead, FAILED])).toEqual([]);
  });

  test("breaks R-I12 if it loads a page again", () => {
    const again: readonly Told[] = [
      [
        "task-1",
        {
          kind: "attempt",
          task: TASK,
          attempt: 2,
          tryNumber: 1,
          scope: "s",
          start: "execute",
        },
      ],
      ["task-1", { kind: "page-loaded", task: TASK, attempt: 2, page: 1 }],
      ended("success", 2),
      ["database", state("success", 0, "1")],
    ];
    expect(brokenBy([...BEGUN, page, ended("rescheduled"), ...again])).toEqual(["R-I12"]);
    expect(brokenBy([...BEGUN, page, ended("lost"), ...again])).toEqual([]);
  });
});
