import { describe, expect, test } from "vitest";
import { type DeferralTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";
import { RunnerBench } from "./runner-bench.ts";

const PATIENCE_MS = 30_000;
const HOUR_MS = 3_600_000;

/** A trigger that fires when it is told to, and says what is called. */
class Waiting implements DeferralTrigger {
  readonly calls: string[] = [];
  /** What the hooks await. */
  gate: Promise<void> = Promise.resolve();
  fire: (payload: unknown) => void = () => undefined;
  leave: () => void = () => undefined;

  async *run(signal: AbortSignal): AsyncGenerator<TriggerEvent> {
    this.calls.push("run");
    signal.addEventListener("abort", () => this.calls.push("abort"));
    const payload = await new Promise<unknown>((resolve) => {
      this.fire = resolve;
      this.leave = () => resolve(undefined);
    });
    if (payload !== undefined) yield new TriggerEvent(payload);
  }

  async onKill(): Promise<void> {
    this.calls.push("kill");
    await this.gate;
  }

  async cleanup(): Promise<void> {
    this.calls.push("clean up");
    await this.gate;
  }
}

async function startedWith(trigger: DeferralTrigger, timeoutMs?: number): Promise<RunnerBench> {
  const bench = new RunnerBench();
  const timeoutAfter =
    timeoutMs === undefined ? {} : { timeoutAfter: bench.clock.wallNow() + timeoutMs };
  bench.createBy({ triggerId: 1, ...timeoutAfter }, () => trigger);
  await bench.start();
  return bench;
}

/** What the runner has reported of its trigger. */
function reported({ supervisor }: RunnerBench): unknown {
  return {
    events: supervisor.taken.map(({ event, seq }) => [event.payload, seq]),
    failures: supervisor.requests.flatMap(({ failures }) => failures.map(({ error }) => error)),
    finished: supervisor.requests.flatMap(({ finished }) => finished),
  };
}

describe("the trigger of a deferral", () => {
  test("fires, without a sequence number to confirm, and is cleaned up", async () => {
    const trigger = new Waiting();
    const bench = await startedWith(trigger);
    trigger.fire("done");
    await bench.rounds(2);
    expect(reported(bench)).toEqual({ events: [["done", null]], failures: [], finished: [1] });
    expect(trigger.calls).toEqual(["run", "clean up"]);
  });

  test("has failed if it ends without an event", async () => {
    const trigger = new Waiting();
    const bench = await startedWith(trigger);
    trigger.leave();
    await bench.rounds(2);
    expect(reported(bench)).toEqual({
      events: [],
      failures: ["TriggerFiredNothing"],
      finished: [1],
    });
    expect(trigger.calls).toEqual(["run", "clean up"]);
  });

  test("has failed if it throws, and is cleaned up", async () => {
    const calls: string[] = [];
    const bench = await startedWith({
      // oxlint-disable-next-line require-yield -- it fails before it can fire
      async *run() {
        throw new RangeError("no such job");
      },
      cleanup: () => void calls.push("clean up"),
    });
    await bench.rounds(2);
    expect(reported(bench)).toMatchObject({ failures: ["RangeError"], finished: [1] });
    expect(calls).toEqual(["clean up"]);
  });

  test("has failed if it has no run method", async () => {
    const bench = await startedWith({ jobId: "app-17" } as unknown as DeferralTrigger);
    await bench.rounds(2);
    expect(reported(bench)).toMatchObject({ failures: ["TypeError"], finished: [1] });
  });
});

describe("a deferral that times out", () => {
  test("fails, and its trigger is cleaned up and not killed", async () => {
    const trigger = new Waiting();
    const bench = await startedWith(trigger, 2_500);
    await bench.rounds(2);
    expect(trigger.calls).toEqual(["run"]);
    await bench.rounds(2);
    expect(trigger.calls).toEqual(["run", "abort", "clean up"]);
    expect(reported(bench)).toEqual({
      events: [],
      failures: ["TaskDeferralTimeout"],
      finished: [1],
    });
  });

  test("fails at once where it timed out while no triggerer was up", async () => {
    const bench = await startedWith(new Waiting(), -HOUR_MS);
    await bench.rounds(2);
    expect(reported(bench)).toMatchObject({ failures: ["TaskDeferralTimeout"] });
  });

  test("does not fail once its trigger has fired", async () => {
    const trigger = new Waiting();
    const bench = await startedWith(trigger, 2_500);
    trigger.fire("in time");
    await bench.rounds(5);
    expect(reported(bench)).toEqual({ events: [["in time", null]], failures: [], finished: [1] });
    expect(bench.runner.runningIds()).toEqual([]);
  });
});

describe("a deferral whose trigger has fired and goes on", () => {
  test("does not time out", async () => {
    const calls: string[] = [];
    const bench = await startedWith(
      {
        async *run(signal) {
          signal.addEventListener("abort", () => calls.push("abort"));
          yield new TriggerEvent("in time");
          await new Promise(() => undefined);
        },
        cleanup: () => void calls.push("clean up"),
      },
      2_500,
    );
    await bench.rounds(5);
    expect(calls).toEqual([]);
    expect(bench.messages()).toEqual([]);
    expect(reported(bench)).toEqual({ events: [["in time", null]], failures: [], finished: [] });
  });
});

describe("a deferral that is over", () => {
  test("because a user ended it, is killed and then cleaned up", async () => {
    const trigger = new Waiting();
    const bench = await startedWith(trigger);
    bench.supervisor.toKill.push(1);
    await bench.rounds(2);
    expect(trigger.calls).toEqual(["run", "abort", "kill", "clean up"]);
    expect(reported(bench)).toEqual({ events: [], failures: [], finished: [1] });
  });

  test.each<readonly [string, (bench: RunnerBench) => void]>([
    ["because it was cancelled", ({ supervisor }) => void supervisor.toCancel.push(1)],
    ["because the triggerer stops", ({ abort }) => abort.abort()],
  ])("%s, is cleaned up and not killed", async (_, end) => {
    const trigger = new Waiting();
    const bench = await startedWith(trigger);
    end(bench);
    await bench.rounds(2);
    expect(trigger.calls).toEqual(["run", "abort", "clean up"]);
  });

  test("is killed without a word where it has no hooks", async () => {
    const bench = await startedWith({
      run: () => ({
        [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
      }),
    } as unknown as DeferralTrigger);
    bench.supervisor.toKill.push(1);
    await bench.rounds(3);
    expect(bench.messages()).toEqual([]);
    expect(reported(bench)).toMatchObject({ finished: [1] });
  });

  test("is reported although its hooks fail", async () => {
    const trigger = new Waiting();
    const bench = await startedWith(trigger);
    trigger.gate = Promise.reject(new Error("cannot cancel"));
    bench.supervisor.toKill.push(1);
    await bench.rounds(2);
    expect(trigger.calls).toEqual(["run", "abort", "kill", "clean up"]);
    expect(reported(bench)).toMatchObject({ finished: [1] });
    expect(bench.log.filter(({ level }) => level === "warn")).toHaveLength(2);
  });

  test("is reported although its hooks never end, and each is waited for half a minute", async () => {
    const trigger = new Waiting();
    const bench = await startedWith(trigger);
    trigger.gate = new Promise(() => undefined);
    bench.supervisor.toKill.push(1);
    await bench.rounds(2 + PATIENCE_MS / 1_000);
    expect(trigger.calls).toEqual(["run", "abort", "kill", "clean up"]);
    expect(reported(bench)).toMatchObject({ finished: [] });
    await bench.rounds(2 + PATIENCE_MS / 1_000);
    expect(reported(bench)).toMatchObject({ finished: [1] });
    expect(bench.log.filter(({ level }) => level === "error")).toHaveLength(2);
  });
});
