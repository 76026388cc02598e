import { expect, test } from "vitest";
import { NATS_CORRECT } from "./producers/nats/bugs.ts";

test("a JetStream producer that does it right holds", async () => {
  const { runs } = await NATS_CORRECT.check(60);
  expect(runs).toBe(60);
});
