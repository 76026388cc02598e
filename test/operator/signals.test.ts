import { describe, expect, it } from "vitest";
import {
  BaseOperator,
  runTask,
  type TaskContext,
  TaskCheckpointed,
  TaskDeferred,
  TaskKilled,
} from "../../src/operator/mod.ts";
import type { DurationLike } from "../../src/time/mod.ts";
import { Attempt } from "./cluster.ts";

/** Returns what `call` throws. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

/** Returns an operator whose execute is `body`. */
function operatorOf(body: (operator: BaseOperator, ctx: TaskContext) => unknown): BaseOperator {
  class Task extends BaseOperator {
    override execute(ctx: TaskContext): unknown {
      return body(this, ctx);
    }
  }
  return new Task();
}

describe("checkpoint() and defer()", () => {
  it("C1 throws a TaskCheckpointed with all of its arguments, and never returns", () => {
    const kwargs = { page: 3 };
    const checkpoint = { remoteJobId: "job-1", methodName: "goOn", kwargs };
    const thrown = thrownBy(() => new BaseOperator().checkpoint(checkpoint));
    expect(thrown).toBeInstanceOf(TaskCheckpointed);
    expect(thrown).toMatchObject(checkpoint);
  });

  it("C2 throws no Error, so code that handles errors lets it pass", async () => {
    const operator = operatorOf(async (task) => {
      try {
        return task.defer({ trigger: {}, methodName: "goOn" });
      } catch (error) {
        if (error instanceof Error) return "handled";
        throw error;
      }
    });
    expect((await runTask(operator, new Attempt().ctx)).kind).toBe("deferred");
  });

  it("C2 is detected when a catch block swallows it", async () => {
    for (const signal of ["TaskDeferred", "TaskCheckpointed"] as const) {
      const operator = operatorOf(async (task) => {
        try {
          if (signal === "TaskDeferred") task.defer({ trigger: {}, methodName: "goOn" });
          return task.checkpoint({ remoteJobId: "job-1" });
        } catch {
          return "all is well";
        }
      });
      const attempt = new Attempt();
      expect(await runTask(operator, attempt.ctx)).toMatchObject({
        kind: "failed",
        error: { name: "SignalSwallowed", signalName: signal, where: "Task.execute" },
      });
      expect(attempt.lines).toMatchObject([{ level: "error" }]);
    }
  });

  it("C2 is detected when a catch block throws something else instead", async () => {
    const replacement = new Error("wrapped");
    const operator = operatorOf((task) => {
      try {
        return task.defer({ trigger: {}, methodName: "goOn" });
      } catch {
        throw replacement;
      }
    });
    expect(await runTask(operator, new Attempt().ctx)).toMatchObject({
      kind: "failed",
      error: { name: "SignalSwallowed", cause: replacement },
    });
  });

  it("C2 forgets a signal before the next attempt of the same object", async () => {
    let attempts = 0;
    const operator = operatorOf((task) => {
      attempts += 1;
      return attempts === 1 ? task.defer({ trigger: {}, methodName: "goOn" }) : "done";
    });
    expect((await runTask(operator, new Attempt().ctx)).kind).toBe("deferred");
    expect(await runTask(operator, new Attempt().ctx)).toEqual({ kind: "success", result: "done" });
  });

  it("C3 has one field, methodName, which is resumeJob by default", () => {
    const checkpoint = new TaskCheckpointed({ remoteJobId: "job-1" });
    expect(Object.keys(checkpoint).sort()).toEqual(["kwargs", "methodName", "name", "remoteJobId"]);
    expect(checkpoint.methodName).toBe("resumeJob");
  });

  for (const id of [null, undefined]) {
    it(`C17 refuses a checkpoint of ${id}`, () => {
      const thrown = thrownBy(() => new BaseOperator().checkpoint({ remoteJobId: id }));
      expect(String(thrown)).toBe(
        `TypeError: Cannot checkpoint without a remote job: its id is ${id}`,
      );
    });
  }

  it("C17 accepts every other id, including 0 and the empty string", () => {
    for (const remoteJobId of [0, "", false, [], {}]) {
      expect(new TaskCheckpointed({ remoteJobId }).remoteJobId).toEqual(remoteJobId);
    }
  });

  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  for (const [what, kwargs] of [
    ["undefined", { a: undefined }],
    ["a function", { a: () => 1 }],
    ["a bigint", { a: 1n }],
    ["NaN", { a: [Number.NaN] }],
    ["a class", { a: new Map() }],
    ["a cycle", cyclic],
  ] as const) {
    it(`C34 refuses kwargs with ${what} before anything else happens`, () => {
      const operator = new BaseOperator();
      const calls = [
        () => operator.checkpoint({ remoteJobId: "job-1", kwargs }),
        () => operator.defer({ trigger: {}, methodName: "goOn", kwargs }),
      ];
      for (const call of calls) expect(thrownBy(call)).toBeInstanceOf(TypeError);
    });
  }

  it("C34 fails the attempt when kwargs stop being JSON between the signal and the runner", async () => {
    const operator = operatorOf((task) => {
      const kwargs: Record<string, unknown> = {};
      try {
        return task.defer({ trigger: {}, methodName: "goOn", kwargs });
      } finally {
        kwargs["late"] = () => 1;
      }
    });
    expect(await runTask(operator, new Attempt().ctx)).toMatchObject({
      kind: "failed",
      error: { name: "TypeError" },
    });
  });

  it("refuses a deferral without a trigger or a method", () => {
    expect(() => new TaskDeferred({ trigger: null, methodName: "goOn" })).toThrow(TypeError);
    expect(() => new TaskDeferred({ trigger: {}, methodName: "" })).toThrow(TypeError);
    expect(() => new TaskCheckpointed({ remoteJobId: 1, methodName: "" })).toThrow(TypeError);
  });

  it.each([
    [300, "Cannot use a bare number as the timeout of a deferral"],
    [{ fortnights: 2 }, 'Cannot use the unit "fortnights" in the timeout of a deferral'],
    [{ seconds: -1 }, "Cannot use -1000 milliseconds as the timeout of a deferral"],
  ])("fails the attempt where the timeout of a deferral is %j, and says why", async (time, why) => {
    const timeout = time as DurationLike;
    const operator = operatorOf((task) => task.defer({ trigger: {}, methodName: "go", timeout }));
    const outcome = await runTask(operator, new Attempt().ctx);
    expect(outcome.kind === "failed" && String(outcome.error)).toContain(why);
  });
});

describe("runTask()", () => {
  it("returns the result, or the error, as a value", async () => {
    const error = new Error("no");
    const fails = operatorOf(() => {
      throw error;
    });
    const { ctx } = new Attempt();
    expect(
      await runTask(
        operatorOf(() => 7),
        ctx,
      ),
    ).toEqual({ kind: "success", result: 7 });
    expect(await runTask(fails, ctx)).toEqual({ kind: "failed", error });
    expect((await runTask(new BaseOperator(), ctx)).kind).toBe("failed");
  });

  it("runs nothing when the attempt was killed before it began", async () => {
    const attempt = new Attempt();
    attempt.kill("user");
    let ran = false;
    const outcome = await runTask(
      operatorOf(() => (ran = true)),
      attempt.ctx,
    );
    expect([outcome.kind, ran]).toEqual(["killed", false]);
  });

  it("puts the cause of a kill into the message", () => {
    expect(new TaskKilled({ category: "infrastructure", reason: "node drain" }).message).toBe(
      "Task killed as infrastructure: node drain",
    );
    expect(new TaskKilled({ category: "user" }).message).toBe("Task killed as user");
  });
});
