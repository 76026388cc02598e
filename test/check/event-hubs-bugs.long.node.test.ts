import { describe, test } from "vitest";
import { eventHubs } from "../../sim/brokers/event-hubs/model.ts";
import { EVENT_HUBS_BUGS } from "./event-hubs-bugs.ts";
import { expectSourceBugFound } from "./producers/source-bug-found.ts";

describe("a check finds in a producer of Event Hubs that", () => {
  test.each(EVENT_HUBS_BUGS)("$what", (bug) =>
    expectSourceBugFound("event-hubs.ts", bug, eventHubs()),
  );
});
