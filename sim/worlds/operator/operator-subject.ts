import { factoryFrom, type SubjectModule } from "../subject-module.ts";
import type { OperatorScenario } from "./operator-scenario.ts";
import { type CreateJob, OperatorUnderTest } from "./operator-under-test.ts";

/** How a scenario of the operator world names the operator, and what its module exports. */
export const operatorSubject: SubjectModule<OperatorScenario> = {
  noun: "operator",
  pathIn: ({ operator }) => operator,
  withPath: (scenario, operator) => ({ ...scenario, operator }),
  partsFrom: (module) => ({ operator: new OperatorUnderTest(createJobFrom(module)) }),
};

/**
 * Takes `createJob` from a module: by that name, as its default export, or as a member of that.
 *
 * @throws {TypeError} when there is none, or a class instead of it
 */
export function createJobFrom(module: Readonly<Record<string, unknown>>): CreateJob {
  return factoryFrom(module, "createJob", "client") as CreateJob;
}
