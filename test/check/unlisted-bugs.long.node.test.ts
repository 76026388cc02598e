import { describe, test } from "vitest";
import { expectFound } from "./producers/expect-found.ts";
import { UNLISTED_BUGS } from "./producers/unlisted.ts";

describe("the default settings find what is in no list: a producer that", () => {
  for (const bug of UNLISTED_BUGS) test(`${bug.id} (${bug.broker})`, () => expectFound(bug));
});
