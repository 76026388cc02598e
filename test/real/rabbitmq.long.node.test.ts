import { rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import { RABBITMQ_CALLS } from "../brokers/drawn/rabbitmq.ts";
import { RABBITMQ } from "../brokers/observed/rabbitmq.ts";
import { quickRabbitmq, RABBITMQ_SERVER } from "./rabbitmq-server.ts";
import { testDrawn } from "./test-drawn.ts";
import { testReal } from "./test-real.ts";

testReal(
  RABBITMQ,
  RABBITMQ_SERVER,
  testDrawn(RABBITMQ_CALLS, quickRabbitmq(), () => rabbitmq(), { numRuns: 100, lanes: 4 }),
);
