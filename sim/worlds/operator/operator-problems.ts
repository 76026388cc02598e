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
}: OperatorScenario): Generator<Problem> {
  yield* faultProblems(faults, { ...GROUND, safety }, function* own(fault, path) {
    if ("delayAttempt" in fault && fault.delayAttempt < 2) {
      const words = "expected at least 2: only a later attempt comes after another one";
      yield { path: [...path, "delayAttempt"], words };
    }
  });
  for (const [nth, { at }] of operations.entries()) {
    yield* lateProblems(at, ["operations", nth, "at"], safety, "others submit jobs");
  }
}
