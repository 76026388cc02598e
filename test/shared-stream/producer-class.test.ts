import { expect, test } from "vitest";
import {
  type AdvanceItem,
  SharedStreamManager,
  SharedStreamProducer,
} from "../../src/shared-stream/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";

const KEY = { triggerId: 1, key: "orders" };

class Orders extends SharedStreamProducer<string, number> {
  readonly advanced: (readonly [payload: number, isClean: boolean])[] = [];

  override async *openStream(signal: AbortSignal): AsyncGenerator<readonly [string, number]> {
    yield ["order 17", 0];
    yield ["order 18", 1];
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }

  override async advance(batch: readonly AdvanceItem<number>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      this.advanced.push([brokerPayload, outcome.isClean]);
    }
    await Promise.resolve();
  }
}

test("a class that extends SharedStreamProducer is a producer of one lane", async () => {
  const orders = new Orders();
  const manager = new SharedStreamManager();
  const trigger = { createSharedStreamProducer: () => orders };
  const stream = manager.subscribe({ ...KEY, trigger });
  for (const order of ["order 17", "order 18"]) expect((await stream.next()).value).toBe(order);
  await manager.unsubscribe(KEY);
  expect(orders.advanced).toEqual([
    [0, true],
    [1, true],
  ]);
  expect(orders.getAdvanceLane(0)).toBe(orders.getAdvanceLane(1));
  await expect(orders.aclose()).resolves.toBeUndefined();
});

test("what it does not override says so", () => {
  class Empty extends SharedStreamProducer<string> {}
  const { signal } = new AbortController();
  expect(() => new Empty().openStream(signal)).toThrow(
    "Cannot open Empty: it has no openStream of its own",
  );
  expect(() => new Empty().advance([])).toThrow(
    "Cannot advance Empty: it has no advance of its own",
  );
});

test("a producer without openStream fails its subscribers with that message", async () => {
  class Empty extends SharedStreamProducer<string> {}
  const manager = new SharedStreamManager({ logger: silentLogger });
  const stream = manager.subscribe({
    ...KEY,
    trigger: { createSharedStreamProducer: () => new Empty() },
  });
  await expect(stream.next()).rejects.toThrow("it has no openStream of its own");
  await manager.unsubscribe(KEY);
});
