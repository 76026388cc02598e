import { describe, test } from "vitest";
import { expectFound } from "./producers/expect-found.ts";
import { NATS_BUGS } from "./producers/nats/bugs.ts";

describe("the default settings find in a JetStream producer", () => {
  for (const bug of NATS_BUGS) test(bug.id, () => expectFound(bug));
});
