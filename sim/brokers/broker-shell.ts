import type { World } from "../kernel/world.ts";
import type { BrokerLink, BrokerModel, ClientPort, Disturbance, Publication } from "./broker.ts";

/** What is particular to one kind of broker; {@linkcode brokerModel} does the rest. */
export interface BrokerParts<Client> {
  /** The records that the workload publishes. */
  readonly records: {
    publish(publication: Publication): void;
    /** Returns the records that are neither settled, dead-lettered nor expired. */
    owed(): readonly string[];
  };
  readonly disturbances: readonly Disturbance[];
  /** Creates the client of one producer; `number` counts the clients from 1. */
  connect(port: ClientPort, number: number): BrokerLink<Client>;
}

/** Returns a broker model whose parts are created for each world. */
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
