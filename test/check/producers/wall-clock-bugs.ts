import type { SQSClient } from "@aws-sdk/client-sqs";
import { brokers } from "../../../sim/brokers/brokers.ts";
import type { ServiceBusClient } from "../../../sim/brokers/service-bus/service-bus-client.ts";
import { bugOfOneFault } from "./found-only-by.ts";
import { loadWithBug } from "./source-bug.ts";

export const SQS = new URL("../../../scenarios/producers/sqs.ts", import.meta.url);

type Client = Pick<SQSClient, "send">;

/** A bug that shows only where the wall clock of the triggerer steps back. */
export const GATED_RENEWAL = {
  ...bugOfOneFault<Client>({
    name: "SQS: the time of the next renewal is told by the wall clock",
    guarantees: ["G9"],
    told: /its wall clock is/,
    isOfKind: (fault) => "clockStep" in fault,
    broker: brokers.sqs(),
    load: loadGatedRenewal,
  }),
  load: loadGatedRenewal,
};

/** A bug that shows only where the wall clock of the triggerer is ahead for good. */
export const GATED_SETTLEMENT = bugOfOneFault<ServiceBusClient>({
  name: "Service Bus: a lock is taken for lost by the wall clock",
  guarantees: ["settled", "progress", "G2"],
  told: /its wall clock is/,
  isOfKind: (fault) => "clockStep" in fault,
  broker: brokers.serviceBus(),
  load: () =>
    loadWithBug<ServiceBusClient>(
      new URL("../../../scenarios/producers/service-bus.ts", import.meta.url),
      {
        id: "gated-settlement",
        what: "settles nothing whose lock is over by the wall clock",
        guarantees: ["settled"],
        edits: [
          [
            "    try {\n      if (isRejected)",
            `    if (Number(message.lockedUntilUtc) < Date.now()) return;
    try {
      if (isRejected)`,
          ],
        ],
      },
    ),
});

function loadGatedRenewal() {
  return loadWithBug<Client>(SQS, {
    id: "gated-renewal",
    what: "waits for the wall clock before it renews",
    guarantees: ["G9"],
    edits: [
      [
        "    this.#timer = setInterval(() => {\n",
        `    let due = Date.now();
    this.#timer = setInterval(() => {
      if (Date.now() < due) return;
      due = Date.now() + RENEW_EVERY_MS - 1_000;
`,
      ],
    ],
  });
}
