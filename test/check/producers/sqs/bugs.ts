import type { SQSClient } from "@aws-sdk/client-sqs";
import { sqs, sqsFifo } from "../../../../sim/brokers/sqs/sqs-broker.ts";
import { type CorrectProducer, correctOn, planted, type PlantedBug } from "../planted-bug.ts";
import {
  DeletesAtReceive,
  DeletesByEveryHandle,
  ForgetsWhatIsBlocked,
  IgnoresFailedEntries,
  KeyedByMessageId,
  LanePerHandle,
  RaisesOnExpired,
  ReturnsAtOnce,
  SendsAllEntries,
  SettlesItemByItem,
} from "./broken-producers.ts";
import {
  ForgetfulRenewer,
  FragileRenewer,
  IdleRenewer,
  ReturningRenewer,
  SurvivingRenewer,
} from "./broken-renewers.ts";
import type { Renewer } from "./handle-renewer.ts";
import { SqsProducer, type SqsProducerOptions } from "./sqs-producer.ts";

const STANDARD: SqsProducerOptions = {
  queueUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders",
  deadLetterUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders-dead",
};
const FIFO: SqsProducerOptions = {
  queueUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders.fifo",
  deadLetterUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders-dead.fifo",
};

export const SQS_CORRECT: readonly CorrectProducer[] = [
  correctOn("a standard queue", sqs(), ({ client }) => new SqsProducer(client, STANDARD)),
  correctOn("a FIFO queue", sqsFifo(), ({ client }) => new SqsProducer(client, FIFO)),
];

type MadeOf = (client: Pick<SQSClient, "send">, options: SqsProducerOptions) => SqsProducer;
type RenewerClass = new (client: Pick<SQSClient, "send">, queueUrl: string) => Renewer;

function standard(id: string, guarantees: readonly string[], made: MadeOf): PlantedBug {
  return planted(id, guarantees, sqs(), ({ client }) => made(client, STANDARD));
}

function fifo(id: string, guarantees: readonly string[], made: MadeOf): PlantedBug {
  return planted(id, guarantees, sqsFifo(), ({ client }) => made(client, FIFO));
}

function renewing(id: string, guarantees: readonly string[], Class: RenewerClass): PlantedBug {
  return standard(
    id,
    guarantees,
    (client, options) => new SqsProducer(client, options, new Class(client, options.queueUrl)),
  );
}

export const SQS_BUGS: readonly PlantedBug[] = [
  standard("P-30", ["G2"], (client, options) => new DeletesAtReceive(client, options)),
  renewing("P-31", ["G9"], IdleRenewer),
  // The more are renewed one after the other, the sooner one of them is returned meanwhile.
  { ...renewing("P-32", ["G8"], ReturningRenewer), eventsMax: 8 },
  renewing("P-33 forgets to let go", ["G8", "G6", "G4"], ForgetfulRenewer),
  renewing("P-33 survives", ["G6"], SurvivingRenewer),
  fifo("P-34", ["G10"], (client, options) => new RaisesOnExpired(client, options)),
  standard(
    "P-35",
    ["G8", "progress"],
    (client, options) => new IgnoresFailedEntries(client, options),
  ),
  {
    ...standard("P-36", ["G10"], (client, options) => new SendsAllEntries(client, options)),
    // Eleven entries are what it takes; two more may come ahead of them.
    eventsMax: 13,
  },
  fifo("P-38", ["G7"], (client, options) => new LanePerHandle(client, options)),
  standard("P-39", ["hot-loop"], (client, options) => new ReturnsAtOnce(client, options)),
  planted("P-40", ["G3"], sqs({ maxReceiveCount: 3 }), ({ client }) => {
    return new SqsProducer(client, STANDARD);
  }),
  fifo("settles item by item", ["order"], (client, options) => {
    return new SettlesItemByItem(client, options);
  }),
  fifo("forgets what is blocked", ["order"], (client, options) => {
    return new ForgetsWhatIsBlocked(client, options);
  }),
  renewing("P-41", ["G9"], FragileRenewer),
  standard("P-42", ["G4"], (client, options) => new KeyedByMessageId(client, options)),
  standard("settles through every handle", ["G4"], (client, options) => {
    return new DeletesByEveryHandle(client, options);
  }),
];
