import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import { KINESIS_CALLS } from "../brokers/drawn/kinesis.ts";
import { KINESIS_INPUTS } from "../brokers/drawn/kinesis-inputs.ts";
import { KINESIS } from "../brokers/observed/kinesis.ts";
import { KINESALITE } from "./kinesalite-server.ts";
import { testDrawn } from "./test-drawn.ts";
import { testReal } from "./test-real.ts";

testReal(KINESIS, KINESALITE, (running) => {
  testDrawn(KINESIS_CALLS, KINESALITE, () => kinesis(), { numRuns: 100, lanes: 8 })(running);
  // Texts of errors name the stream, so that there is one lane.
  const alone = { numRuns: 40, lanes: 1 };
  testDrawn(KINESIS_INPUTS, KINESALITE, () => kinesis({ deadLetterStreams: [] }), alone)(running);
});
