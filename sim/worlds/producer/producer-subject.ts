import { factoryFrom, type SubjectModule } from "../subject-module.ts";
import type { ProducerScenario } from "./producer-scenario.ts";
import type { CreateProducer } from "./producer-under-test.ts";

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
  partsFrom: (module) => ({ producer: { createProducer: createProducerFrom(module) } }),
};
