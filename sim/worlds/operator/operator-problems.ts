import { STORE_TRANSACTIONS } from "../../faults/site.ts";
import { JOB_SYSTEM_HOST } from "../add-job-system.ts";
import {
  type FaultGround,
  faultProblems,
  HostNames,
  lateProblems,
  type Problem,
  sitesFrom,
} from "../problems.ts";
import { RUN_DEFAULT } from "./operator-task.ts";
import type { OperatorScenario } from "./operator-scenario.ts";

/** Its store stands for API server and database. */
const transactions = STORE_TRANSACTIONS;
const SITES: FaultGround["sites"] = sitesFrom({
  transactions,
  calls: ["job.submit", "job.status", "job.result", "job.cancel"],
  outside: ["api.get-task-state", "api.set-task-state", "api.delete-task-state", "api.xcom"],
});
/** There may be any number of attempts. */
const ATTEMPTS = { attempt: Number.POSITIVE_INFINITY };
const GROUND = {
  hosts: new HostNames([JOB_SYSTEM_HOST], ATTEMPTS),
  ends: new HostNames([JOB_SYSTEM_HOST, "api"], ATTEMPTS),
  sites: SITES,
  transactions,
};

/** Finds what cannot come about in a world of an operator. */
export function* operatorProblems({
  faults,
  operations,
  phases: { safety },
  runId = RUN_DEFAULT,
}: OperatorScenario): Generator<Problem> {
  yield* faultProblems(faults, { ...GROUND, safety }, function* own(fault, path) {
    if ("delayAttempt" in fault && fault.delayAttempt < 2) {
      const words = "expected at least 2: only a later attempt comes after another one";
      yield { path: [...path, "delayAttempt"], words };
    }
  });
  for (const [nth, operation] of operations.entries()) {
    yield* lateProblems(operation.at, ["operations", nth, "at"], safety, "others submit jobs");
    if ("otherRun" in operation && operation.otherRun === runId) {
      const words = `expected another run than ${runId}, which is the task's own`;
      yield { path: ["operations", nth, "otherRun"], words };
    }
  }
}
