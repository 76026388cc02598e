import { describe, test } from "vitest";
import { PUBSUB_BUGS } from "./producers/pubsub/bugs.ts";
import { expectFound } from "./producers/expect-found.ts";

describe("the default settings find in a Pub/Sub producer", () => {
  for (const bug of PUBSUB_BUGS) test(bug.id, () => expectFound(bug));
});
