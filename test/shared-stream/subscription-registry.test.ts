import { expect, test } from "vitest";
import type { Group } from "../../src/shared-stream/group.ts";
import { SubscriptionRegistry } from "../../src/shared-stream/subscription-registry.ts";
import type { Subscription } from "../../src/shared-stream/subscription.ts";

/** Trigger ids that share a slot of the cache. */
const IDS = [1, 257, 513] as const;

const group = { key: "orders" } as unknown as Group<unknown>;
const subscriptionOf = (id: number): Subscription<unknown> =>
  ({ id }) as unknown as Subscription<unknown>;

test("trigger ids that share a slot of the cache keep their own subscriptions", () => {
  const registry = new SubscriptionRegistry();
  const subscriptions = IDS.map(subscriptionOf);
  for (const [at, id] of IDS.entries()) {
    registry.add(id, group, subscriptions[at] as Subscription<unknown>);
  }
  const found = (): readonly unknown[] =>
    IDS.map((id) => registry.find(id, "orders")?.subscription);
  expect(found()).toEqual(subscriptions);
  expect(found()).toEqual(subscriptions);

  // The slot is empty then.
  registry.takeOldest(513, "orders");
  expect(found()).toEqual([subscriptions[0], subscriptions[1], undefined]);
});
