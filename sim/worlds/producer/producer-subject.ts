import { factoryFrom, type SubjectModule } from "../subject-module.ts";
import type { ProducerScenario } from "./producer-scenario.ts";
import { ownBrokerFrom } from "./own-broker.ts";
import type { CreateProducer, ProducerUnderTest } from "./producer-under-test.ts";

/**
 * Takes `createProducer` from a module: by that name, as its default export, or as a member of that.
 *
 * @throws {TypeError} when there is none, or a class instead of it
 */
export function createProducerFrom(
  module: Readonly<Record<string, unknown>>,
): CreateProducer<never> {
  return factoryFrom(module, "createProducer", "{ client }") as CreateProducer<never>;
}

/** The producer that a scenario names under `producer`. */
export const producerSubject: SubjectModule<ProducerScenario> = {
  noun: "producer",
  pathIn: ({ producer }) => producer,
  withPath: (scenario, producer) => ({ ...scenario, producer }),
  partsFrom: (module, scenario) => ({
    producer: { createProducer: createProducerFrom(module), ...ownPartsFrom(module, scenario) },
  }),
};

/** @throws {TypeError} when the scenario runs on a model that the module does not export */
function ownPartsFrom(
  module: Readonly<Record<string, unknown>>,
  { broker: spec }: ProducerScenario,
): Pick<ProducerUnderTest, "broker"> {
  if (!("own" in spec)) return {};
  const { name } = spec.own;
  const broker = ownBrokerFrom(module);
  if (broker === undefined) {
    throw new TypeError(
      `it exports no broker, and its scenario runs on a model "${name}" of yours`,
    );
  }
  if (broker.name !== name) {
    throw new TypeError(`its broker is "${broker.name}", and its scenario runs on "${name}"`);
  }
  return { broker };
}
