// Bun does not say whose code it was that failed.
import { expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { managerThat } from "./manager-that.ts";

/** What other code of the process does beside a run, for as long as it lasts. */
const STRAYS: readonly (readonly [event: string, act: () => void])[] = [
  ["unhandledRejection", () => void Promise.reject(new RangeError("stray"))],
  ["uncaughtException", fail],
];

for (const [event, act] of STRAYS) {
  test(`an error of somebody else's code in the process is no part of a run (${event})`, async () => {
    const undisturbed = await simulate(readScenario("everything-at-once"));
    const strays: unknown[] = [];
    const disturbed = await withListener(event, strays, async () => {
      const stray = setInterval(act, 1);
      const report = await simulate(readScenario("everything-at-once"));
      clearInterval(stray);
      return report;
    });
    expect(disturbed.digest).toBe(undisturbed.digest);
    expect(strays[0]).toBeInstanceOf(RangeError);
  });
}

test("code of a run that is over does not disturb the next", async () => {
  const { promise: nextBegins, resolve: beginNext } = Promise.withResolvers<void>();
  const createManager = managerThat(() => void nextBegins.then(fail));
  const scenario = readScenario("everything-at-once");
  const undisturbed = await simulate(scenario);
  await simulate(scenario, { createManager });
  beginNext();
  expect((await simulate(scenario)).digest).toBe(undisturbed.digest);
});

/** Runs `fn` with this listener alone, which keeps what it is called with. */
async function withListener<T>(event: string, seen: unknown[], fn: () => Promise<T>): Promise<T> {
  const others = process.rawListeners(event) as ((...args: unknown[]) => void)[];
  const listener = (error: unknown): void => void seen.push(error);
  process.removeAllListeners(event);
  process.on(event, listener);
  try {
    return await fn();
  } finally {
    process.removeAllListeners(event);
    for (const other of others) process.on(event, other);
  }
}

function fail(): never {
  throw new RangeError("stray");
}
