import { describe, expect, test } from "vitest";
import {
  KillCategory,
  type Operator,
  runTask,
  stateAfter,
  TaskInstanceState,
} from "../../src/operator/mod.ts";
import { Attempt } from "./cluster.ts";

describe("runTask() with a function", () => {
  test("runs it with the context and returns its result", async () => {
    const { ctx } = new Attempt(3);
    const outcome = await runTask(async ({ tryNumber }) => tryNumber, ctx);
    expect(outcome).toEqual({ kind: "success", result: 3 });
  });

  test("takes one that is not async", async () => {
    expect(await runTask(() => "done", new Attempt().ctx)).toMatchObject({ result: "done" });
  });

  test("takes an arrow function that is called class", async () => {
    const classify = (): string => "a";
    expect(await runTask(classify, new Attempt().ctx)).toMatchObject({ kind: "success" });
  });

  test("reports what it throws", async () => {
    const boom = new Error("boom");
    const outcome = await runTask(() => Promise.reject(boom), new Attempt().ctx);
    expect(outcome).toEqual({ kind: "failed", error: boom });
  });

  test("names it when it cannot be resumed", async () => {
    async function nightly(): Promise<void> {
      await Promise.resolve();
    }
    const start = {
      kind: "resume",
      step: 1,
      methodName: "resumeJob",
      remoteJobId: "app-1",
      kwargs: {},
    } as const;
    const outcome = await runTask(nightly, new Attempt().ctx, start);
    expect(outcome).toMatchObject({ kind: "failed", error: { operator: "nightly" } });
    const anonymous = await runTask(() => undefined, new Attempt().ctx, start);
    expect(anonymous).toMatchObject({ error: { operator: "the task" } });
  });

  test("a kill ends it", async () => {
    const attempt = new Attempt();
    const outcome = runTask(() => new Promise<never>(() => undefined), attempt.ctx);
    attempt.kill(KillCategory.INFRASTRUCTURE);
    expect(await outcome).toEqual({
      kind: "killed",
      executionContext: { category: "infrastructure" },
    });
  });

  test("refuses a class, and what is no task", async () => {
    class Nightly {
      execute(): void {}
    }
    const { ctx } = new Attempt();
    await expect(runTask(Nightly as unknown as Operator, ctx)).rejects.toThrow(
      "Cannot run class Nightly as a task: create an operator with new",
    );
    const [unnamed] = [class extends Nightly {}];
    await expect(runTask(unnamed as unknown as Operator, ctx)).rejects.toThrow(
      "Cannot run a class as a task",
    );
    for (const none of [null, undefined, 7, {}, { execute: 1 }]) {
      await expect(runTask(none as unknown as Operator, ctx)).rejects.toThrow(
        "Cannot run this as a task: write a function, or an object with an execute method",
      );
    }
  });
});

test("states and kill categories have values at run time", () => {
  const failure = { kind: "failed", error: new Error("no space left") } as const;
  expect(stateAfter(failure, 1)).toBe(TaskInstanceState.UP_FOR_RETRY);
  expect(stateAfter(failure, 0)).toBe(TaskInstanceState.FAILED);
  expect(Object.values(KillCategory)).toEqual(["infrastructure", "timeout", "user"]);
  for (const [name, state] of Object.entries(TaskInstanceState)) {
    expect(state).toBe(name.toLowerCase());
  }
});
