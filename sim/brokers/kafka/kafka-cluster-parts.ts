import type { ClientParts } from "./kafka-consumer.ts";
import type { ProduceTarget } from "./kafka-producer.ts";

/** What a client is made of besides `ClientParts`. */
export interface ClusterParts extends ClientParts {
  /** Names the next consumer. */
  readonly nextName: () => string;
  readonly target: ProduceTarget;
  /** Notes a part that has to be closed. */
  readonly opened: <Part extends { readonly isOpen: boolean }>(name: string, part: Part) => Part;
}
