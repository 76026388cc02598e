import { describe, expect, test } from "vitest";
import {
  BaseOperator,
  EXECUTE,
  runTask,
  startAfter,
  stateAfter,
  TaskInstanceState,
  TaskKilled,
  TaskRescheduled,
} from "../../src/operator/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";

const AT = 1_767_225_660_000;

function ctx(signal = new AbortController().signal) {
  const key = { dagId: "etl", runId: "r1", taskId: "wait", mapIndex: -1 };
  return { ...key, tryNumber: 1, signal, logger: silentLogger };
}

class Poke extends BaseOperator {
  override execute(): never {
    return this.reschedule(AT);
  }
}

test.each([0, 1, AT])("TaskRescheduled takes the time %i", (at) => {
  expect(new TaskRescheduled(at).rescheduleAt).toBe(at);
});

test.each([-1, 0.5, Number.NaN, Infinity, "0", undefined])(
  "TaskRescheduled refuses the time %s",
  (at) => {
    expect(() => new TaskRescheduled(at as number)).toThrow(
      new TypeError(`Cannot reschedule to ${String(at)}: write whole milliseconds since the epoch`),
    );
  },
);

describe("reschedule()", () => {
  test("ends the attempt with its time, and uses up no try", async () => {
    const outcome = await runTask(new Poke(), ctx());
    expect(outcome).toMatchObject({ kind: "rescheduled", rescheduleAt: AT, step: 1 });
    expect(stateAfter(outcome, 0)).toBe(TaskInstanceState.UP_FOR_RESCHEDULE);
  });

  test("begins anew, at the next step, and not where a checkpoint was", async () => {
    const outcome = await runTask(new Poke(), ctx());
    const next = startAfter(EXECUTE, outcome);
    expect(next).toEqual({ kind: "execute", step: 1 });
    const again = await runTask(new Poke(), ctx(), next);
    const keys = [outcome, again].map((one) => one.kind === "rescheduled" && one.idempotencyKey);
    expect(new Set(keys).size).toBe(2);
    const resume = { kind: "resume", step: 3, methodName: "resumeJob", kwargs: {} } as const;
    const fromCheckpoint = startAfter({ ...resume, remoteJobId: "j-1" }, outcome);
    expect(fromCheckpoint.kind).toBe("execute");
  });

  test("that a catch block swallows fails the attempt", async () => {
    class Swallows extends BaseOperator<string> {
      override execute(): string {
        try {
          return this.reschedule(AT);
        } catch {
          return "done";
        }
      }
    }
    const outcome = await runTask(new Swallows(), ctx());
    expect(outcome.kind === "failed" && String(outcome.error)).toMatch(/TaskRescheduled/);
  });

  test("in onKill is a failure of onKill: a killed task is not rescheduled", async () => {
    class Late extends BaseOperator {
      override execute(): Promise<never> {
        return new Promise(() => undefined);
      }
      override onKill(): never {
        return this.reschedule(AT);
      }
    }
    const controller = new AbortController();
    const running = runTask(new Late(), ctx(controller.signal));
    controller.abort(new TaskKilled({ category: "user" }));
    const outcome = await running;
    const { error } = (outcome.kind === "killed" && outcome.onKillFailure) || {};
    expect(error).toBeInstanceOf(TaskRescheduled);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses %s as its time", (at) => {
    expect(() => new TaskRescheduled(at)).toThrow(
      `Cannot reschedule to ${at}: write whole milliseconds since the epoch`,
    );
  });
});
