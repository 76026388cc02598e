import { describe, expect, test } from "vitest";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { strikeAtRate, strikeNth } from "../../sim/faults/rule.ts";
import { Injector } from "../../sim/faults/injector.ts";
import type { Verdict } from "../../sim/faults/verdict.ts";
import { endFaults } from "../../sim/hosts/end-faults.ts";
import { Host, type HostRole } from "../../sim/hosts/host.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { Network } from "../../sim/hosts/network.ts";
import { World } from "../../sim/kernel/world.ts";

interface Pair {
  readonly world: World;
  readonly network: Network<Host>;
  readonly caller: Host;
  readonly callee: Host;
  readonly effects: number[];
  readonly seen: string[];
}

/** A caller that makes one call at the start of each incarnation, and a callee. */
function pairOf(verdict: Verdict | undefined): Pair {
  const world = new World(new CalmChoices(), { keepTrace: true });
  if (verdict !== undefined) {
    world.injector.install(strikeNth({ site: "database.commit" }, verdict, 1, 1));
  }
  const network = new Network<Host>(world);
  const effects: number[] = [];
  const seen: string[] = [];
  const callee = new Host(world, network, "callee", () => undefined);
  const caller = new Host(world, network, "caller", (life: Life) => {
    life
      .call("database.commit", "callee", () => effects.push(life.incarnation))
      .then(
        () => seen.push(`${life.incarnation} replied at ${world.now}`),
        (error: unknown) =>
          seen.push(`${life.incarnation} ${(error as Error).name} at ${world.now}`),
      );
  });
  return { world, network, caller, callee, effects, seen };
}

async function played(pair: Pair, ms = 60_000): Promise<Pick<Pair, "effects" | "seen">> {
  pair.callee.start();
  pair.caller.start();
  await pair.world.run(ms);
  return { effects: pair.effects, seen: pair.seen };
}

describe("a call through a site", () => {
  const cases: [string, Verdict | undefined, number[], string[]][] = [
    ["passes", undefined, [1], ["1 replied at 2"]],
    ["is delayed", { kind: "delay", ms: 500 }, [1], ["1 replied at 502"]],
    ["fails before its effect", { kind: "fail", when: "before" }, [], ["1 InjectedFault at 2"]],
    ["fails after its effect", { kind: "fail", when: "after" }, [1], ["1 InjectedFault at 2"]],
    ["loses its request", { kind: "drop", what: "request" }, [], ["1 CallTimedOut at 10000"]],
    ["loses its reply", { kind: "drop", what: "reply" }, [1], ["1 CallTimedOut at 10001"]],
    ["arrives twice", { kind: "duplicate" }, [1, 1], ["1 replied at 2"]],
    ["arrives again late", { kind: "duplicate", afterMs: 500 }, [1, 1], ["1 replied at 2"]],
    ["gets a late reply", { kind: "delay", what: "reply", ms: 500 }, [1], ["1 replied at 502"]],
    [
      "gets its reply too late",
      { kind: "delay", what: "reply", ms: 10_000 },
      [1],
      ["1 CallTimedOut at 10001"],
    ],
    [
      "crashes its callee before its effect",
      { kind: "crash", when: "before", who: "callee" },
      [],
      ["1 ConnectionLost at 2"],
    ],
    [
      "crashes its callee after its effect",
      { kind: "crash", when: "after", who: "callee" },
      [1],
      ["1 ConnectionLost at 2"],
    ],
    [
      "waits in vain for a lock",
      { kind: "fail", when: "before", error: "lock-timeout", ms: 500 },
      [],
      ["1 LockNotAvailable at 502"],
    ],
    [
      "is the victim of a deadlock",
      { kind: "fail", when: "before", error: "deadlock", ms: 500 },
      [],
      ["1 DeadlockDetected at 502"],
    ],
    [
      "waits for a lock for longer than its caller waits",
      { kind: "fail", when: "before", error: "lock-timeout", ms: 30_000 },
      [],
      ["1 CallTimedOut at 10001"],
    ],
    [
      "finds no connection in its pool, where it waits as long as the pool says",
      { kind: "fail", when: "before", error: "pool-exhausted", ms: 30_000 },
      [],
      ["1 PoolTimeout at 30002"],
    ],
    ["commits late", { kind: "delay", what: "commit", ms: 500 }, [1], ["1 replied at 502"]],
    [
      "commits when its caller has given up",
      { kind: "delay", what: "commit", ms: 12_000 },
      [1],
      ["1 CallTimedOut at 10001"],
    ],
    ["crashes its caller before its effect", { kind: "crash", when: "before" }, [], []],
    ["crashes its caller after its effect", { kind: "crash", when: "after" }, [1], []],
  ];
  for (const [what, verdict, effects, seen] of cases) {
    test(what, async () => {
      expect(await played(pairOf(verdict))).toEqual({ effects, seen });
    });
  }

  test("of a crashed incarnation never takes effect; the next incarnation calls again", async () => {
    const pair = pairOf({ kind: "crash", when: "before", restartAfterMs: 100 });
    expect(await played(pair)).toEqual({ effects: [2], seen: ["2 replied at 102"] });
  });

  test("is refused when the callee is down", async () => {
    const pair = pairOf(undefined);
    pair.caller.start();
    await pair.world.run(1_000);
    expect(pair.seen).toEqual(["1 ConnectionRefused at 2"]);
  });

  test("times out when the callee is down and its peers were not told", async () => {
    const pair = pairOf(undefined);
    pair.callee.start();
    pair.callee.vanish(500);
    pair.caller.start();
    await pair.world.run(20_000);
    expect(pair.seen).toEqual(["1 CallTimedOut at 10001"]);
    expect(pair.callee.isUp).toBe(true);
    expect(pair.callee.isHalfOpen).toBe(false);
  });

  test("arrives late once more after later calls, and after its caller's death", async () => {
    const pair = pairOf({ kind: "duplicate", afterMs: 1_000 });
    pair.world.schedule(300, { lane: "test" }, () => pair.caller.crash(100));
    expect(await played(pair)).toEqual({
      effects: [1, 2, 1],
      seen: ["1 replied at 2", "2 replied at 402"],
    });
  });

  test("has no late copy at a callee that is down then, nor once the faults are over", async () => {
    const down = pairOf({ kind: "duplicate", afterMs: 1_000 });
    down.world.schedule(300, { lane: "test" }, () => down.callee.crash());
    expect((await played(down)).effects).toEqual([1]);
    const calm = pairOf({ kind: "duplicate", afterMs: 1_000 });
    calm.world.schedule(300, { lane: "test" }, () => calm.world.injector.disarm());
    expect((await played(calm)).effects).toEqual([1]);
  });

  test("commits late even if its caller dies meanwhile, and later commits wait behind it", async () => {
    const pair = pairOf({ kind: "delay", what: "commit", ms: 1_000 });
    pair.world.schedule(300, { lane: "test" }, () => pair.caller.crash(100));
    expect(await played(pair)).toEqual({ effects: [1, 2], seen: ["2 replied at 1002"] });
  });

  test("of a late commit is rolled back when the database crashes meanwhile", async () => {
    const pair = pairOf({ kind: "delay", what: "commit", ms: 1_000 });
    pair.world.schedule(300, { lane: "test" }, () => pair.callee.crash(100));
    expect(await played(pair)).toEqual({ effects: [], seen: ["1 CallTimedOut at 10001"] });
  });

  test("that reads does not wait behind a late commit", async () => {
    const pair = pairOf({ kind: "delay", what: "commit", ms: 1_000 });
    const read: number[] = [];
    pair.world.schedule(300, { lane: "test" }, () => {
      void pair.caller.life
        ?.call("store.read", "callee", () => undefined)
        .then(() => read.push(pair.world.now));
    });
    await played(pair);
    expect(read).toEqual([302]);
  });

  test("waits while the callee is paused, and times out when it crashes meanwhile", async () => {
    const pair = pairOf(undefined);
    pair.callee.start();
    pair.callee.pause(700);
    expect((await played(pair)).seen).toEqual(["1 replied at 701"]);
    const other = pairOf(undefined);
    other.callee.start();
    other.callee.pause(700);
    other.world.schedule(300, { lane: "test" }, () => other.callee.crash());
    expect((await played(other)).seen).toEqual(["1 CallTimedOut at 10700"]);
  });

  test("is lost when the link is cut in either direction, and delayed when it is held", async () => {
    const there = pairOf(undefined);
    there.network.cut("caller", "callee");
    expect(await played(there)).toEqual({ effects: [], seen: ["1 CallTimedOut at 10001"] });
    const back = pairOf(undefined);
    back.network.cut("callee", "caller");
    expect(await played(back)).toEqual({ effects: [1], seen: ["1 CallTimedOut at 10002"] });
    const held = pairOf(undefined);
    held.network.hold("caller", "callee");
    held.world.schedule(400, { lane: "test" }, () => held.network.repair("caller", "callee"));
    expect(await played(held)).toEqual({ effects: [1], seen: ["1 replied at 401"] });
  });
});

describe("resume()", () => {
  test("runs at once, in order, the steps that a pause has postponed, and no others", async () => {
    const world = new World(new CalmChoices(), { keepTrace: true });
    const ran: string[] = [];
    const host = new Host(world, new Network<Host>(world), "host", (life) => {
      const cancelled = life.after(30, () => ran.push("cancelled"));
      life.after(10, () => ran.push(`first ${world.now}`));
      life.after(20, () => ran.push(`second ${world.now}`));
      life.after(60_000, () => ran.push(`later ${world.now}`));
      life.after(1, () => host.pause(40_000));
      world.schedule(50, { lane: "test" }, () => (cancelled.cancelled = true));
    });
    host.start();
    await world.run(100);
    expect(ran).toEqual([]);
    host.resume();
    await world.run(70_000);
    expect(ran).toEqual(["first 100", "second 100", "later 60000"]);
  });

  test("lets the calls take effect that wait for the host", async () => {
    const pair = pairOf(undefined);
    pair.callee.start();
    pair.callee.pause(40_000);
    pair.world.schedule(300, { lane: "test" }, () => pair.callee.resume());
    expect((await played(pair)).seen).toEqual(["1 replied at 301"]);
  });

  test("changes nothing for a host that is not paused", async () => {
    const pair = pairOf(undefined);
    pair.callee.start();
    pair.callee.resume();
    expect((await played(pair)).seen).toEqual(["1 replied at 2"]);
    expect(pair.world.trace.events().map((event) => event.kind === "host" && event.state)).toEqual([
      "start",
      "start",
    ]);
  });
});

test("endFaults() repairs links, resumes hosts, and starts those that are down", async () => {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const network = new Network<Host>(world);
  const ran: string[] = [];
  const hostOf = (name: string, role: HostRole): Host =>
    new Host(world, network, name, (life) => void life.after(5, () => ran.push(name)), { role });
  hostOf("down", "service");
  hostOf("child", "child");
  hostOf("attempt", "attempt");
  const paused = hostOf("paused", "worker");
  paused.start();
  await world.run(1);
  paused.pause(1_000);
  network.cut("paused", "down");
  network.hold("down", "paused");
  await world.run(10);
  endFaults(network);
  await world.run(20);
  expect(ran).toEqual(["paused", "down"]);
  expect(world.trace.events().filter(({ kind }) => kind === "link")).toMatchObject([
    { state: "cut" },
    { state: "held" },
    { state: "repaired" },
    { state: "released" },
  ]);
});

test("step() moves the wall clock only", async () => {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const lives: Life[] = [];
  const host = new Host(world, new Network<Host>(world), "host", (life) => void lives.push(life));
  host.start();
  await world.run(1_000);
  const [life] = lives;
  const before = [life?.clock.now(), life?.clock.wallNow()];
  host.step(3_600_000);
  expect(life?.clock.now()).toBe(before[0]);
  expect(life?.clock.wallNow()).toBe((before[1] ?? 0) + 3_600_000);
});

describe("the injector", () => {
  const call = (injector: Injector): string =>
    injector.judge("broker.fetch", "a", 0, "b").verdict.kind;

  test("applies its rules in install order until it is disarmed, and counts the faults", () => {
    const injector = new Injector();
    const scope = { site: "broker.fetch" } as const;
    injector.install(strikeNth(scope, { kind: "duplicate" }, 2, 1));
    const delay = injector.install(strikeNth(scope, { kind: "delay", ms: 5 }, 1, 9));
    expect([call(injector), call(injector), call(injector)]).toEqual([
      "delay",
      "duplicate",
      "delay",
    ]);
    delay[Symbol.dispose]();
    expect(call(injector)).toBe("pass");
    injector.install(strikeNth(scope, { kind: "duplicate" }, 1, 9));
    injector.disarm();
    expect(call(injector)).toBe("pass");
    expect([...injector.hits()]).toEqual([
      ["broker.fetch: delay 5 ms", 2],
      ["broker.fetch: duplicate", 1],
    ]);
    expect(injector.calls().get("broker.fetch")).toBe(5);
  });

  test("strikes at a rate for the highest draws, so that draw 0 is calm", () => {
    const draws = [0, 3, 4, 5];
    const chance = { choose: (): number => draws.shift() ?? 0 };
    const injector = new Injector();
    const rate = { numerator: 2, denominator: 6 };
    injector.install(strikeAtRate({ site: "broker.fetch" }, { kind: "duplicate" }, rate, chance));
    const kinds = [call(injector), call(injector), call(injector), call(injector)];
    expect(kinds).toEqual(["pass", "pass", "duplicate", "duplicate"]);
  });
});

test("a stall of the code on a host pauses the host until then", async () => {
  const { world, caller, callee, seen } = pairOf(undefined);
  callee.start();
  caller.start();
  world.schedule(1, { lane: "test" }, () => caller.life?.stall?.(700));
  await world.run(60_000);
  expect(seen).toEqual(["1 replied at 700"]);
});
