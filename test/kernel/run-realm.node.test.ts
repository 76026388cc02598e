import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CalmChoices } from "../../sim/choices/choices.ts";
import type { StepOwner } from "../../sim/kernel/step.ts";
import { World } from "../../sim/kernel/world.ts";
import { divertPrinting } from "../../sim/realm/printing.ts";

type Handle = "itself" | "its number" | "the number as text";
type Op =
  | { readonly do: "set" | "repeat"; readonly ms: number; readonly by: 0 | 1 }
  | { readonly do: "clear"; readonly which: number; readonly handle: Handle }
  | { readonly do: "refresh"; readonly which: number }
  | { readonly do: "clear nothing"; readonly what: unknown }
  | { readonly do: "kill"; readonly by: 0 | 1 };

const ops = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constantFrom("set" as const, "repeat" as const),
        ms: fc.integer({ min: 1, max: 60 }),
        by: fc.constantFrom(0 as const, 1 as const),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("clear" as const),
        which: fc.nat({ max: 3 }),
        handle: fc.constantFrom<Handle>("itself", "its number", "the number as text"),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant("refresh" as const), which: fc.nat({ max: 3 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("clear nothing" as const),
        what: fc.constantFrom<unknown>(undefined, null, 7, "x", {}),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("kill" as const),
        by: fc.constantFrom(0 as const, 1 as const),
      }),
    },
  ),
  { maxLength: 14, size: "max" },
);

/** Operations are this far apart. */
const APART_MS = 20;
const UNTIL_MS = 600;

/** A timer of the plain model. */
interface Plain {
  readonly ms: number;
  readonly by: 0 | 1;
  readonly repeats: boolean;
  dueAt: number | undefined;
  isCleared: boolean;
}

/** Returns what fires, by the rules of timers alone: when, and which. */
function plainly(all: readonly Op[]): {
  readonly fired: readonly (readonly [number, number])[];
  readonly left: number;
} {
  const timers: Plain[] = [];
  const isAlive = [true, true];
  const fired: (readonly [number, number])[] = [];
  for (let now = 0; now <= UNTIL_MS; now += 1) {
    const op = now % APART_MS === 0 ? all[now / APART_MS - 1] : undefined;
    if (op !== undefined) apply(op, now, timers, isAlive);
    for (const [at, timer] of timers.entries()) {
      if (timer.dueAt !== now) continue;
      timer.dueAt = timer.repeats ? now + timer.ms : undefined;
      if (isAlive[timer.by] === true) fired.push([now, at]);
    }
  }
  const left = timers.filter(({ dueAt, by }) => dueAt !== undefined && isAlive[by] === true);
  return { fired, left: left.length };
}

function apply(op: Op, now: number, timers: Plain[], isAlive: boolean[]): void {
  if (op.do === "kill") isAlive[op.by] = false;
  if (op.do === "set" || op.do === "repeat") {
    if (isAlive[op.by] !== true) return;
    const repeats = op.do === "repeat";
    timers.push({ ms: op.ms, by: op.by, repeats, dueAt: now + op.ms, isCleared: false });
  }
  if (op.do !== "clear" && op.do !== "refresh") return;
  const timer = timers[op.which];
  if (timer === undefined || isAlive[timer.by] !== true) return;
  if (op.do === "clear") {
    timer.dueAt = undefined;
    timer.isCleared = true;
  } else if (!timer.repeats && !timer.isCleared) timer.dueAt = now + timer.ms;
}

function ownerNamed(name: string): StepOwner & { alive: boolean } {
  return { alive: true, pausedUntil: 0, skewMs: 0, name };
}

/** Does the same with the timers of a run. */
async function inRealm(all: readonly Op[]): Promise<ReturnType<typeof plainly>> {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const { realm } = world;
  const owners = [ownerNamed("one"), ownerNamed("two")] as const;
  const timers: { readonly timer: unknown; readonly by: 0 | 1; readonly repeats: boolean }[] = [];
  const fired: [number, number][] = [];
  const perform = (op: Op): void => {
    if (op.do === "set" || op.do === "repeat") {
      const at = timers.length;
      const fire = (number: unknown): void => void fired.push([world.now, Number(number)]);
      const repeats = op.do === "repeat";
      const timer = repeats
        ? realm.setRepeating(fire, op.ms, [at])
        : realm.setTimer(fire, op.ms, [at]);
      timers.push({ timer, by: op.by, repeats });
    } else if (op.do === "clear nothing") realm.clearTimer(op.what);
    else if (op.do === "clear" || op.do === "refresh") {
      const { timer } = timers[op.which] as { readonly timer: unknown };
      if (op.do === "refresh") (timer as { refresh?(): unknown }).refresh?.();
      else if (op.handle === "itself") realm.clearTimer(timer);
      else realm.clearTimer(op.handle === "its number" ? Number(timer) : String(Number(timer)));
    }
  };
  for (const [at, op] of all.entries()) {
    world.schedule((at + 1) * APART_MS, { lane: "operator" }, () => {
      if (op.do === "kill") owners[op.by].alive = false;
      const timer = "which" in op ? timers[op.which] : undefined;
      if ("which" in op && timer === undefined) return;
      if (op.do === "refresh" && timer?.repeats === true) return;
      const by = "by" in op ? op.by : (timer?.by ?? 0);
      world.callAs(owners[by], () => perform(op));
    });
  }
  await world.run(UNTIL_MS);
  return { fired: inOrder(fired), left: realm.timersSet };
}

/** What fires in one millisecond has no order here. */
function inOrder(fired: readonly (readonly [number, number])[]): [number, number][] {
  return fired
    .map(([now, at]): [number, number] => [now, at])
    .toSorted((one, other) => one[0] - other[0] || one[1] - other[1]);
}

test("timers of a run fire, repeat, begin anew and end as timers do, and with their host", async () => {
  const runs = { numRuns: 100, seed: 1 };
  await fc.assert(
    fc.asyncProperty(ops, async (all) => {
      const { fired, left } = plainly(all);
      expect(await inRealm(all)).toEqual({ fired: inOrder(fired), left });
    }),
    runs,
  );
});

describe("outside of its run a realm", () => {
  test("draws nothing, has the calm name of a machine, and prints what it is told", () => {
    const { realm } = new World(new CalmChoices(), { keepTrace: false });
    const printed: unknown[] = [];
    divertPrinting((...told) => void printed.push(told));
    realm.print("stderr", "text");
    const arrival = realm.beginWork("a file");
    expect([realm.choose(7, "any"), realm.hostName, realm.isWorkPending]).toEqual([
      ...[0, "localhost", false],
    ]);
    expect([printed, arrival(() => undefined)]).toEqual([[["stderr", "text"]], undefined]);
  });

  test("a host's code learns its own name and clock", async () => {
    const world = new World(new CalmChoices(), { keepTrace: false });
    const seen: unknown[] = [];
    const owner = { ...ownerNamed("one"), skewMs: 250 };
    world.schedule(40, { lane: "a", owner }, () => {
      seen.push(world.realm.hostName, world.realm.wallMs - world.wallMs, world.realm.monotonicMs);
    });
    world.schedule(50, { lane: "a" }, () => seen.push(world.realm.wallMs - world.wallMs));
    await world.run(60);
    expect(seen).toEqual(["one", 250, 40, 0]);
  });

  test("what ends a process or is not virtual fails the run, or crashes its host", async () => {
    const world = new World(new CalmChoices(), { keepTrace: false });
    const seen: string[] = [];
    const owner = {
      ...ownerNamed("one"),
      onUncaught: (error: unknown) => seen.push(String(error)),
    };
    world.callAs(owner, () => {
      seen.push(String(world.realm.exit("process.exit(0)")));
      world.realm.guarded(() => {
        throw new Error("thrown");
      })();
      seen.push(String(world.realm.guarded((one) => one)("given")));
    });
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]).toContain("process.exit(0)");
    expect(seen.slice(2)).toEqual(["Error: thrown", "given"]);
    const refused = world.realm.refuse("a socket", "use the client");
    expect(refused.message).toContain("a socket");
    world.schedule(1, { lane: "a" }, () => undefined);
    await expect(world.run(1)).rejects.toBe(refused);
  });
});
