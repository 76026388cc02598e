import { expect, test } from "vitest";
import { KafkaGroups } from "../../sim/brokers/kafka/kafka-groups.ts";
import { KafkaLog } from "../../sim/brokers/kafka/kafka-log.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";

const GROUP = "group";
const MEMBER = {
  ...{ topics: ["orders"], sessionMs: 30_000, rebalanceMs: 10_000 },
  ...{ isAlive: () => true, consumer: "one" },
};

function open(): { readonly world: World; readonly groups: KafkaGroups } {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const log = new KafkaLog(world, "kafka", 2);
  log.offer(["orders"]);
  return { world, groups: new KafkaGroups(world, "kafka", log) };
}

function typeOf(act: () => unknown): unknown {
  try {
    act();
    return "taken";
  } catch (error) {
    return (error as { readonly type?: unknown }).type;
  }
}

test("a first member gets all partitions at once", () => {
  const { groups } = open();
  expect(groups.join(GROUP, undefined, MEMBER)).toMatchObject({
    generation: 1,
    assignment: new Map([["orders", [0, 1]]]),
  });
});

test("while a group prepares to rebalance, heartbeats report it and commits are taken", () => {
  const { groups } = open();
  const { memberId } = groups.join(GROUP, undefined, MEMBER);
  const second = groups.join(GROUP, undefined, MEMBER);
  expect(second.generation).toBeUndefined();
  expect(typeOf(() => groups.heartbeat(GROUP, memberId, 1))).toBe("REBALANCE_IN_PROGRESS");
  const commit = [{ topic: "orders", partition: 0, offset: 1 }];
  expect(typeOf(() => groups.commit(GROUP, memberId, 1, commit))).toBe("taken");
  expect(groups.joined(GROUP, second.memberId)).toBeUndefined();
  expect(groups.join(GROUP, memberId, MEMBER).generation).toBe(2);
  expect(groups.joined(GROUP, second.memberId)?.generation).toBe(2);
  expect(typeOf(() => groups.heartbeat(GROUP, memberId, 1))).toBe("ILLEGAL_GENERATION");
  expect(typeOf(() => groups.commit(GROUP, memberId, 1, commit))).toBe("ILLEGAL_GENERATION");
});

test("a member that does not join again is put out after the longest rebalance timeout", async () => {
  const { world, groups } = open();
  const { memberId } = groups.join(GROUP, undefined, MEMBER);
  const second = groups.join(GROUP, undefined, { ...MEMBER, rebalanceMs: 4_000 });
  await world.run(9_999);
  expect(groups.joined(GROUP, second.memberId)).toBeUndefined();
  await world.run(10_001);
  expect(groups.joined(GROUP, second.memberId)).toMatchObject({
    assignment: new Map([["orders", [0, 1]]]),
  });
  expect(typeOf(() => groups.commit(GROUP, memberId, 1, []))).toBe("UNKNOWN_MEMBER_ID");
  const lapsed = world.trace.events().filter(({ kind }) => kind === "lapsed");
  expect(lapsed).toMatchObject([{ consumer: memberId }]);
});

test("who waits is woken when the rebalance ends, has ended already, or puts the member out", () => {
  const { groups } = open();
  const woken: string[] = [];
  const { memberId } = groups.join(GROUP, undefined, MEMBER);
  const joining = groups.join(GROUP, undefined, MEMBER);
  if (joining.generation !== undefined) throw new Error("There is nobody to wait for");
  using _first = groups.onRebalanced(GROUP, joining, () => void woken.push("at its end"));
  expect(woken).toEqual([]);
  groups.join(GROUP, memberId, MEMBER);
  groups.onRebalanced(GROUP, joining, () => void woken.push("after its end"));
  expect(woken).toEqual(["at its end", "after its end"]);
  const third = groups.join(GROUP, undefined, MEMBER);
  if (third.generation !== undefined) throw new Error("There is nobody to wait for");
  using _third = groups.onRebalanced(GROUP, third, () => void woken.push("put out"));
  groups.evict(GROUP, (id) => id === third.memberId);
  expect(woken.at(-1)).toBe("put out");
  expect(typeOf(() => groups.joined(GROUP, third.memberId))).toBe("UNKNOWN_MEMBER_ID");
});

test("a member that waits for the others keeps its session", async () => {
  const { world, groups } = open();
  groups.join(GROUP, undefined, { ...MEMBER, rebalanceMs: 60_000 });
  const second = groups.join(GROUP, undefined, { ...MEMBER, sessionMs: 5_000 });
  await world.run(20_000);
  expect(groups.joined(GROUP, second.memberId)).toBeUndefined();
  // The first one's session ends, and nobody is left to wait for.
  await world.run(31_000);
  expect(groups.joined(GROUP, second.memberId)?.generation).toBe(2);
});

test("of a commit one partition is refused, and the others are taken", () => {
  const { world, groups } = open();
  const { memberId } = groups.join(GROUP, undefined, MEMBER);
  const commit = [0, 1].map((partition) => ({ topic: "orders", partition, offset: 1 }));
  groups.commitsToRefuse = 1;
  const answer = typeOf(() => groups.commit(GROUP, memberId, 1, commit));
  expect(answer).toBe("UNKNOWN_TOPIC_OR_PARTITION");
  const committed = (): unknown => [0, 1].map((at) => groups.committed(GROUP, "orders", at));
  expect(committed()).toEqual([1, undefined]);
  const attempts = world.trace.events().filter(({ kind }) => kind === "settle");
  expect(attempts).toMatchObject([
    { handle: "orders/0@1", refused: "" },
    { handle: "orders/1@1", refused: "UNKNOWN_TOPIC_OR_PARTITION" },
  ]);
  expect(typeOf(() => groups.commit(GROUP, memberId, 1, commit))).toBe("taken");
  expect(committed()).toEqual([1, 1]);
});
