import { expectTypeOf, test } from "vitest";
import type { FeedClient, FeedRequest } from "../../../sim/brokers/http-feed/feed-client.ts";
import type { FeedResponse } from "../../../sim/brokers/http-feed/feed-response.ts";

/** What a producer says that it needs, so that it takes both. */
type Fetch = (url: string, init?: FeedRequest) => Promise<FeedResponse>;

test("a producer takes the global fetch and the model's", () => {
  expectTypeOf<FeedClient["fetch"]>().toExtend<Fetch>();
  expectTypeOf<typeof fetch>().toExtend<Fetch>();
  expectTypeOf<FeedRequest>().toExtend<RequestInit>();
});
