import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import { KINESIS_CALLS } from "../brokers/drawn/kinesis.ts";
import { KINESIS } from "../brokers/observed/kinesis.ts";
import { KINESALITE } from "./kinesalite-server.ts";
import { testDrawn } from "./test-drawn.ts";
import { testReal } from "./test-real.ts";

testReal(
  KINESIS,
  KINESALITE,
  testDrawn(KINESIS_CALLS, KINESALITE, () => kinesis(), { numRuns: 100, lanes: 8 }),
);
