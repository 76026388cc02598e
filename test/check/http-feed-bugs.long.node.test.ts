import { describe, test } from "vitest";
import { httpFeed } from "../../sim/brokers/http-feed/model.ts";
import { HTTP_FEED_BUGS } from "./http-feed-bugs.ts";
import { expectSourceBugFound } from "./producers/source-bug-found.ts";

describe("a check finds in a producer of a feed that", () => {
  test.each(HTTP_FEED_BUGS)("$what", (bug) =>
    expectSourceBugFound("http-feed.ts", bug, httpFeed()),
  );
});
