import { expect, test } from "vitest";
import { REDIS_CORRECT } from "./producers/redis/bugs.ts";

test("a Redis producer that does it right holds", async () => {
  const { runs } = await REDIS_CORRECT.check(60);
  expect(runs).toBe(60);
});
