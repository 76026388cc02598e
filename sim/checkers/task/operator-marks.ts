import type { TraceEvent } from "../../trace/trace.ts";

/** What should happen now and then while an operator is checked; a search lists what never did. */
export const OPERATOR_MARKS = [
  "an attempt was killed",
  "an attempt was lost",
  "a job was submitted again",
  "the task went on with a job of an earlier attempt",
  "the job had succeeded when the next attempt looked",
  "a job was not found",
  "a submit was refused",
] as const;

type OperatorMark = (typeof OPERATOR_MARKS)[number];

/** Notes which marks a run of an operator reached, from the trace. */
export class OperatorMarks {
  readonly #sometimes: (mark: OperatorMark) => void;

  constructor(sometimes: (mark: OperatorMark) => void) {
    this.#sometimes = sometimes;
  }

  observe(event: TraceEvent): void {
    switch (event.kind) {
      case "kill":
        this.#sometimes("an attempt was killed");
        break;
      case "host":
        if (event.state === "crash") this.#sometimes("an attempt was lost");
        break;
      case "resume-decided":
        this.#observeDecision(event.decision);
        break;
      case "job-status":
        if (event.status === "") this.#sometimes("a job was not found");
        break;
      case "job-rejected":
        this.#sometimes("a submit was refused");
        break;
      default:
        break;
    }
  }

  #observeDecision(decision: string): void {
    if (decision === "terminal_resubmit") this.#sometimes("a job was submitted again");
    if (decision === "already_succeeded") {
      this.#sometimes("the job had succeeded when the next attempt looked");
    }
    if (decision === "reconnect") {
      this.#sometimes("the task went on with a job of an earlier attempt");
    }
  }
}
