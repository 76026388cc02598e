import { describe, test } from "vitest";
import { LEFT_AT_THE_END } from "./left-at-the-end.ts";
import { expectSourceBugFound } from "./producers/source-bug-found.ts";

describe("a check finds a producer that", () => {
  test.each(LEFT_AT_THE_END)("$what", (bug) => expectSourceBugFound(bug.source, bug, bug.broker));
});
