import { describe, expect, test } from "vitest";
import { TaskDeferred } from "../../src/operator/task-deferred.ts";
import { StoreUnavailable, UnreadableValue } from "../../src/store/errors.ts";
import { JobConflict, JobNotFound } from "../../sim/jobs/job-errors.ts";

/** Loads a module a second time. */
async function copyOf<Module>(path: string): Promise<Module> {
  return (await import(/* @vite-ignore */ `${path}?copy`)) as Module;
}

describe("an object of another copy of this package", () => {
  test("is a signal to defer", async () => {
    const path = "../../src/operator/task-deferred.ts";
    const other = await copyOf<{ readonly TaskDeferred: typeof TaskDeferred }>(path);
    const signal = new other.TaskDeferred({ trigger: {}, methodName: "resume" });
    expect(other.TaskDeferred).not.toBe(TaskDeferred);
    expect(signal instanceof TaskDeferred).toBe(true);
    expect(signal instanceof Error).toBe(false);
  });

  test("is the error of its own class alone", async () => {
    const stores = await copyOf<{ readonly StoreUnavailable: typeof StoreUnavailable }>(
      "../../src/store/errors.ts",
    );
    const error: unknown = new stores.StoreUnavailable("away");
    expect(error instanceof StoreUnavailable).toBe(true);
    expect(error instanceof UnreadableValue).toBe(false);
    const jobs = await copyOf<{ readonly JobNotFound: typeof JobNotFound }>(
      "../../sim/jobs/job-errors.ts",
    );
    const notFound: unknown = new jobs.JobNotFound("batch-7");
    expect(notFound instanceof JobNotFound).toBe(true);
    expect(notFound instanceof JobConflict).toBe(false);
  });
});

test("instanceof a class derived from one of this package is decided as ever", () => {
  class Postponed extends TaskDeferred {}
  const deferral = { trigger: {}, methodName: "resume" };
  expect(new TaskDeferred(deferral) instanceof Postponed).toBe(false);
  expect(new Postponed(deferral) instanceof Postponed).toBe(true);
  expect(new Postponed(deferral) instanceof TaskDeferred).toBe(true);
  const others: readonly unknown[] = [
    undefined,
    null,
    "TaskDeferred",
    {},
    new Error("TaskDeferred"),
  ];
  expect(others.filter((value) => value instanceof TaskDeferred)).toEqual([]);
});
