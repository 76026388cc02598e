import { describe, test } from "vitest";
import { expectFound } from "./producers/expect-found.ts";
import { REDIS_BUGS } from "./producers/redis/bugs.ts";

describe("the default settings find in a Redis producer", () => {
  for (const bug of REDIS_BUGS) test(bug.id, () => expectFound(bug));
});
