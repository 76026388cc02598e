import { pubsub, type PubSubOptions } from "../../../../sim/brokers/pubsub/pubsub-broker.ts";
import type { PubSubClient } from "../../../../sim/brokers/pubsub/pubsub-client.ts";
import { type CorrectProducer, correctOn, planted, type PlantedBug } from "../planted-bug.ts";
import {
  BelievesItsAcks,
  LanePerMessage,
  LeavesItLeased,
  LosesWakeups,
  NacksRejected,
  PacedBuffer,
} from "./broken-producers.ts";
import { PubSubProducer, type PubSubProducerOptions } from "./pubsub-producer.ts";

const OPTIONS: PubSubProducerOptions = {
  subscription: "orders-triggers",
  deadLetterTopic: "orders-dead",
};
/** P-45: nobody extends the deadlines for long enough. */
const UNEXTENDED: PubSubProducerOptions = { ...OPTIONS, extensionMs: 0 };
const TOO_SHORT: PubSubProducerOptions = { ...OPTIONS, extensionMs: 8_000 };

interface Parts {
  readonly client: PubSubClient;
}

function createProducer({ client }: Parts): PubSubProducer {
  return new PubSubProducer(client, OPTIONS);
}

export const PUBSUB_CORRECT: readonly CorrectProducer[] = [
  correct("pubsub", {}),
  correct("pubsub with ordering keys", { orderingKeys: true }),
  correct("pubsub with exactly-once delivery", { exactlyOnceDelivery: true }),
];

function correct(name: string, settings: PubSubOptions): CorrectProducer {
  return correctOn(name, pubsub(settings), createProducer);
}

type MadeOf = (client: PubSubClient) => PubSubProducer;

function bug(
  id: string,
  guarantees: readonly string[],
  made: MadeOf,
  settings: PubSubOptions = {},
): PlantedBug {
  return planted(id, guarantees, pubsub(settings), ({ client }) => made(client));
}

/** A bug where rejected messages have to be dead letters; Airflow's documents allow to nack them. */
function bugByDeadLetters(id: string, guarantees: readonly string[], made: MadeOf): PlantedBug {
  return planted(id, guarantees, pubsub(), ({ client }) => made(client), "dead-letter");
}

export const PUBSUB_BUGS: readonly PlantedBug[] = [
  bug("P-45 no extension", ["G9"], (client) => new PubSubProducer(client, UNEXTENDED)),
  bug("P-45 too short", ["G9"], (client) => new PubSubProducer(client, TOO_SHORT)),
  bug("P-46", ["G8"], (client) => new LeavesItLeased(client, OPTIONS)),
  bug("P-47", ["G8", "G9"], (client) => new PacedBuffer(client, UNEXTENDED)),
  bug("P-48", ["G7"], (client) => new LanePerMessage(client, OPTIONS), { orderingKeys: true }),
  bugByDeadLetters("P-49", ["G3"], (client) => new NacksRejected(client, OPTIONS)),
  bug("P-50", ["G3"], (client) => new NacksRejected(client, OPTIONS), { maxDeliveryAttempts: 5 }),
  bug("P-51", ["G8", "progress"], (client) => new BelievesItsAcks(client, OPTIONS)),
  bug("P-52", ["G8"], (client) => new LosesWakeups(client, OPTIONS)),
];
