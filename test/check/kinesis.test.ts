import { expect, test } from "vitest";
import { KINESIS_CORRECT } from "./producers/kinesis/bugs.ts";

test("a Kinesis producer that does it right holds", async () => {
  const { runs } = await KINESIS_CORRECT.check(60);
  expect(runs).toBe(60);
});
