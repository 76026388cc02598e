import { describe, expect, test } from "vitest";
import { PUBSUB_CORRECT } from "./producers/pubsub/bugs.ts";

describe("a Pub/Sub producer that does it right", () => {
  for (const { name, check } of PUBSUB_CORRECT) {
    test(`holds: ${name}`, async () => {
      const { runs } = await check(100);
      expect(runs).toBe(100);
    });
  }
});
