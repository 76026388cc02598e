import type { TraceEvent } from "../../trace/trace.ts";
import type { JobFact } from "./job-fact.ts";
import { type IdForms, namesAt, PLAIN_IDS } from "./job-names.ts";

/** An attempt that goes on after a checkpoint. */
interface Resumed {
  readonly task: string;
  /** The job's id in the checkpoint. */
  readonly id: string;
  /** Whether it left the job to a trigger. */
  hasDeferred: boolean;
}

/** Which attempts have got the ids of jobs from checkpoints. */
export class Checkpoints {
  /** The job's id in the last checkpoint of each task. */
  readonly #ids = new Map<string, string>();
  readonly #resumed = new Map<number, Resumed>();
  #forms: IdForms = PLAIN_IDS;

  apply(event: TraceEvent): void {
    if (event.kind === "result-expected") this.#forms = event.ids ?? this.#forms;
    if (event.kind === "attempt" && event.start === "resume") {
      const { attempt, task } = event;
      const id = this.#ids.get(task);
      if (id !== undefined) this.#resumed.set(attempt, { task, id, hasDeferred: false });
    } else if (event.kind === "attempt-ended") {
      const { task, attempt, outcome, checkpoint } = event;
      const resumed = this.#resumed.get(attempt);
      if (resumed !== undefined) resumed.hasDeferred = outcome === "deferred";
      if (checkpoint !== undefined) this.#ids.set(task, checkpoint);
    }
  }

  /** The job's id in the checkpoint after which an attempt goes on. */
  idOf(attempt: number): string | undefined {
    return this.#resumed.get(attempt)?.id;
  }

  /** Whether an attempt goes on after a checkpoint that has the id of this job. */
  isNamedTo(attempt: number, job: JobFact): boolean {
    const resumed = this.#resumed.get(attempt);
    if (resumed === undefined || resumed.task !== job.task) return false;
    return namesAt({ value: resumed.id }, job, this.#forms);
  }

  /** The attempts that had this job from a checkpoint, and left it to a trigger. */
  deferredWith(job: JobFact): readonly number[] {
    const numbers = [...this.#resumed.keys()];
    return numbers.filter(
      (number) => this.isNamedTo(number, job) && this.#resumed.get(number)?.hasDeferred === true,
    );
  }
}
