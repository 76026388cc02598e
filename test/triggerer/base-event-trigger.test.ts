import { expect, test } from "vitest";
import type { SharedStream } from "../../src/shared-stream/mod.ts";
import { BaseEventTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";

/** A stream of `raws` that records which were rejected. */
function streamOf(raws: readonly number[]): {
  readonly stream: SharedStream<number>;
  readonly rejected: number[];
} {
  const rejected: number[] = [];
  let current = 0;
  async function* events(): AsyncGenerator<number> {
    for (const raw of raws) {
      current = raw;
      yield raw;
    }
  }
  const stream = Object.assign(events(), { reject: () => void rejected.push(current) });
  return { stream, rejected };
}

class Large extends BaseEventTrigger<number> {
  override filterSharedEvent(
    amount: number,
    window: { readonly reject: () => void },
  ): TriggerEvent | undefined {
    if (amount < 0) window.reject();
    return amount > 1_000 ? new TriggerEvent(amount) : undefined;
  }
}

test("BaseEventTrigger makes its asynchronous filter from the synchronous one", async () => {
  const { stream, rejected } = streamOf([3, 5_000, -1, 7_000]);
  const payloads: unknown[] = [];
  for await (const { payload } of new Large().filterSharedStream(stream)) payloads.push(payload);
  expect(payloads).toEqual([5_000, 7_000]);
  expect(rejected).toEqual([-1]);
});

test("BaseEventTrigger shares no stream, and one without a filter says so", () => {
  class Empty extends BaseEventTrigger<number> {}
  expect(new Empty().sharedStreamKey()).toBeNull();
  expect(() => new Empty().filterSharedStream(streamOf([]).stream)).toThrow(
    "Cannot filter a shared stream with Empty: it has neither filterSharedStream nor filterSharedEvent",
  );
});
