import { expect, test } from "vitest";
import { parseScenario, simulate } from "../../sim/mod.ts";
import { BaseOperator, type TaskContext } from "../../src/operator/mod.ts";
import type { DurationLike } from "../../src/time/mod.ts";
import { TriggerEvent } from "../../src/triggerer/mod.ts";

const CYCLE: Record<string, unknown> = {};
CYCLE["again"] = CYCLE;

/** Leaves its worker to a trigger, and takes what that fires for its result. */
class Waiter extends BaseOperator {
  readonly #trigger: object;
  readonly #timeout: DurationLike | undefined;

  constructor(trigger: object, timeout?: DurationLike) {
    super();
    this.#trigger = trigger;
    this.#timeout = timeout;
  }

  override execute(): never {
    return this.defer({ trigger: this.#trigger, methodName: "goOn", timeout: this.#timeout });
  }

  goOn(_ctx: TaskContext, event: unknown): unknown {
    return event;
  }
}

function firing(...events: readonly unknown[]): object {
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

/** What R-recovers says of the task. */
async function blameOf(trigger: object, timeout?: DurationLike): Promise<readonly string[]> {
  const createOperator = (): Waiter => new Waiter(trigger, timeout);
  const { violations } = await simulate(parseScenario(`{${text}}`, "waiter"), {
    taskParts: { createOperator },
  });
  return violations.filter(({ checker }) => checker === "R-recovers").map(({ detail }) => detail);
}

test.each<readonly [string, object]>([
  ["has no run method", { jobs: 1 }],
  [
    "throws",
    {
      run() {
        throw new Error("no such job");
      },
    },
  ],
  ["ends without an event", firing()],
  ["fires no event", firing(undefined)],
  ["fires what cannot be stored", firing(new TriggerEvent(CYCLE))],
])("a task is to blame whose trigger %s, with and without a time-out", async (_, trigger) => {
  const blame =
    "etl/run-1 ends failed; the trigger of attempt 2 failed, and no fault struck while it waited, and its job did not fail";
  expect(await blameOf(trigger)).toEqual([blame]);
  expect(await blameOf(trigger, { minutes: 1 })).toEqual([blame]);
});

test("nobody is to blame for a trigger that fires, nor for one that times out", async () => {
  expect(await blameOf(firing(new TriggerEvent("done")))).toEqual([]);
  const never = {
    run: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
  };
  expect(await blameOf(never, { minutes: 1 })).toEqual([]);
});
