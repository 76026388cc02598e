import type { World } from "../../world.ts";
import type { Broker, BrokerLink, BrokerModel, Publication, Wire } from "../broker.ts";
import { LeaseRival } from "../lease-rival.ts";
import { SqsClient, sqsLink } from "./sqs-client.ts";
import { SqsQueue, type SqsQueueOptions } from "./sqs-queue.ts";

export interface SqsOptions {
  /** The queue's own; a receive may ask for another. Default 30, as at Amazon's. */
  readonly visibilityTimeoutSeconds?: number;
  /** Redrive policy: after so many receives without a delete the queue dead-letters by itself. */
  readonly maxReceiveCount?: number;
  /** How long a message may be kept in flight by renewing; default 43,200 (12 hours). */
  readonly inFlightSecondsMax?: number;
}

/** A standard queue: unordered, at least once. */
export function sqs(options: SqsOptions = {}): BrokerModel<SqsClient> {
  return sqsModel("sqs", false, options);
}

/** A FIFO queue: the records of one key are one message group. */
export function sqsFifo(options: SqsOptions = {}): BrokerModel<SqsClient> {
  return sqsModel("sqs-fifo", true, options);
}

function sqsModel(name: string, isFifo: boolean, options: SqsOptions): BrokerModel<SqsClient> {
  const queueOptions: SqsQueueOptions = {
    isFifo,
    visibilityTimeoutSeconds: options.visibilityTimeoutSeconds ?? 30,
    maxReceiveCount: options.maxReceiveCount,
    inFlightSecondsMax: options.inFlightSecondsMax ?? 43_200,
  };
  return {
    name,
    scope: "record",
    isOrdered: isFifo,
    redeliveryMs: queueOptions.visibilityTimeoutSeconds * 1_000,
    start: (world, host) => new SqsBroker(world, host, queueOptions),
  };
}

/** How many entries of the next batches a disturbance refuses. */
const ENTRIES_TO_REFUSE = 2;

class SqsBroker implements Broker<SqsClient> {
  readonly disturbances: Broker<SqsClient>["disturbances"];
  readonly #host: string;
  readonly #queue: SqsQueue;
  readonly #rival: LeaseRival;
  #clients = 0;

  constructor(world: World, host: string, options: SqsQueueOptions) {
    this.#host = host;
    this.#queue = new SqsQueue(world, host, options);
    this.#rival = new LeaseRival(world, host, this.#queue.leases);
    this.disturbances = [
      {
        name: "refuse entries of a batch",
        strike: () => {
          this.#queue.entriesToRefuse += ENTRIES_TO_REFUSE;
        },
      },
      {
        name: "operator makes visible what is in flight",
        strike: () => this.#queue.leases.interrupt(() => this.#queue.leases.giveBackAll()),
      },
      { name: "rival takes what is visible", strike: () => this.#rival.take() },
      { name: "other queues refuse what is sent", strike: () => this.#queue.refusal.begin() },
    ];
  }

  connect(wire: Wire): BrokerLink<SqsClient> {
    this.#clients += 1;
    const consumer = `${wire.name}/${this.#clients}`;
    return sqsLink(new SqsClient(wire, this.#host, this.#queue, consumer));
  }

  publish(publication: Publication): void {
    this.#queue.leases.publish(publication);
  }

  owed(): readonly string[] {
    return this.#queue.leases.owed();
  }

  calmDown(): void {
    this.#queue.entriesToRefuse = 0;
    this.#queue.refusal.end();
    this.#rival.leave();
  }
}
