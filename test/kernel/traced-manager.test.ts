import { expect, test } from "vitest";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { Host } from "../../sim/hosts/host.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { Network } from "../../sim/hosts/network.ts";
import { TraceIds } from "../../sim/hosts/trace-ids.ts";
import { TracedManager } from "../../sim/hosts/traced-manager.ts";
import { nameFrom } from "../../sim/hosts/traced-stream.ts";
import { World } from "../../sim/kernel/world.ts";
import { invariant, InvariantViolation } from "../../src/invariant.ts";
import { SharedStreamManager } from "../../src/shared-stream/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";

const SUBSCRIPTION = { triggerId: 1, key: "k", trigger: {} };

/** A manager under observation on a host of its own, and what the trace tells of it. */
async function observed(change: (manager: SharedStreamManager) => void = () => undefined): Promise<{
  readonly manager: TracedManager;
  readonly told: () => readonly string[];
}> {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const lives: Life[] = [];
  new Host(world, new Network<Host>(world), "one", (life) => lives.push(life)).start();
  await world.run(1);
  const [life] = lives;
  if (life === undefined) throw new Error("The host has not started");
  const inner = new SharedStreamManager({ clock: life.clock, logger: silentLogger });
  change(inner);
  return {
    manager: new TracedManager(life, inner, new TraceIds(), String),
    told: () =>
      world.trace.events().flatMap((event) => {
        if (event.kind === "subscribe-refused") return [`refused ${event.key} ${event.error}`];
        return event.kind === "manager-threw" ? [`${event.method} threw ${event.error}`] : [];
      }),
  };
}

test("a subscription that a manager refuses is told, and refused", async () => {
  const { manager, told } = await observed();
  expect(() => manager.subscribe(SUBSCRIPTION)).toThrow(TypeError);
  expect(told()).toEqual(['refused "k" TypeError']);
  expect(manager.groupKeys()).toEqual([]);
});

test("what a manager throws is told, and goes no further", async () => {
  const fail = (): never => {
    throw new RangeError("broken");
  };
  const { manager, told } = await observed((inner) => {
    Object.assign(inner, { bindPendingEvent: fail, confirmPersisted: fail });
    Object.assign(inner, { unsubscribe: async () => fail(), stopAll: async () => fail() });
  });
  expect(manager.bindPendingEvent(SUBSCRIPTION)).toBeNull();
  manager.confirmPersisted([0]);
  await manager.unsubscribe(SUBSCRIPTION);
  await manager.stopAll();
  expect(told()).toEqual([
    "bindPendingEvent threw RangeError",
    "confirmPersisted threw RangeError",
    "unsubscribe threw RangeError",
    "stopAll threw RangeError",
  ]);
});

test("a broken invariant is no finding: it is thrown on", async () => {
  const { manager, told } = await observed((inner) => {
    inner.stopAll = async () => invariant(false, "ours");
    inner.confirmPersisted = () => invariant(false, "ours");
  });
  await expect(manager.stopAll()).rejects.toThrow(InvariantViolation);
  expect(() => manager.confirmPersisted([0])).toThrow(InvariantViolation);
  expect(told()).toEqual([]);
});

test("an error is traced by its name, and what is none by its type", () => {
  expect([new RangeError("1"), "text", undefined].map(nameFrom)).toEqual([
    ...["RangeError", "string", "undefined"],
  ]);
});
