import type { World } from "../../world.ts";
import type { Broker, BrokerLink, BrokerModel, Publication, Wire } from "../broker.ts";
import { LeaseRival } from "../lease-rival.ts";
import { ServiceBusClient } from "./service-bus-client.ts";
import { ServiceBusLink } from "./service-bus-link.ts";
import { ServiceBusQueue, type ServiceBusQueueOptions } from "./service-bus-queue.ts";

export interface ServiceBusOptions {
  /** Default 30; at most 300, as at Azure's. */
  readonly lockDurationSeconds?: number;
  /** Failed deliveries after which the queue dead-letters by itself; default 10, as at Azure's. */
  readonly maxDeliveryCount?: number;
}

const LOCK_SECONDS_MAX = 300;

/** A queue of Azure Service Bus. */
export function serviceBus(options: ServiceBusOptions = {}): BrokerModel<ServiceBusClient> {
  return serviceBusModel("service-bus", false, options);
}

/** A queue that requires sessions: the records of one key are one session. */
export function serviceBusSessions(options: ServiceBusOptions = {}): BrokerModel<ServiceBusClient> {
  return serviceBusModel("service-bus-sessions", true, options);
}

function serviceBusModel(
  name: string,
  requiresSession: boolean,
  { lockDurationSeconds = 30, maxDeliveryCount = 10 }: ServiceBusOptions,
): BrokerModel<ServiceBusClient> {
  if (!(lockDurationSeconds > 0 && lockDurationSeconds <= LOCK_SECONDS_MAX)) {
    throw new RangeError(
      `Cannot lock messages for ${lockDurationSeconds} s: at most ${LOCK_SECONDS_MAX}`,
    );
  }
  const options = { lockMs: lockDurationSeconds * 1_000, maxDeliveryCount, requiresSession };
  return {
    name,
    scope: "record",
    isOrdered: requiresSession,
    redeliveryMs: options.lockMs,
    start: (world, host) => new ServiceBusBroker(world, host, options),
  };
}

class ServiceBusBroker implements Broker<ServiceBusClient> {
  readonly disturbances: Broker<ServiceBusClient>["disturbances"];
  readonly #host: string;
  readonly #queue: ServiceBusQueue;
  readonly #rival: LeaseRival;
  #clients = 0;

  constructor(world: World, host: string, options: ServiceBusQueueOptions) {
    this.#host = host;
    this.#queue = new ServiceBusQueue(world, host, options);
    this.#rival = new LeaseRival(world, host, this.#queue.leases);
    const moves = { name: "service moves the queue", strike: () => this.#queue.loseLocks() };
    const rival = { name: "rival takes what is there", strike: () => this.#rival.take() };
    this.disturbances = options.requiresSession ? [moves] : [moves, rival];
  }

  connect(wire: Wire): BrokerLink<ServiceBusClient> {
    this.#clients += 1;
    const consumer = `${wire.name}/${this.#clients}`;
    const client = new ServiceBusClient(
      new ServiceBusLink(wire, this.#host, this.#queue, consumer),
    );
    return { client, open: () => client.held() };
  }

  publish(publication: Publication): void {
    this.#queue.leases.publish(publication);
  }

  owed(): readonly string[] {
    return this.#queue.leases.owed();
  }

  calmDown(): void {
    this.#rival.leave();
  }
}
