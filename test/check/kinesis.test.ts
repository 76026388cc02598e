import { expect, test } from "vitest";
import { KINESIS_CORRECT, KINESIS_TOGETHER_CORRECT } from "./producers/kinesis/bugs.ts";

test("a Kinesis producer that does it right holds", async () => {
  const { runs } = await KINESIS_CORRECT.check(60);
  expect(runs).toBe(60);
});

test("a Kinesis producer that puts dead letters together holds", async () => {
  const { runs } = await KINESIS_TOGETHER_CORRECT.check(60);
  expect(runs).toBe(60);
});
