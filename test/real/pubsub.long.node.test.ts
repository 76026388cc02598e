import { pubsub } from "../../sim/brokers/pubsub/pubsub-broker.ts";
import { PUBSUB_CALLS } from "../brokers/drawn/pubsub.ts";
import { PUBSUB } from "../brokers/observed/pubsub.ts";
import { PUBSUB_STAND_IN } from "./pubsub-server.ts";
import { testDrawn } from "./test-drawn.ts";
import { testReal } from "./test-real.ts";

testReal(
  PUBSUB,
  PUBSUB_STAND_IN,
  testDrawn(PUBSUB_CALLS, PUBSUB_STAND_IN, () => pubsub(), { numRuns: 100, lanes: 20 }),
);
