import type { SQSClient } from "@aws-sdk/client-sqs";
import { brokers } from "../../../sim/brokers/brokers.ts";
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
    load,
  }),
  load,
};

function load() {
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
