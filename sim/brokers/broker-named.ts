import type { BrokerModel } from "./broker.ts";
import { brokers } from "./brokers.ts";

const KINDS = Object.entries(brokers) as (readonly [string, () => BrokerModel<unknown>])[];

/** The names of the broker models, "sqs-fifo", as the command line and the playground take them. */
export const BROKER_NAMES: readonly string[] = KINDS.map(([, kind]) => kind().name);

/** Returns a model by its name or the name of what creates it, "sqsFifo"; undefined for another. */
export function brokerNamed(name: string): BrokerModel<unknown> | undefined {
  for (const [key, kind] of KINDS) {
    const model = kind();
    if (key === name || model.name === name) return model;
  }
  return undefined;
}
