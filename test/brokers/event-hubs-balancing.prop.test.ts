import * as fc from "fast-check";
import { expect, test } from "vitest";
import { availablePartitions } from "../../sim/brokers/event-hubs/balancing.ts";
import type { PartitionOwnership } from "../../sim/brokers/event-hubs/checkpoint-blobs.ts";

const PLACE = { fullyQualifiedNamespace: "host", eventHubName: "orders", consumerGroup: "group" };
const EXPIRY_MS = 60_000;
/** In a round each client claims what it may, as with the strategy "greedy". */
const ROUNDS = 3;

interface Crowd {
  readonly partitions: number;
  readonly clients: number;
  /** Who owns each partition before, and how long ago that was renewed; 0 stands for nobody. */
  readonly before: readonly (readonly [owner: number, ageMs: number])[];
  readonly picks: readonly number[];
}

const CROWDS: fc.Arbitrary<Crowd> = fc
  .record({ partitions: fc.integer({ min: 1, max: 12 }), clients: fc.integer({ min: 1, max: 5 }) })
  .chain(({ partitions, clients }) =>
    fc.record({
      partitions: fc.constant(partitions),
      clients: fc.constant(clients),
      before: fc.array(
        fc.tuple(
          fc.integer({ min: 0, max: clients }),
          fc.constantFrom(0, EXPIRY_MS - 1, EXPIRY_MS, EXPIRY_MS + 1),
        ),
        { minLength: partitions, maxLength: partitions },
      ),
      picks: fc.array(fc.nat(100), { minLength: 1, maxLength: 8 }),
    }),
  );

/** Returns how many partitions each client owns in the end, and what it would still claim. */
function balanced({ partitions, clients, before, picks }: Crowd) {
  const partitionIds = Array.from({ length: partitions }, (_, at) => String(at));
  const now = EXPIRY_MS * 2;
  const owned = new Map<string, PartitionOwnership>();
  for (const [at, [owner, ageMs]] of before.entries()) {
    const partitionId = String(at);
    const ownerId = owner === 0 ? "" : `client-${owner}`;
    owned.set(partitionId, { ...PLACE, partitionId, ownerId, lastModifiedTimeInMs: now - ageMs });
  }
  let picked = 0;
  const claimsOf = (us: string): readonly string[] => {
    const pick = (count: number): number => (picks[picked++ % picks.length] as number) % count;
    const seen = { us, partitionIds, wallNow: now, expiryMs: EXPIRY_MS, pick };
    return availablePartitions({ ...seen, claimed: [...owned.values()] });
  };
  const names = Array.from({ length: clients }, (_, at) => `client-${at + 1}`);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const us of names) {
      for (const partitionId of claimsOf(us)) {
        owned.set(partitionId, { ...PLACE, partitionId, ownerId: us, lastModifiedTimeInMs: now });
      }
    }
  }
  const owners = [...owned.values()].map(({ ownerId }) => ownerId);
  const counts = names.map((name) => owners.filter((owner) => owner === name).length);
  return { counts, left: names.flatMap(claimsOf) };
}

test("for every crowd all partitions are owned in the end, by shares that differ by one at most", () => {
  fc.assert(
    fc.property(CROWDS, (crowd) => {
      const { counts, left } = balanced(crowd);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(crowd.partitions);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      expect(left).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test.each<[string, Readonly<Record<string, readonly string[]>>, readonly string[]]>([
  ["everything of a hub that nobody reads", {}, ["0", "1", "2", "3"]],
  ["half of what another one has", { other: ["0", "1", "2", "3"] }, ["0", "1"]],
  ["the rest, up to its share", { other: ["0"] }, ["1", "2"]],
  ["what is free before what is another's", { other: ["0", "1", "2"] }, ["3", "0"]],
  ["one of the richest of two", { one: ["0", "1", "2"], two: ["3"] }, ["0"]],
  ["nothing while it has its share", { us: ["0", "1"], other: ["2", "3"] }, []],
  [
    "nothing while one more than others have is in order",
    { us: ["0"], one: ["1"], two: ["2", "3"] },
    [],
  ],
])("a client claims %s", (_what, owners, wanted) => {
  const claimed = Object.entries(owners).flatMap(([ownerId, ids]) =>
    ids.map((partitionId) => ({ ...PLACE, ownerId, partitionId, lastModifiedTimeInMs: 0 })),
  );
  const partitionIds = ["0", "1", "2", "3"];
  const seen = { us: "us", claimed, partitionIds, wallNow: 1, expiryMs: EXPIRY_MS, pick: () => 0 };
  expect(availablePartitions(seen)).toEqual(wanted);
});
