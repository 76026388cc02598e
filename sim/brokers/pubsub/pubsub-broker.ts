import type { World } from "../../world.ts";
import type { Broker, BrokerLink, BrokerModel, Publication, Wire } from "../broker.ts";
import { LeaseRival } from "../lease-rival.ts";
import { PubSubClient } from "./pubsub-client.ts";
import { PubSubServer, type PubSubServerOptions } from "./pubsub-server.ts";

export interface PubSubOptions {
  /** Whether the records of one key are messages of one ordering key. */
  readonly orderingKeys?: boolean;
  readonly exactlyOnceDelivery?: boolean;
  /** Dead-letter policy: after so many failed deliveries the subscription moves the message. */
  readonly maxDeliveryAttempts?: number;
}

/** A pull subscription of Google Pub/Sub. */
export function pubsub(options: PubSubOptions = {}): BrokerModel<PubSubClient> {
  const isOrdered = options.orderingKeys ?? false;
  const serverOptions: PubSubServerOptions = {
    isOrdered,
    isExactlyOnce: options.exactlyOnceDelivery ?? false,
    maxDeliveryAttempts: options.maxDeliveryAttempts,
  };
  return {
    name: isOrdered ? "pubsub-ordered" : "pubsub",
    scope: "record",
    isOrdered,
    redeliveryMs: serverOptions.isExactlyOnce ? 60_000 : 10_000,
    start: (world, host) => new PubSubBroker(world, host, serverOptions),
  };
}

class PubSubBroker implements Broker<PubSubClient> {
  readonly disturbances: Broker<PubSubClient>["disturbances"];
  readonly #host: string;
  readonly #server: PubSubServer;
  readonly #rival: LeaseRival;
  #clients = 0;

  constructor(world: World, host: string, options: PubSubServerOptions) {
    this.#host = host;
    this.#server = new PubSubServer(world, host, options);
    this.#rival = new LeaseRival(world, host, this.#server.leases);
    this.disturbances = [
      {
        name: "service redelivers early",
        strike: () => this.#server.leases.interrupt(() => this.#server.leases.giveBackAll()),
      },
      { name: "rival takes what is there", strike: () => this.#rival.take() },
      { name: "other topics refuse what is sent", strike: () => this.#server.refusal.begin() },
    ];
  }

  connect(wire: Wire): BrokerLink<PubSubClient> {
    this.#clients += 1;
    const consumer = `${wire.name}/${this.#clients}`;
    const client = new PubSubClient(wire, this.#host, this.#server, consumer);
    return { client, open: () => client.held() };
  }

  publish(publication: Publication): void {
    this.#server.leases.publish(publication);
  }

  owed(): readonly string[] {
    return this.#server.leases.owed();
  }

  calmDown(): void {
    this.#rival.leave();
    this.#server.refusal.end();
  }
}
