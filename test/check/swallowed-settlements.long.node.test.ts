import { describe, expect, test } from "vitest";
import { serviceBusSessions } from "../../sim/brokers/service-bus/service-bus-broker.ts";
import { sqsFifo } from "../../sim/brokers/sqs/sqs-broker.ts";
import { planted, type PlantedBug } from "./producers/planted-bug.ts";
import { SwallowsFailedSettlements } from "./producers/service-bus/broken-producers.ts";
import { SwallowsFailedDeletes } from "./producers/sqs/broken-producers.ts";

const SQS = {
  queueUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders.fifo",
  deadLetterUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders-dead.fifo",
};

/** Of an ordering unit, a later message is settled when an earlier one could not be. */
const BUGS: readonly PlantedBug[] = [
  planted("swallows failed deletes", ["order"], sqsFifo(), ({ client }) => {
    return new SwallowsFailedDeletes(client, SQS);
  }),
  planted("swallows failed settlements", ["order"], serviceBusSessions(), ({ client }) => {
    return new SwallowsFailedSettlements(client, { queue: "orders", renewalMs: 3_600_000 });
  }),
];

describe("the default settings find a producer that", () => {
  for (const bug of BUGS) {
    test(`${bug.id} (${bug.broker})`, async () => {
      const { guarantee, message } = (await bug.find()) ?? {};
      expect(guarantee).toBe("order");
      expect(message).toContain("was accepted, but is not settled");
    });
  }
});
