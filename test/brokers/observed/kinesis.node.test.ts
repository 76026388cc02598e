import { describe } from "vitest";
import { kinesis } from "../../../sim/brokers/kinesis/model.ts";
import { KINESIS } from "./kinesis.ts";
import { testObserved } from "./observation.ts";

describe("the Kinesis model behaves as the server", () => {
  testObserved(KINESIS, () => kinesis({ deadLetterStreams: [] }));
});
