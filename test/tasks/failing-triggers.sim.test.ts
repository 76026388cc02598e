import { describe, expect, test } from "vitest";
import { parseScenario, simulate } from "../../sim/mod.ts";
import { BaseOperator, type TaskContext } from "../../src/operator/mod.ts";
import type { DurationLike } from "../../src/time/mod.ts";
import { type DeferralTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";

const CYCLE: Record<string, unknown> = {};
CYCLE["again"] = CYCLE;

/** Leaves its worker to a trigger, and takes what that fires for its result. */
class Waiter extends BaseOperator {
  readonly #left: object;
  readonly #timeout: DurationLike | undefined;

  constructor(left: object, timeout?: DurationLike) {
    super();
    this.#left = left;
    this.#timeout = timeout;
  }

  override execute(): never {
    return this.defer({ trigger: this.#left, methodName: "goOn", timeout: this.#timeout });
  }

  goOn(_ctx: TaskContext, event: unknown): unknown {
    return event;
  }
}

function firing(...events: readonly unknown[]): DeferralTrigger {
  return {
    async *run() {
      for (const event of events) yield event as TriggerEvent;
    },
  };
}

const text = `
story: A task that defers to a trigger of its own,
world: tasks,
tasks: [{ name: etl, operator: resumable, retries: 1, retryDelay: 2s }],
phases: { safety: 5m }
`;

interface Deferring {
  /** What the task leaves in the database. */
  readonly left?: object;
  readonly timeout?: DurationLike | undefined;
  /** What the triggerer makes of it. */
  readonly creates?: (left: unknown) => unknown;
}

/** What R-recovers says of the task, each with the remark that its story has. */
async function blameOf({
  left = {},
  timeout,
  creates,
}: Deferring): Promise<readonly (readonly [detail: string, remark: string | undefined])[]> {
  const createOperator = (): Waiter => new Waiter(left, timeout);
  const createTrigger = creates as ((of: unknown) => DeferralTrigger) | undefined;
  const taskParts = { createOperator, ...(createTrigger && { createTrigger }) };
  const { violations } = await simulate(parseScenario(`{${text}}`, "waiter"), { taskParts });
  return violations
    .filter(({ checker }) => checker === "R-recovers")
    .map(({ detail, story }) => [
      detail,
      story.find((line) => line.includes("The trigger failed")),
    ]);
}

function throwing(): DeferralTrigger {
  return {
    run() {
      throw new Error("no such\n  job");
    },
  };
}

describe("a task is to blame whose trigger", () => {
  // What an engine says of its own errors differs: these words are in all of them.
  test.each<readonly [string, Deferring, string]>([
    ["is none", { left: { jobs: 1 } }, "Cannot create a trigger from what etl/run-1 has deferred"],
    ["cannot be created", { creates: throwing().run as never }, "Error: no such job"],
    ["throws", { creates: throwing }, "Error: no such job"],
    ["ends without an event", { creates: () => firing() }, "ended without an event"],
    ["fires no event", { creates: () => firing(undefined) }, "Cannot fire undefined"],
    [
      "fires what cannot be stored",
      { creates: () => firing(new TriggerEvent(CYCLE)) },
      "TypeError: ",
    ],
    [
      "comes as data, though it was left with its methods",
      { left: firing(new TriggerEvent("done")), creates: (left) => left },
      "it has no run method",
    ],
  ])("%s, with and without a time-out, and its words are told", async (_, deferring, words) => {
    const blame =
      "etl/run-1 ends failed; the trigger of attempt 2 failed, and no fault struck while it waited, and its job did not fail";
    for (const timeout of [undefined, { minutes: 1 }]) {
      const told = await blameOf({ ...deferring, timeout });
      expect(told).toEqual([[blame, expect.stringContaining(words)]]);
    }
  });
});

test("a task that leaves what JSON cannot hold fails, and never waits", async () => {
  expect(await blameOf({ left: CYCLE, creates: () => firing(new TriggerEvent("done")) })).toEqual([
    [expect.stringContaining("attempt 1: TypeError, and no fault struck"), undefined],
  ]);
});

test("nobody is to blame for a trigger that fires, nor for one that times out", async () => {
  const creates = (left: unknown): DeferralTrigger => {
    expect(left).toEqual({ at: "2026-01-01T00:00:00.000Z" });
    return firing(new TriggerEvent("done"));
  };
  expect(await blameOf({ left: { at: new Date("2026-01-01T00:00:00Z") }, creates })).toEqual([]);
  const never = {
    run: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
  };
  expect(await blameOf({ creates: () => never, timeout: { minutes: 1 } })).toEqual([]);
});
