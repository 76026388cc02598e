import { describe } from "vitest";
import { sqs } from "../../../sim/brokers/sqs/sqs-broker.ts";
import { testObserved } from "./observation.ts";
import { SQS } from "./sqs.ts";

/** The stand-in has these, and nothing else. */
const KNOWN = { queue: "orders", deadLetterQueues: ["others"] };

describe("the SQS model behaves as the server", () => {
  testObserved(SQS, () => sqs(KNOWN));
});
