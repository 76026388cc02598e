import type { BrokerModel } from "../../../sim/brokers/broker.ts";
import { checkProducer, type ProducerSpec } from "../../../sim/check/producer/check-producer.ts";
import type { CheckReport } from "../../../sim/check/producer/check-report.ts";
import type { CounterexampleSize } from "../../../sim/check/producer/counterexample-size.ts";
import { PropertyViolation } from "../../../sim/check/property-violation.ts";

/** A producer with one known bug, by its number in the corpus. */
export interface PlantedBug {
  readonly id: string;
  readonly broker: string;
  /** Any of these names it rightly. */
  readonly guarantees: readonly string[];
  /** How many events its counterexample may have; default 6. */
  readonly eventsMax?: number;
  /** What `checkProducer` finds, with its default settings or a stricter table; undefined when all held. */
  find(): Promise<PropertyViolation<CounterexampleSize> | undefined>;
}

export function planted<Client>(
  id: string,
  guarantees: readonly string[],
  broker: BrokerModel<Client>,
  createProducer: ProducerSpec<Client>["createProducer"],
  /** The table by which it is a bug; default: also by the most lenient one. */
  decide?: ProducerSpec<Client>["decide"],
): PlantedBug {
  return {
    id,
    broker: broker.name,
    guarantees,
    async find() {
      try {
        await checkProducer({ broker, createProducer, decide });
        return undefined;
      } catch (error) {
        if (error instanceof PropertyViolation)
          return error as PropertyViolation<CounterexampleSize>;
        throw error;
      }
    },
  };
}

/** A producer that keeps every promise, on its broker. */
export interface CorrectProducer {
  readonly name: string;
  /** Checks so many runs. */
  check(numRuns: number): Promise<CheckReport>;
}

export function correctOn<Client>(
  name: string,
  broker: BrokerModel<Client>,
  createProducer: ProducerSpec<Client>["createProducer"],
): CorrectProducer {
  return { name, check: (numRuns) => checkProducer({ broker, createProducer, numRuns }) };
}
