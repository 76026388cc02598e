import { factoryFrom, type SubjectModule } from "../subject-module.ts";
import type { OperatorScenario } from "./operator-scenario.ts";
import { type CreateJob, OperatorUnderTest } from "./operator-under-test.ts";

/** How a scenario of the operator world names the operator, and what its module exports. */
export const operatorSubject: SubjectModule<OperatorScenario> = {
  noun: "operator",
  pathIn: ({ operator }) => operator,
  withPath: (scenario, operator) => ({ ...scenario, operator }),
  partsFrom: (module) => ({
    operator: new OperatorUnderTest(factoryFrom(module, "createJob", "client") as CreateJob),
  }),
};
