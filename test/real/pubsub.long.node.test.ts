import { PUBSUB } from "../brokers/observed/pubsub.ts";
import { PUBSUB_STAND_IN } from "./pubsub-server.ts";
import { testReal } from "./test-real.ts";

testReal(PUBSUB, PUBSUB_STAND_IN);
