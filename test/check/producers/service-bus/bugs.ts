import {
  serviceBus,
  serviceBusSessions,
} from "../../../../sim/brokers/service-bus/service-bus-broker.ts";
import type { ServiceBusClient } from "../../../../sim/brokers/service-bus/service-bus-client.ts";
import { type CorrectProducer, correctOn, planted, type PlantedBug } from "../planted-bug.ts";
import {
  AbandonsFailed,
  BelievesItsSettlements,
  SettlesOnClosed,
  LanePerMessage,
  RaisesOnLostLock,
  ReceivesAhead,
  ReceivesTwiceAtOnce,
} from "./broken-producers.ts";
import { QueueProducer } from "./queue-producer.ts";
import { SessionProducer } from "./session-producer.ts";

const HOUR = { queue: "orders", renewalMs: 3_600_000 };
/** P-55: the library renews nothing. */
const UNRENEWED = { queue: "orders", renewalMs: 0 };

export const SERVICE_BUS_CORRECT: readonly CorrectProducer[] = [
  correctOn("a queue", serviceBus(), ({ client }) => new QueueProducer(client, HOUR)),
  correctOn("sessions", serviceBusSessions(), ({ client }) => new SessionProducer(client, HOUR)),
];

type MadeOf = (client: ServiceBusClient) => QueueProducer;

function bug(id: string, guarantees: readonly string[], made: MadeOf): PlantedBug {
  return planted(id, guarantees, serviceBus(), ({ client }) => made(client));
}

export const SERVICE_BUS_BUGS: readonly PlantedBug[] = [
  bug("P-24", ["unhandled", "G8"], (client) => new ReceivesTwiceAtOnce(client, HOUR)),
  bug("P-55 unrenewed", ["G9"], (client) => new QueueProducer(client, UNRENEWED)),
  bug("P-55 raises", ["G10"], (client) => new RaisesOnLostLock(client, HOUR)),
  bug("P-56", ["G8", "progress"], (client) => new BelievesItsSettlements(client, HOUR)),
  bug("P-57", ["G3"], (client) => new AbandonsFailed(client, HOUR)),
  bug("P-58", ["G9", "G8"], (client) => new ReceivesAhead(client, UNRENEWED)),
  bug("P-59", ["G9", "G10"], (client) => new SettlesOnClosed(client, HOUR)),
  planted("P-60", ["G7"], serviceBusSessions(), ({ client }) => new LanePerMessage(client, HOUR)),
];
