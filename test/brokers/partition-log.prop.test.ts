import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PartitionLog } from "../../sim/brokers/partition-log.ts";
import { SettlementLog } from "../../sim/brokers/settlement-log.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";

const TOPIC = "orders";
const GROUP = "group";
const PARTITIONS = 5;
const SESSION_MS = 30_000;
const FETCH_RECORDS_MAX = 50;

const OPS = ["join", "leave", "fetch", "fetch", "expire all", "rebalance", "produce"] as const;
const WAITS_MS = [1, SESSION_MS / 2, SESSION_MS - 1, SESSION_MS, SESSION_MS + 1];

interface Act {
  readonly op: (typeof OPS)[number];
  readonly member: string;
  /** The partition that is produced to. */
  readonly at: number;
  /** How long before the act nothing happens. */
  readonly afterMs: number;
}

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    op: fc.constantFrom(...OPS),
    member: fc.constantFrom("a", "b", "c"),
    at: fc.nat({ max: PARTITIONS - 1 }),
    afterMs: fc.constantFrom(0, 0, 0, ...WAITS_MS),
  }),
  { maxLength: 30 },
);

/** The members of a group as the log's own page has them: when each was last heard of. */
class PlainGroup {
  readonly seenAt = new Map<string, number>();
  generation = 0;

  join(name: string, now: number): void {
    this.seenAt.set(name, now);
    this.generation += 1;
  }

  leave(name: string): void {
    if (this.seenAt.delete(name)) this.generation += 1;
  }

  /** A group that never had a member is none. */
  rebalance(): void {
    if (this.generation > 0) this.generation += 1;
  }

  /** Whoever was not heard of for longer than a session is out, once somebody else calls. */
  hear(name: string, now: number): readonly string[] {
    this.seenAt.set(name, now);
    const late = [...this.seenAt].filter(([, at]) => now - at > SESSION_MS).map(([one]) => one);
    for (const one of late) this.seenAt.delete(one);
    if (late.length > 0) this.generation += 1;
    return late;
  }

  partitionsOf(name: string): readonly number[] {
    const names = [...this.seenAt.keys()].toSorted();
    return Array.from({ length: PARTITIONS }, (_none, at) => at).filter(
      (at) => names[at % names.length] === name,
    );
  }
}

/** A log and the plain group beside it. */
class Compared {
  readonly world: World = new World(new CalmChoices(), { keepTrace: true });
  readonly lapsed: string[] = [];
  readonly #plain = new PlainGroup();
  readonly #stored = Array.from({ length: PARTITIONS }, (): number => 0);
  readonly #log = new PartitionLog(this.world, "broker", {
    sessionTimeoutMs: SESSION_MS,
    settlements: new SettlementLog(this.world, "broker"),
  });

  constructor() {
    this.#log.createTopic(TOPIC, PARTITIONS);
  }

  perform(act: Act): void {
    switch (act.op) {
      case "produce":
        this.#log.produce(TOPIC, act.at, (offset) => ({ ref: `ref-${act.at}-${offset}` }));
        this.#stored[act.at] = (this.#stored[act.at] ?? 0) + 1;
        // What is there stays there when the topic is created once more.
        this.#log.createTopic(TOPIC, 1);
        break;
      case "join":
        this.#join(act.member);
        break;
      case "leave":
        this.#plain.leave(act.member);
        this.#log.leave(GROUP, act.member);
        break;
      case "rebalance":
        this.#plain.rebalance();
        this.#log.forceRebalance(GROUP);
        break;
      case "expire all":
        this.lapsed.push(...this.#plain.seenAt.keys());
        this.#plain.seenAt.clear();
        this.#plain.rebalance();
        this.#log.expireAll(GROUP);
        break;
      case "fetch":
        this.#fetch(act.member);
    }
    expect(this.#log.hasMembers(GROUP)).toBe(this.#plain.seenAt.size > 0);
  }

  #join(member: string): void {
    this.#plain.join(member, this.world.now);
    const { generation, partitions } = this.#log.join(GROUP, TOPIC, member);
    expect(generation).toBe(this.#plain.generation);
    expect(partitions).toEqual(this.#plain.partitionsOf(member));
  }

  /** Reads from the beginning of all partitions but the last. */
  #fetch(member: string): void {
    const positions = new Map(Array.from({ length: PARTITIONS - 1 }, (_none, at) => [at, 0]));
    if (!this.#plain.seenAt.has(member)) {
      const why = `Member "${member}" is not in group "${GROUP}"`;
      expect(() => this.#log.fetch(GROUP, member, positions)).toThrow(why);
      return;
    }
    this.lapsed.push(...this.#plain.hear(member, this.world.now));
    const own = this.#plain.partitionsOf(member);
    const { assignment, records } = this.#log.fetch(GROUP, member, positions);
    expect(assignment).toEqual({ generation: this.#plain.generation, partitions: own });
    const read = own.filter((at) => positions.has(at));
    const all = read.flatMap((at) =>
      Array.from({ length: this.#stored[at] ?? 0 }, (_none, offset) => `${at}@${offset}`),
    );
    expect(records.map(({ partition, offset }) => `${partition}@${offset}`)).toEqual(
      all.slice(0, FETCH_RECORDS_MAX),
    );
  }
}

test("for every history a member has its share of the partitions, and reads only that", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (history) => {
      const compared = new Compared();
      const { world } = compared;
      for (const act of history) {
        await world.run(world.now + act.afterMs);
        compared.perform(act);
      }
      const told = world.trace
        .events()
        .flatMap((event) => (event.kind === "lapsed" ? [event.consumer] : []));
      expect(told).toEqual(compared.lapsed);
    }),
    { numRuns: 300 },
  );
});

test("who is no member is woken at once, and a partition that is none is refused", () => {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const log = new PartitionLog(world, "broker", { sessionTimeoutMs: SESSION_MS });
  log.createTopic(TOPIC, 1);
  const woken: string[] = [];
  log.onArrival(GROUP, "nobody", () => woken.push("nobody"));
  expect(woken).toEqual(["nobody"]);
  expect(() => log.produce(TOPIC, 1, () => undefined)).toThrow('No partition 1 in topic "orders"');
});
