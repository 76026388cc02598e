import { eventHubs } from "../../sim/brokers/event-hubs/model.ts";
import {
  serviceBus,
  serviceBusSessions,
} from "../../sim/brokers/service-bus/service-bus-broker.ts";
import { type Loose, testUnknownOptions } from "./unknown-options.ts";

const X = { nothing: 1 };
const connection = "Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=a";
const hubs = (client: Loose): Loose =>
  new client.EventHubConsumerClient("$Default", connection, "orders");
const producing = (client: Loose): Loose => new client.EventHubProducerClient(connection, "dead");
const handlers = { processEvents: () => undefined, processError: () => undefined };

testUnknownOptions([
  [
    "serviceBus",
    serviceBus(),
    [
      ["createSender() with nothing", (c) => c.createSender("dead", X)],
      ["createReceiver() with nothing", (c) => c.createReceiver("orders", X)],
      ["receiveMessages() with nothing", (c) => c.createReceiver("orders").receiveMessages(1, X)],
      [
        "receiveDeferredMessages() with nothing",
        (c) => c.createReceiver("orders").receiveDeferredMessages([1], X),
      ],
      [
        "subscribe() with nothing",
        (c) => {
          const heard = { processMessage: () => undefined, processError: () => undefined };
          return c.createReceiver("orders").subscribe(heard, X);
        },
      ],
      [
        "getMessageIterator() with nothing",
        (c) => c.createReceiver("orders").getMessageIterator(X).next(),
      ],
      ["abandonMessage() with nothing", (c) => c.createReceiver("orders").abandonMessage({}, X)],
      ["deferMessage() with nothing", (c) => c.createReceiver("orders").deferMessage({}, X)],
      ["sendMessages() with nothing", (c) => c.createSender("dead").sendMessages({ body: 1 }, X)],
      [
        "sendMessages() with nothing",
        (c) => c.createSender("dead").sendMessages([{ body: 1 }, { body: 1, ...X }]),
      ],
    ],
  ],
  [
    "serviceBus",
    serviceBusSessions(),
    [
      ["acceptNextSession() with nothing", (c) => c.acceptNextSession("orders", X)],
      ["acceptSession() with nothing", (c) => c.acceptSession("orders", "key-1", X)],
    ],
  ],
  [
    "eventHubs",
    eventHubs(),
    [
      [
        "new EventHubConsumerClient() with nothing",
        (c) => new c.EventHubConsumerClient("$Default", connection, "orders", X),
      ],
      [
        "new EventHubConsumerClient() with nothing",
        (c) =>
          new c.EventHubConsumerClient("$Default", connection, "orders", {
            loadBalancingOptions: X,
          }),
      ],
      ["getPartitionProperties() with nothing", (c) => hubs(c).getPartitionProperties("0", X)],
      ["getEventHubProperties() with nothing", (c) => hubs(c).getEventHubProperties(X)],
      ["subscribe() with nothing", (c) => hubs(c).subscribe(handlers, X)],
      ["sendBatch() with nothing", (c) => producing(c).sendBatch([{ body: 1 }], X)],
      ["sendBatch() with nothing", (c) => producing(c).sendBatch([{ body: 1 }, { body: 1, ...X }])],
      ["getPartitionProperties() with nothing", (c) => producing(c).getPartitionProperties("0", X)],
      ["getEventHubProperties() with nothing", (c) => producing(c).getEventHubProperties(X)],
    ],
  ],
]);
