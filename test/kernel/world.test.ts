import { describe, expect, test } from "vitest";
import { CalmChoices, SeededChoices } from "../../sim/choices/choices.ts";
import { HostDied } from "../../sim/kernel/host-died.ts";
import { serialize } from "../../sim/kernel/serialize.ts";
import { World } from "../../sim/kernel/world.ts";

function calmWorld(): World {
  return new World(new CalmChoices(), { keepTrace: true });
}

describe("what code under test lets out", () => {
  const owner = (onUncaught: (error: unknown) => void) =>
    ({ alive: true, pausedUntil: 0, skewMs: 0, name: "one", onUncaught }) as const;

  test("an exception goes to the host whose code threw it, unless the run has failed", async () => {
    const world = calmWorld();
    const seen: string[] = [];
    const one = owner((error) => seen.push((error as Error).message));
    world.callAs(one, () => world.uncaught(new Error("first")));
    world.callAs(one, () => world.uncaught(new HostDied()));
    world.schedule(1, { lane: "a", owner: one }, () => {
      world.fail(new Error("broken"));
      world.uncaught(new Error("second"));
    });
    await expect(world.run(1)).rejects.toThrow("broken");
    expect(seen).toEqual(["first"]);
  });

  test("the end of a host is no failure, and an exception of the world's own code is one", async () => {
    const world = calmWorld();
    world.schedule(1, { lane: "a" }, () => world.uncaught(new HostDied()));
    await world.run(1);
    world.schedule(1, { lane: "a" }, () => {
      world.uncaught(new Error("ours"));
      world.uncaught(new Error("later"));
    });
    await expect(world.run(2)).rejects.toThrow("ours");
  });

  test("what is printed is told as its host's, or as the code's, up to a length", () => {
    const world = calmWorld();
    world.printed("stdout", "at import");
    world.callAs(
      owner(() => undefined),
      () => world.printed("stderr", "x".repeat(100_000)),
    );
    const told = world.trace
      .events()
      .flatMap((event) =>
        event.kind === "output" ? [[event.host, event.stream, event.text.length]] : [],
      );
    expect(told).toHaveLength(2);
    expect(told[0]).toEqual(["code", "stdout", 9]);
    expect(told[1]?.slice(0, 2)).toEqual(["one", "stderr"]);
    expect(told[1]?.[2]).toBeLessThan(100_000);
  });
});

describe("a world", () => {
  test("runs steps in order of their due times, and moves time only between steps", async () => {
    const world = calmWorld();
    const seen: string[] = [];
    world.schedule(30, { lane: "a" }, () => seen.push(`c ${world.now}`));
    world.schedule(10, { lane: "a" }, () => seen.push(`a ${world.now}`));
    world.schedule(10, { lane: "a" }, () => seen.push(`b ${world.now}`));
    await world.run(100);
    expect(seen).toEqual(["a 10", "b 10", "c 30"]);
    expect(world.now).toBe(100);
  });

  for (const gap of [0, 1, 49, 50, 51, 60, 200, 1_000]) {
    test(`finishes promise work of ${gap} awaits before the next step`, async () => {
      const world = calmWorld();
      const seen: string[] = [];
      world.schedule(1, { lane: "a" }, () => {
        void (async () => {
          for (let at = 0; at < gap; at += 1) await Promise.resolve();
          seen.push("first");
        })();
      });
      world.schedule(1, { lane: "a" }, () => seen.push("second"));
      await world.run(10);
      expect(seen).toEqual(["first", "second"]);
    });
  }

  test("chooses among lanes that are due at once, and keeps the order within each", async () => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 40; seed += 1) {
      const world = new World(new SeededChoices(seed), { keepTrace: true });
      const seen: string[] = [];
      for (const lane of ["a", "b"]) {
        world.schedule(5, { lane }, () => seen.push(`${lane}1`));
        world.schedule(5, { lane }, () => seen.push(`${lane}2`));
      }
      await world.run(10);
      expect(seen.indexOf("a1")).toBeLessThan(seen.indexOf("a2"));
      expect(seen.indexOf("b1")).toBeLessThan(seen.indexOf("b2"));
      orders.add(seen.join(" "));
    }
    expect(orders.size).toBeGreaterThan(3);
  });

  test("drops the steps of a crashed owner, and postpones those of a paused one", async () => {
    const world = calmWorld();
    const seen: string[] = [];
    const dead = { alive: false, pausedUntil: 0, skewMs: 0 };
    const paused = { alive: true, pausedUntil: 50, skewMs: 0 };
    world.schedule(5, { lane: "a", owner: dead }, () => seen.push("dead"));
    world.schedule(5, { lane: "b", owner: paused }, () => seen.push(`paused ${world.now}`));
    const cancelled = world.schedule(6, { lane: "c" }, () => seen.push("cancelled"));
    cancelled.cancelled = true;
    await world.run(100);
    expect(seen).toEqual(["paused 50"]);
  });

  test("a step that a pause postponed can still be cancelled", async () => {
    const world = calmWorld();
    const seen: string[] = [];
    const paused = { alive: true, pausedUntil: 50, skewMs: 0 };
    world.schedule(5, { lane: "a", owner: paused }, () => {
      seen.push("first");
      second.cancelled = true;
    });
    const second = world.schedule(6, { lane: "a", owner: paused }, () => seen.push("second"));
    await world.run(100);
    expect(seen).toEqual(["first"]);
  });

  test("run() rejects with the error given to fail()", async () => {
    const world = calmWorld();
    world.schedule(1, { lane: "a" }, () => world.fail(new Error("ours")));
    await expect(world.run(10)).rejects.toThrow("ours");
  });
});

describe("faked globals", () => {
  function withGlobals(world: World, run: () => Promise<void>): Promise<void> {
    return serialize((turn) => world.realm.during(turn, run));
  }

  async function inside(seed: number, act: (world: World) => void): Promise<World> {
    const world = new World(new SeededChoices(seed), { keepTrace: true });
    await withGlobals(world, async () => {
      world.schedule(0, { lane: "a" }, () => act(world));
      await world.run(10_000);
    });
    return world;
  }

  test("use virtual time: timers, intervals, immediates, Date, performance, AbortSignal", async () => {
    const seen: [string, number][] = [];
    const started: number[] = [];
    await inside(1, (world) => {
      started.push(Date.now(), new Date().getTime(), performance.now());
      setTimeout(() => seen.push(["timeout", world.now]), 700);
      setImmediate(() => seen.push(["immediate", world.now]));
      const signal = AbortSignal.timeout(900);
      signal.addEventListener("abort", () => seen.push(["abort", world.now]));
      const interval = setInterval(() => {
        seen.push(["interval", Date.now() - (started[0] ?? 0)]);
        if (world.now >= 600) clearInterval(interval);
      }, 300);
      clearTimeout(setTimeout(() => seen.push(["cleared", world.now]), 10));
    });
    expect(started).toEqual([1_767_225_600_000, 1_767_225_600_000, 0]);
    expect(seen).toEqual([
      ["immediate", 0],
      ["interval", 300],
      ["interval", 600],
      ["timeout", 700],
      ["abort", 900],
    ]);
  });

  test("never call a timer that another timer of the same instant has cleared", async () => {
    const seen: string[] = [];
    await inside(1, () => {
      setTimeout(() => {
        clearTimeout(timeout);
        clearInterval(interval);
        seen.push("first");
      }, 100);
      const timeout = setTimeout(() => seen.push("timeout"), 100);
      const interval = setInterval(() => seen.push("interval"), 100);
      setTimeout(() => seen.push("last"), 500);
    });
    expect(seen).toEqual(["first", "last"]);
  });

  test("draw random values from the seed, equal for equal seeds", async () => {
    async function draw(seed: number): Promise<readonly unknown[]> {
      const drawn: unknown[] = [];
      await inside(seed, () => {
        drawn.push(
          Math.random(),
          crypto.randomUUID(),
          ...crypto.getRandomValues(new Uint8Array(4)),
        );
      });
      return drawn;
    }
    expect(await draw(7)).toEqual(await draw(7));
    expect(await draw(7)).not.toEqual(await draw(8));
    expect((await draw(7))[1]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  });

  test("are restored, even when the run throws", async () => {
    const before = [setTimeout, setInterval, Date, Math.random, AbortSignal.timeout];
    await expect(
      inside(1, () => {
        throw new Error("broken");
      }),
    ).rejects.toThrow("broken");
    expect([setTimeout, setInterval, Date, Math.random, AbortSignal.timeout]).toEqual(before);
  });

  test("a timer does not fire after the incarnation that set it has crashed", async () => {
    const owner = { alive: true, pausedUntil: 0, skewMs: 0 };
    const seen: string[] = [];
    const world = new World(new SeededChoices(1), { keepTrace: true });
    await withGlobals(world, async () => {
      world.schedule(0, { lane: "a", owner }, () => {
        setTimeout(() => seen.push("timeout"), 100);
        setInterval(() => seen.push("interval"), 40);
      });
      world.schedule(90, { lane: "b" }, () => {
        owner.alive = false;
      });
      await world.run(1_000);
    });
    expect(seen).toEqual(["interval", "interval"]);
  });

  test("an interval of a paused host fires once when it goes on, and then as before", async () => {
    expect(await ticksUntilCleared(1_250)).toEqual([100, 950, 1_000, 1_100, 1_200]);
  });

  test("an interval fires no more that a host clears when it goes on after a pause", async () => {
    expect(await ticksUntilCleared(160)).toEqual([100]);
  });

  /** When an interval of 100 ms ticks that is cleared at a time; its host stalls from 150 to 950. */
  async function ticksUntilCleared(clearAt: number): Promise<readonly number[]> {
    const owner = { alive: true, pausedUntil: 0, skewMs: 0 };
    const seen: number[] = [];
    const world = new World(new SeededChoices(1), { keepTrace: true });
    await withGlobals(world, async () => {
      world.schedule(0, { lane: "a", owner }, () => {
        const interval = setInterval(() => seen.push(world.now), 100);
        setTimeout(() => clearInterval(interval), clearAt);
      });
      world.schedule(150, { lane: "b" }, () => {
        owner.pausedUntil = 950;
      });
      await world.run(2_000);
    });
    return seen;
  }
});
