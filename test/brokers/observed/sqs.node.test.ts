import { describe } from "vitest";
import { sqs, sqsFifo } from "../../../sim/brokers/sqs/sqs-broker.ts";
import { testObserved } from "./observation.ts";
import { SQS } from "./sqs.ts";
import { SQS_FIFO } from "./sqs-fifo.ts";

/** The stand-in has these, and nothing else. */
const KNOWN = { queue: "orders", deadLetterQueues: ["others"] };

describe("the SQS model behaves as the server", () => {
  testObserved(SQS, () => sqs(KNOWN));
  testObserved(SQS_FIFO, () => sqsFifo({ queue: "orders.fifo" }));
});
