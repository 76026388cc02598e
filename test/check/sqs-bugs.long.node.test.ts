import { describe, test } from "vitest";
import { SQS_BUGS } from "./producers/sqs/bugs.ts";
import { expectFound } from "./producers/expect-found.ts";

describe("the default settings find in an SQS producer", () => {
  for (const bug of SQS_BUGS) test(bug.id, () => expectFound(bug));
});
