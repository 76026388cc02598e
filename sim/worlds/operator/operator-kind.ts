import { createTaskCheckers, TASK_CHECKER_IDS } from "../../checkers/mod.ts";
import { OPERATOR_MARKS, OperatorMarks } from "../../checkers/task/operator-marks.ts";
import { operatorStory } from "../../story/operator-story.ts";
import { runTaskCheckers } from "../run-task-checkers.ts";
import { actsIn, type WorldKind } from "../world-kind.ts";
import { calmOperatorScenario, drawOperatorScenario } from "./draw-operator.ts";
import { operatorSubject } from "./operator-subject.ts";
import { presetSubject } from "./preset-subject.ts";
import { operatorMakeup } from "./operator-makeup.ts";
import { operatorProblems } from "./operator-problems.ts";
import type { OperatorScenario } from "./operator-scenario.ts";
import { buildOperatorWorld } from "./operator-world.ts";
import { idFormsIn } from "./id-forms.ts";
import { idRetentionIn } from "./id-retention.ts";
import { RUN_DEFAULT, runKey } from "./operator-task.ts";
import { usesIn } from "./uses-in.ts";

/**
 * What an operator owes. That it submits beside a recorded job is a matter of R-I3 to R-I5, which
 * come first and say more than R-I1. The rest of a task's promises is up to the parts of the kit.
 */
export const OPERATOR_PROMISES: readonly string[] = [
  "R-I3",
  "R-I4",
  "R-I5",
  "R-I1",
  "R-I2",
  "R-I6",
  "R-I14",
  "R-deferred",
  "R-I19",
  "R-I20",
  "R-kept",
  "R-verdict",
  "R-durable",
  "R-uses",
  "R-recovers",
  "R-settled",
  "uncaught",
  "hot-loop",
];

/** One task whose operator is a user's, a state store and an outside job system. */
export const operatorKind: WorldKind<OperatorScenario> = {
  build: (world, scenario, { operator = presetSubject(scenario.system.system) }) =>
    buildOperatorWorld(world, scenario, operator),
  draw: drawOperatorScenario,
  problems: operatorProblems,
  acts: ({ operations }) => actsIn("operations", operations),
  checkers: TASK_CHECKER_IDS,
  isOwed: (_, checker) => OPERATOR_PROMISES.includes(checker),
  judge: ({ expect }, sometimes) => {
    const checkers = createTaskCheckers({ operatorsOf: "user" })
      .filter(({ id }) =>
        (expect.checkers === "all" ? OPERATOR_PROMISES : expect.checkers).includes(id),
      )
      .toSorted((one, other) => placeOf(one) - placeOf(other));
    return runTaskCheckers(checkers, new OperatorMarks(sometimes));
  },
  reference: {
    scenario: ({ name, runId, system: { system }, operations }, { operator }) => {
      const others = operations.flatMap((one) => ("otherRun" in one ? [one.otherRun] : []));
      const unknown = [runId ?? RUN_DEFAULT, ...others].find(
        (run) => operator?.calmResults.has(runKey(system, run)) === false,
      );
      if (unknown === undefined) return undefined;
      return { ...calmOperatorScenario(system), name, runId: unknown };
    },
    note: ({ runId, system: { system } }, trace, { operator }) => {
      const end = trace.find((event) => event.kind === "task-state" && event.state === "success");
      const result = end?.kind === "task-state" ? end.result : undefined;
      operator?.calmResults.set(runKey(system, runId), result);
      if (operator === undefined) return;
      const forms = idFormsIn(trace);
      if (forms !== undefined) operator.calmForms.set(system, forms);
      operator.calmUses.set(system, usesIn(trace, forms));
      operator.idRetentionMs = idRetentionIn(trace, forms);
    },
  },
  story: operatorStory,
  marks: OPERATOR_MARKS,
  // What the system keeps of a job may be kept for less than a stall.
  mayStall: () => false,
  makeup: operatorMakeup,
  subject: operatorSubject,
  hasJobs: true,
};

function placeOf({ id }: { readonly id: string }): number {
  return OPERATOR_PROMISES.indexOf(id);
}
