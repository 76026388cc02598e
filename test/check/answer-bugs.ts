import type { OperatorFault } from "../../sim/worlds/operator/operator-scenario.ts";
import type { JobClient } from "../../sim/jobs/job-client.ts";
import type { JobId } from "../../sim/jobs/job-id.ts";
import { PresetJob, type StoredJobId } from "../../sim/workloads/preset-job.ts";
import { submittingAgain } from "./callee-fault-bugs.ts";
import type { PlantedJobBug } from "./resumable-job-bugs.ts";

/** A client whose answers are all taken to be about the job that was asked for. */
export function believed(client: JobClient, task: string): JobClient {
  return new Proxy(client, {
    get(target, name) {
      if (name === "describe") {
        return async (id: JobId) => ({ ...(await target.describe(id)), id, tag: task });
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** A bug that shows only where the answers of a system are wrong in one way. */
interface AnswerBug extends PlantedJobBug {
  /** What a story tells of it. */
  readonly told: string;
  isShownBy(fault: OperatorFault): boolean;
}

function striking(verdict: string): (fault: OperatorFault) => boolean {
  return (fault) => "verdict" in fault && fault.verdict === verdict;
}

/** Bugs that show only when a system answers about another job, or its answer is damaged. */
export const ANSWER_BUGS: readonly AnswerBug[] = [
  {
    told: "the answer is about another's",
    isShownBy: striking("answer-other"),
    name: "E91 an answer is believed without a look at the id of the job that it is about",
    system: "emr-serverless",
    promises: ["R-I1", "R-I3", "R-I4", "R-I5"],
    break: ({ client, clock, task }) => {
      const job = new PresetJob(believed(client, task), clock, {
        system: "emr-serverless",
        name: task,
      });
      return {
        submitJob: () => job.submitJob(),
        getJobStatus: (id, ctx) => job.getJobStatus(id as StoredJobId, ctx),
        isJobActive: (status) => job.isJobActive(status),
        isJobSucceeded: (status) => job.isJobSucceeded(status),
        pollUntilComplete: (id, ctx) => job.pollUntilComplete(id as StoredJobId, ctx),
        getJobResult: (id, ctx) => job.getJobResult(id as StoredJobId, ctx),
        async onKill(executionContext) {
          if (executionContext?.category !== "infrastructure") await job.cancel();
        },
      };
    },
  },
  {
    told: "the reply is damaged",
    isShownBy: striking("corrupt-reply"),
    name: "E110 a submit whose reply is damaged is made again under a new key",
    system: "emr-serverless",
    promises: ["R-I1"],
    break: submittingAgain((error) => error instanceof Error && error.name === "CorruptReply"),
  },
];
