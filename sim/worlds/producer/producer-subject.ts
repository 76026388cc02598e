import type { SubjectModule } from "../subject-module.ts";
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
  const { default: whole } = module;
  const inner = typeof whole === "object" && whole !== null ? whole : {};
  const named: unknown = "createProducer" in inner ? inner.createProducer : undefined;
  const found = [module["createProducer"], named, whole].find((one) => typeof one === "function");
  if (found === undefined) {
    throw new TypeError("it exports no createProducer({ client }), by name or as its default");
  }
  if (/^class\b/.test(Function.prototype.toString.call(found))) {
    throw new TypeError(
      `it exports a class; export a function that makes one: export const createProducer = ({ client }) => new ${found.name || "Producer"}(client)`,
    );
  }
  return found as CreateProducer<never>;
}

/** The producer that a scenario names under `producer`. */
export const producerSubject: SubjectModule<ProducerScenario> = {
  noun: "producer",
  pathIn: ({ producer }) => producer,
  withPath: (scenario, producer) => ({ ...scenario, producer }),
  partsFrom: (module) => ({ producer: { createProducer: createProducerFrom(module) } }),
};
