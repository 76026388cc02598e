import { describe, test } from "vitest";
import { expectFound } from "./producers/expect-found.ts";
import { KINESIS_BUGS } from "./producers/kinesis/bugs.ts";

describe("the default settings find in a Kinesis producer", () => {
  for (const bug of KINESIS_BUGS) test(bug.id, () => expectFound(bug));
});
