import * as httpFeedProducer from "../../../scenarios/producers/http-feed.ts";
import * as naiveHttpFeedProducer from "../../../scenarios/producers/naive-http-feed.ts";
import { httpFeed } from "../../../sim/brokers/http-feed/model.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "http-feed",
    broker: httpFeed(),
    createProducer: httpFeedProducer.createProducer,
    seeds: [5, 9, 12, 14, 33, 39, 44, 45, 50, 64, 77, 95, 99, 102, 106, 118, 127, 130, 137, 146],
  },
  {
    name: "naive-http-feed",
    broker: httpFeed(),
    createProducer: naiveHttpFeedProducer.createProducer,
    seeds: [2, 12, 14, 15, 39, 44, 59, 75, 77, 99, 102, 103, 119, 120, 140, 146],
  },
);
