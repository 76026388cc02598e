import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Group } from "../../src/shared-stream/group.ts";
import { SubscriptionRegistry } from "../../src/shared-stream/subscription-registry.ts";
import type { Subscription } from "../../src/shared-stream/subscription.ts";

/** Trigger ids: the first three share a slot of the cache. */
const IDS = [1, 257, 513, 2] as const;
const KEYS = ["orders", "clicks"] as const;

interface Act {
  readonly act: "add" | "find" | "take";
  readonly id: number;
  readonly key: string;
}

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    act: fc.constantFrom("add", "find", "find", "take"),
    id: fc.constantFrom(...IDS),
    key: fc.constantFrom(...KEYS),
  }),
  { maxLength: 40 },
);

interface Known {
  readonly id: number;
  readonly key: string;
  readonly group: Group<unknown>;
  readonly subscription: Subscription<unknown>;
}

/** Plays the acts; a list of all subscriptions, oldest first, says what each must find. */
function assertAsList(script: readonly Act[]): void {
  const registry = new SubscriptionRegistry();
  const known: Known[] = [];
  for (const { act, id, key } of script) {
    const isMeant = (one: Known): boolean => one.id === id && one.key === key;
    if (act === "add") {
      const group = { key } as unknown as Group<unknown>;
      const subscription = { nth: known.length } as unknown as Subscription<unknown>;
      registry.add(id, group, subscription);
      known.push({ id, key, group, subscription });
    } else if (act === "find") {
      const newest = known.findLast(isMeant)?.subscription;
      expect(registry.find(id, key)?.subscription).toBe(newest);
    } else {
      const oldest = known.findIndex(isMeant);
      expect(registry.takeOldest(id, key)?.subscription).toBe(known[oldest]?.subscription);
      if (oldest >= 0) known.splice(oldest, 1);
    }
    for (const one of known) expect(registry.isIn(one.id, one.group)).toBe(true);
  }
}

test("for every order of subscribing, finding and leaving, the newest is found and the oldest leaves", () => {
  fc.assert(fc.property(acts, assertAsList), { numRuns: 500 });
});
