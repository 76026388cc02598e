import type { ResumeTelemetry } from "../../src/resumable/mod.ts";
import type { TaskServices } from "../hosts/task-process.ts";

/** Tells each `resumable_job.*` count to the trace. */
export function tracedTelemetry({ life, assignment }: TaskServices): ResumeTelemetry {
  const { attempt } = assignment;
  return {
    meter: {
      createCounter: (name) => ({
        add: () => {
          const counter = name.replace("resumable_job.", "");
          life.trace({ kind: "resume-counted", attempt, counter });
        },
      }),
    },
  };
}
