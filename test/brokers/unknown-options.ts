import { expect, test } from "vitest";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { BrokerStage } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

type Name =
  | "EventHubConsumerClient"
  | "EventHubProducerClient"
  | "abandonMessage"
  | "acceptNextSession"
  | "acceptSession"
  | "add"
  | "api"
  | "assertQueue"
  | "auth"
  | "client"
  | "connect"
  | "consume"
  | "consumers"
  | "createChannel"
  | "createReceiver"
  | "createSender"
  | "deferMessage"
  | "duplicate"
  | "fetch"
  | "get"
  | "getEventHubProperties"
  | "getMessageIterator"
  | "getPartitionProperties"
  | "info"
  | "jetstreamManager"
  | "next"
  | "on"
  | "options"
  | "publish"
  | "publishMessage"
  | "publisher"
  | "query"
  | "receiveDeferredMessages"
  | "receiveMessages"
  | "reconnect"
  | "send"
  | "sendBatch"
  | "sendMessages"
  | "streams"
  | "subscribe"
  | "subscription"
  | "topic"
  | "unsubscribe"
  | "updateSecret"
  | "xAdd"
  | "xClaim"
  | "xPendingRange"
  | "xRange"
  | "xReadGroup"
  | "xTrim"
  | "xadd"
  | "xgroup";
interface Callable {
  (...given: readonly unknown[]): Loose & Promise<Loose>;
  new (...given: readonly unknown[]): Loose;
}
/** A client whose calls are made as a caller without types may make them. */
export type Loose = Callable & { readonly [N in Name]: Loose };

/** What the model says that it has not, and the call of which it says so. */
type Row = readonly [what: string, call: (client: Loose) => unknown];

/** The name of a model among the brokers of the kit, with what it refuses. */
export type Refused = readonly [see: string, model: BrokerModel<unknown>, rows: readonly Row[]];

/** Defines a test for each call: an option that the model would have to ignore is refused by name. */
export function testUnknownOptions(refused: readonly Refused[]): void {
  const calls = refused.flatMap(([see, model, rows]) =>
    rows.map(([what, call], at) => [see, at + 1, what, model, call] as const),
  );
  test.each(calls)("brokers.%s, call %i: %s", async (see, _at, what, model, call) => {
    const stage = new BrokerStage(model);
    const told = await stage.play((client) => outcomeOf(() => call(client as Loose)), 60_000);
    expect(told).toMatchObject({ message: `Not modelled: ${what}; see brokers.${see}` });
  });
}
