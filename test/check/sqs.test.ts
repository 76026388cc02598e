import { describe, expect, test } from "vitest";
import { SQS_CORRECT } from "./producers/sqs/bugs.ts";

describe("an SQS producer that does it right", () => {
  for (const { name, check } of SQS_CORRECT) {
    test(`holds: ${name}`, async () => {
      const { runs } = await check(100);
      expect(runs).toBe(100);
    });
  }
});
