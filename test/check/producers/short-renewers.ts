import type { SQSClient } from "@aws-sdk/client-sqs";
import { brokers } from "../../../sim/brokers/brokers.ts";
import { planted, type PlantedBug } from "./planted-bug.ts";
import { QueueProducer } from "./service-bus/queue-producer.ts";
import { HandleRenewer } from "./sqs/handle-renewer.ts";
import { SqsProducer } from "./sqs/sqs-producer.ts";

const SQS = {
  queueUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders",
  deadLetterUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders-dead",
};
const ROUNDS_MAX = 2;

/** Sends the first renewals of a producer to the service, and pretends that later ones succeed. */
function renewingTwice(client: Pick<SQSClient, "send">): HandleRenewer {
  const rounds = new Map<string, number>();
  const isDue = ({ ReceiptHandle = "" }: { readonly ReceiptHandle?: string }): boolean => {
    const round = (rounds.get(ReceiptHandle) ?? 0) + 1;
    rounds.set(ReceiptHandle, round);
    return round <= ROUNDS_MAX;
  };
  const send = async (...args: Parameters<SQSClient["send"]>): Promise<unknown> => {
    const { Entries } = args[0].input as Renewals;
    if (Entries.filter(isDue).length < Entries.length) return {};
    return await (client.send as (...args: unknown[]) => Promise<unknown>)(...args);
  };
  return new HandleRenewer({ send: send as SQSClient["send"] }, SQS.queueUrl);
}

interface Renewals {
  readonly Entries: readonly { readonly ReceiptHandle?: string }[];
}

/** Producers that renew a lease, but not for as long as a subscriber may take. */
export const SHORT_RENEWERS: readonly PlantedBug[] = [
  planted("renews each handle twice", ["G9"], brokers.sqs(), ({ client }) => {
    return new SqsProducer(client, SQS, renewingTwice(client));
  }),
  planted("renews each lock for a minute", ["G9"], brokers.serviceBus(), ({ client }) => {
    return new QueueProducer(client, { queue: "orders", renewalMs: 60_000 });
  }),
];
