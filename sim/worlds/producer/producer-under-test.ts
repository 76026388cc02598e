import type { SharedStreamProducer } from "../../../src/shared-stream/mod.ts";
import type { BrokerModel } from "../../brokers/broker.ts";
import type { DecisionTable } from "../../checkers/producer/record-facts.ts";
import type { Identify } from "./producer-observer.ts";

/** Creates the producer of one group with the client of its broker. */
export type CreateProducer<Client> = (parts: {
  readonly client: Client;
}) => SharedStreamProducer<unknown>;

/** The code under test of a world of a producer. */
export interface ProducerUnderTest {
  /** Creates a producer with the client of the scenario's broker. */
  readonly createProducer: CreateProducer<never>;
  /** A model of your own, instead of the one that the scenario names. */
  readonly broker?: BrokerModel<unknown> | undefined;
  /** Returns the ref of a record; default: finds it in the raw event or the payload. */
  readonly identify?: Identify | undefined;
  /** What the producer owes the broker for each outcome; default: as the scenario says. */
  readonly decide?: DecisionTable | undefined;
}

/**
 * Thrown when the factory under test threw although no fault had struck: nothing can be judged.
 *
 * @example
 * ```ts
 * import { brokers, checkProducer, FactoryThrew } from "faultlane/check";
 *
 * const check = checkProducer({
 *   broker: brokers.kafka(),
 *   createProducer: () => {
 *     throw new Error("No settings");
 *   },
 * });
 * const error = await check.catch((thrown: unknown) => thrown);
 * console.log(error instanceof FactoryThrew); // => true
 * ```
 */
export class FactoryThrew extends Error {
  /** Always "FactoryThrew". */
  override readonly name = "FactoryThrew";
}

/**
 * Thrown when the factory under test returned something that has no `openStream` or no `advance`.
 *
 * @example
 * ```ts
 * import { brokers, checkProducer, NoProducer } from "faultlane/check";
 *
 * const createProducer = () => ({}) as never;
 * const check = checkProducer({ broker: brokers.kafka(), createProducer });
 * const error = await check.catch((thrown: unknown) => thrown);
 * console.log(error instanceof NoProducer); // => true
 * ```
 */
export class NoProducer extends TypeError {
  /** Always "NoProducer". */
  override readonly name = "NoProducer";

  /** Creates the error for what the factory returned. */
  constructor(found: unknown) {
    const isOther = typeof found === "object" && found !== null;
    const other = isOther ? "an object without them" : found === null ? "null" : typeof found;
    const what = found instanceof Promise ? "a promise" : other;
    super(
      `createProducer has to return an object with openStream(signal) and advance(batch), at once; it returned ${what}`,
    );
  }
}
