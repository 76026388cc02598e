import * as fc from "fast-check";
import { expect, test } from "vitest";
import { inAirflow } from "./airflow.ts";
import {
  type ObservedAttempt,
  observeOurs,
  type PlannedAttempt,
  plannedJob,
} from "./resumable-job.ts";

/** SEQUENCES in the environment is how many cases, SEED which. */
const numRuns = Number(process.env["SEQUENCES"] ?? 2_000);
const seed = Number(process.env["SEED"] ?? 1);

/**
 * What is ours on purpose, as the docs of src/resumable say: a reconnection returns the job's
 * result (Q2), an id that is missing (B5) or cannot be stored is logged, and the span has the id as
 * JSON.
 */
function asOurs(airflow: ObservedAttempt, { submit, result, raises }: PlannedAttempt) {
  const { calls, logged, span, ended } = airflow;
  const name = "resumable.external_id";
  const id = calls.find(([method]) => method === "status")?.[1];
  const ours = {
    ...airflow,
    span: {
      ...span,
      ...(name in span ? { [name]: typeof id === "string" ? id : JSON.stringify(id) } : {}),
    },
  };
  const decision = span["resumable.decision"];
  const [lastCall] = calls.at(-1) ?? [];
  if (decision === "reconnect" && ended[0] === "returned") {
    const resultOf = calls.at(-1)?.slice(1) ?? [];
    return {
      ...ours,
      calls: [...calls, ["result", ...resultOf]],
      ended: raises.includes("result") ? ["raised", "result"] : ["returned", result],
    };
  }
  if (lastCall === "set" && ended[0] === "raised") return { ...ours, logged: [...logged, "error"] };
  const isSubmitted = calls.some(([method]) => method === "submit") && !raises.includes("submit");
  const mayStore = decision !== undefined && decision !== "no_task_state_store";
  if (mayStore && isSubmitted && submit === null) return { ...ours, logged: [...logged, "warn"] };
  return ours;
}

test(
  `${numRuns} cases are the same in Airflow's mixin, but for what is ours on purpose`,
  { timeout: 600_000 },
  async (context) => {
    const jobs = fc.sample(plannedJob, { numRuns, seed });
    const airflow = inAirflow(context, "resumable_job_cases.py", jobs);
    for (const [at, job] of jobs.entries()) {
      const expected = (airflow[at] as readonly ObservedAttempt[]).map((attempt, n) =>
        asOurs(attempt, job.attempts[n] as PlannedAttempt),
      );
      // With the case, so that a failure shows it.
      expect({ job, attempts: await observeOurs(job) }).toEqual({ job, attempts: expected });
    }
  },
);
