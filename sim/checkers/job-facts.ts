import type { TraceEvent } from "../trace.ts";
import { names } from "./job-names.ts";

/** A job of the outside system, as its own trace tells it. */
export interface JobFact {
  readonly job: number;
  /** What the system calls it. */
  readonly id: string;
  readonly task: string;
  /** The attempt that submitted it; 0: unknown. */
  readonly attempt: number;
  state: "live" | "success" | "failure" | "lost" | "cancelled";
  /** Whether its id ever was in the store, and whether it is now. */
  wasRecorded: boolean;
  isRecorded: boolean;
  /** Whether somebody took its id out of the store; an expiry is nobody's doing. */
  isCleared: boolean;
  /** Whether the system itself knows it no more. */
  isForgotten: boolean;
  /** Attempts that asked for its status, and those that asked to cancel it. */
  readonly askedBy: Set<number>;
  readonly cancelledBy: Set<number>;
}

/** What is known of the outside jobs of a run. */
export class JobFacts {
  readonly jobs: Map<number, JobFact> = new Map();
  readonly #byTask = new Map<string, JobFact[]>();
  readonly #recordedUnder = new Map<JobFact, Set<string>>();
  /** The attempt whose call the job system is answering. */
  caller = 0;

  of(task: string): readonly JobFact[] {
    return this.#byTask.get(task) ?? [];
  }

  apply(event: TraceEvent, taskOfScope: ReadonlyMap<string, string>): void {
    switch (event.kind) {
      case "job-call":
        this.caller = event.attempt;
        break;
      case "job-accepted":
        this.#accept(event);
        break;
      case "job-finished":
        this.#end(event.job, event.outcome);
        break;
      case "job-cancelled":
        this.#end(event.job, "cancelled");
        break;
      case "job-forgotten":
        this.#forgotten(event.job);
        break;
      case "job-status":
        this.jobs.get(event.job)?.askedBy.add(this.caller);
        break;
      case "job-cancel-asked":
        this.jobs.get(event.job)?.cancelledBy.add(this.caller);
        break;
      case "state-set":
        this.#record(taskOfScope.get(event.scope), event.key, event.value);
        break;
      case "state-swept":
        this.#forget(taskOfScope.get(event.scope), event.key);
        break;
      case "state-deleted":
        this.#clear(taskOfScope.get(event.scope), event.key);
        break;
      case "state-cleared":
        for (const scope of event.emptied) this.#clear(taskOfScope.get(scope), undefined);
        break;
      default:
    }
  }

  #accept({ job, id, task }: Extract<TraceEvent, { kind: "job-accepted" }>): void {
    const fact: JobFact = {
      job,
      id,
      task,
      attempt: this.caller,
      state: "live",
      wasRecorded: false,
      isRecorded: false,
      isCleared: false,
      isForgotten: false,
      askedBy: new Set(),
      cancelledBy: new Set(),
    };
    this.jobs.set(job, fact);
    const jobs = this.#byTask.get(task) ?? [];
    jobs.push(fact);
    this.#byTask.set(task, jobs);
  }

  #end(job: number, state: "success" | "failure" | "lost" | "cancelled"): void {
    const fact = this.jobs.get(job);
    if (fact !== undefined) fact.state = state;
  }

  #forgotten(job: number): void {
    const fact = this.jobs.get(job);
    if (fact !== undefined) fact.isForgotten = true;
  }

  /** A key names the newest job of this id; whatever it named before, it names no more. */
  #record(task: string | undefined, key: string, value: string): void {
    if (task === undefined) return;
    this.#forget(task, key);
    const job = this.of(task).findLast((one) => names(value, one));
    if (job === undefined) return;
    const keys = this.#recordedUnder.get(job) ?? new Set<string>();
    this.#recordedUnder.set(job, keys.add(key));
    job.wasRecorded = true;
    job.isRecorded = true;
  }

  #clear(task: string | undefined, key: string | undefined): void {
    if (task === undefined) return;
    const recorded = this.of(task).filter((job) => job.isRecorded);
    this.#forget(task, key);
    for (const job of recorded) job.isCleared = !job.isRecorded;
  }

  #forget(task: string | undefined, key: string | undefined): void {
    if (task === undefined) return;
    for (const job of this.of(task)) {
      const keys = this.#recordedUnder.get(job);
      if (key === undefined) keys?.clear();
      else keys?.delete(key);
      job.isRecorded = keys !== undefined && keys.size > 0;
    }
  }
}
