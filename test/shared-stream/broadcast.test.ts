import { expect, test } from "vitest";
import { Broadcast } from "../../src/shared-stream/broadcast.ts";

test("a snapshot is made once, as long as nobody comes, goes, fails or visits", () => {
  const broadcast = new Broadcast(() => undefined);
  const snapshot = broadcast.snapshot();
  expect(broadcast.snapshot()).toBe(snapshot);
  broadcast.invalidateSnapshot();
  expect(broadcast.snapshot()).not.toBe(snapshot);
});
