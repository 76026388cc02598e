import { describe, test } from "vitest";
import { outbox } from "../../sim/brokers/outbox/model.ts";
import { OUTBOX_BUGS } from "./outbox-bugs.ts";
import { expectSourceBugFound } from "./producers/source-bug-found.ts";

describe("a check finds in a producer of an outbox that", () => {
  test.each(OUTBOX_BUGS)("$what", (bug) => expectSourceBugFound("outbox.ts", bug, outbox()));
});
