import { describe, expect, test } from "vitest";
import { SERVICE_BUS_CORRECT } from "./producers/service-bus/bugs.ts";

describe("a Service Bus producer that does it right", () => {
  for (const { name, check } of SERVICE_BUS_CORRECT) {
    test(`holds: ${name}`, async () => {
      const { runs } = await check(100);
      expect(runs).toBe(100);
    });
  }
});
