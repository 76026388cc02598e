import type { TraceEvent } from "../../trace/trace.ts";
import type { JobFact } from "./job-fact.ts";
import type { TaskFacts } from "./task-facts.ts";

/**
 * Why a job ran on although no task waited for it.
 *
 * - `stopped-between-attempts`: a user stopped the task while none of its attempts ran, so that
 *   nobody could cancel the job.
 * - `stopped-while-deferred`: the same while its trigger waited, which did not hear of it: the
 *   triggerer was down, or failed meanwhile.
 * - `not-cancelled`: a user stopped the task or its time was up, and the attempt did not cancel the
 *   job, or could not.
 * - `no-try-left`: the task has failed for good, and its last attempt left the job running.
 * - `replaced`: the task has submitted another job, for example because it never learnt of this one.
 */
export type OrphanReason =
  | "stopped-between-attempts"
  | "stopped-while-deferred"
  | "not-cancelled"
  | "no-try-left"
  | "replaced";

/**
 * A job of an outside system that ran on without a task that waited for it.
 *
 * Units: virtual milliseconds.
 */
export interface OrphanedJob {
  /** The number of the job in the trace. */
  readonly job: number;
  /** Its id in the outside system. */
  readonly id: string;
  /** The task instance that submitted it. */
  readonly task: string;
  /** Why it ran on. */
  readonly why: OrphanReason;
  /** From when on no task waited for it. */
  readonly since: number;
  /** How long it ran on, until it ended or the run did. */
  readonly forMs: number;
}

type EventOf<Kind extends TraceEvent["kind"]> = Extract<TraceEvent, { kind: Kind }>;

/** A job that runs without a task that waits for it. */
interface Abandoned {
  readonly since: number;
  readonly why: OrphanReason;
}

/**
 * Collects the jobs that tasks leave running, from the trace.
 *
 * This accuses nobody: AIP-96 and Airflow leave each of these jobs running as well. What must not
 * happen is judged by R-I1 (a second job has its reason), R-I14 (a kill) and R-deferred (a trigger
 * that could have cancelled).
 */
export class OrphanedJobs {
  readonly #abandoned = new Map<number, Abandoned>();
  readonly #stopped = new Map<string, OrphanReason>();
  readonly #found: OrphanedJob[] = [];
  #now = 0;

  /** Observes an event, with the facts as they were before it. */
  observe(event: TraceEvent, facts: TaskFacts): void {
    this.#now = event.at;
    switch (event.kind) {
      case "user-stopped":
        this.#stopped.set(event.task, reasonOfStop(facts.tasks.get(event.task)?.state));
        break;
      case "user-cleared":
        this.#stopped.delete(event.task);
        break;
      case "task-state":
        if (event.state === "failed") this.#abandonAll(event, facts);
        break;
      case "job-accepted":
        if (event.isCopy === true) break;
        for (const job of facts.jobs.beside(event.task, event.attempt)) {
          this.#abandon(job, "replaced");
        }
        break;
      case "job-status":
        // A user has cleared the task, and its next attempt has found the job.
        if (event.attempt > 0 && facts.mayWrite(event.attempt)) this.#abandoned.delete(event.job);
        break;
      case "job-finished":
        this.#end(facts.jobs.jobs.get(event.job));
        break;
      case "job-cancelled":
        this.#abandoned.delete(event.job);
        break;
      default:
    }
  }

  /** Returns the jobs that ran on, in the order in which they ended; those that still run last. */
  list({ jobs }: TaskFacts): readonly OrphanedJob[] {
    const still = jobs.live.flatMap((job) => this.#orphanOf(job) ?? []);
    return [...this.#found, ...still];
  }

  #abandonAll({ task }: EventOf<"task-state">, { jobs, attempts, tasks }: TaskFacts): void {
    const last = tasks.get(task)?.attempts.at(-1)?.attempt ?? 0;
    const isToCancel = (attempts.get(last)?.killed ?? "infrastructure") !== "infrastructure";
    const why = this.#stopped.get(task) ?? (isToCancel ? "not-cancelled" : "no-try-left");
    for (const job of jobs.of(task)) this.#abandon(job, why);
  }

  #abandon({ job, state }: JobFact, why: OrphanReason): void {
    if (state !== "live" || this.#abandoned.has(job)) return;
    this.#abandoned.set(job, { since: this.#now, why });
  }

  #end(job: JobFact | undefined): void {
    const orphan = job === undefined ? undefined : this.#orphanOf(job);
    if (orphan !== undefined && orphan.forMs > 0) this.#found.push(orphan);
  }

  #orphanOf({ job, id, task }: JobFact): OrphanedJob | undefined {
    const abandoned = this.#abandoned.get(job);
    if (abandoned === undefined) return undefined;
    const { since, why } = abandoned;
    return { job, id, task, why, since, forMs: this.#now - since };
  }
}

function reasonOfStop(state: EventOf<"task-state">["state"] | undefined): OrphanReason {
  if (state === "running") return "not-cancelled";
  return state === "deferred" ? "stopped-while-deferred" : "stopped-between-attempts";
}
