import { describe, expect, test } from "vitest";
import { CalmChoices } from "../../sim/choices/choices.ts";
import type { OverloadFault } from "../../sim/codecs/crowd-faults.ts";
import { World } from "../../sim/kernel/world.ts";
import { installOverload } from "../../sim/worlds/crowds.ts";

const LIMIT: OverloadFault = { at: 1_000, overload: "broker", admits: 2, for: 60_000 };
const CAPACITY: OverloadFault = { ...LIMIT, capacity: true };
/** Five calls in one second, and one more when the last of them is a second ago. */
const TIMES = [1_000, 1_200, 1_400, 1_600, 1_800, 2_800];

function limited(fault: OverloadFault): World {
  const world = new World(new CalmChoices(), { keepTrace: false });
  installOverload(world, fault);
  return world;
}

/** Returns what becomes of a call of the broker at each of these times. */
function verdictsOf(world: World, times: readonly number[]): readonly string[] {
  return times.map((now) => {
    const { verdict } = world.injector.judge("broker.fetch", "runner-1", now, "broker");
    return verdict.kind;
  });
}

describe("a host that admits two calls a second", () => {
  test("refuses what is more, and what it refuses costs it nothing", () => {
    const often = [...TIMES.slice(0, 5), 2_000, 2_200, 2_400];
    expect(verdictsOf(limited(LIMIT), often)).toEqual([
      ...["pass", "pass", "fail", "fail", "fail"],
      ...["pass", "pass", "fail"],
    ]);
  });

  test("admits all when the faults are over", () => {
    const world = limited(LIMIT);
    world.injector.disarm();
    expect(new Set(verdictsOf(world, TIMES))).toEqual(new Set(["pass"]));
  });
});

describe("a host that can serve no more than two calls a second", () => {
  test.each([
    ["while there are faults", true],
    ["when they are over", false],
  ])("serves none to who calls too often, until he waits: %s", (_, isArmed) => {
    const world = limited(CAPACITY);
    if (!isArmed) world.injector.disarm();
    const often = Array.from({ length: 100 }, (_each, nth) => 1_000 + nth * 200);
    const [first, second, ...others] = verdictsOf(world, often);
    expect([first, second]).toEqual(["pass", "pass"]);
    expect(new Set(others)).toEqual(new Set(["fail"]));
    expect(verdictsOf(world, [1_000 + 99 * 200 + 1_000])).toEqual(["pass"]);
  });

  test("limits its own calls, in its own time", () => {
    const world = limited(CAPACITY);
    expect(verdictsOf(world, [997, 998, 999, 61_000, 61_001, 61_002])).toEqual(
      Array.from({ length: 6 }, () => "pass"),
    );
    const { verdict } = world.injector.judge("database.commit", "runner-1", 2_000, "database");
    expect(verdict.kind).toBe("pass");
  });
});
