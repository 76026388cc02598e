import type { World } from "../kernel/world.ts";
import type { BrokerLink, BrokerModel, ClientPort, Disturbance, Publication } from "./broker.ts";

/** What is particular to one kind of broker; {@linkcode brokerModel} does the rest. */
export interface BrokerParts<Client> {
  /** The records that the workload publishes: a leased queue, or what puts them into a log. */
  readonly records: {
    /** Adds a record of the workload. */
    publish(publication: Publication): void;
    /** Returns the records that are neither settled, dead-lettered nor expired. */
    owed(): readonly string[];
  };
  /** The faults that only this kind of broker has. */
  readonly disturbances: readonly Disturbance[];
  /** Creates the client of one producer; `number` counts the clients from 1. */
  connect(port: ClientPort, number: number): BrokerLink<Client>;
}

/**
 * Returns a broker model whose parts are created for each world.
 *
 * Shape: `named.name` appears in reports; `named.leaseMs` says how long a delivery is leased, where
 * its consumer has to renew it. Export the model as `broker` from the module of your producer, and
 * `faultlane check` runs the producer on it.
 * Units: `leaseMs` in virtual milliseconds.
 *
 * @example
 * ```ts
 * import { brokerModel, LeasedQueue } from "faultlane/brokers";
 *
 * const options = { order: "none", deliveriesMax: 5 } as const;
 * const broker = brokerModel({ name: "jobs" }, (world, host) => {
 *   const queue = new LeasedQueue(world, host, options);
 *   return {
 *     records: queue,
 *     disturbances: [],
 *     connect: (port) => ({ client: { queue, port }, open: () => [] }),
 *   };
 * });
 * console.log(broker.name); // => jobs
 * ```
 */
export function brokerModel<Client>(
  named: Omit<BrokerModel<Client>, "start">,
  createParts: (world: World, host: string) => BrokerParts<Client>,
): BrokerModel<Client> {
  return {
    ...named,
    start(world, host) {
      const parts = createParts(world, host);
      const { records, disturbances } = parts;
      let clients = 0;
      return {
        disturbances,
        publish: (publication) => records.publish(publication),
        owed: () => records.owed(),
        connect(port) {
          clients += 1;
          return parts.connect(port, clients);
        },
        calmDown() {
          for (const disturbance of disturbances) disturbance.end?.();
        },
      };
    },
  };
}
