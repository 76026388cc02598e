import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker } from "../checker.ts";
import type { TaskFacts } from "./task-facts.ts";

/** The triggerer learns of it within seconds; its trigger then asks for the cancellation. */
const HEARD_MS = 30_000;

type EndEvent = Extract<TraceEvent, { kind: "user-cleared" | "user-stopped" }>;

/** The attempt that a trigger asks for: none. */
const TRIGGER = 0;

/**
 * R-deferred: the trigger of a deferred task that a user ends cancels its job.
 *
 * Airflow tells a trigger of it once, if it runs: the job runs on when the triggerer is down, has
 * not taken the trigger yet, or fails meanwhile. Nobody is accused then, nor where the trigger did
 * not find the job, or its system gave it no id.
 */
export function endedDeferrals(): Checker<TaskFacts> {
  const troubles = new Troubles();
  /** The jobs that triggers have found when they looked last; a new one may not be found yet. */
  const found = new Set<number>();
  /** When users ended the tasks whose triggers waited for these jobs. */
  const ended = new Map<number, number>();
  const noteEnd = (event: EndEvent, { tasks, jobs }: TaskFacts): void => {
    if (tasks.get(event.task)?.state !== "deferred" || event.leavesJobs === true) return;
    for (const { job, id, state } of jobs.of(event.task)) {
      // What has no id cannot be named in a cancel.
      if (state === "live" && id !== "" && found.has(job)) ended.set(job, event.at);
    }
  };
  const noteTrouble = (event: TraceEvent): void => troubles.observe(event);
  return {
    id: "R-deferred",
    promise: "a user who ends a deferred task ends its job",
    on: {
      "user-cleared": noteEnd,
      "user-stopped": noteEnd,
      "job-status"({ job, status, attempt }) {
        if (attempt !== TRIGGER) return;
        if (status === "") found.delete(job);
        else found.add(job);
      },
      fault: noteTrouble,
      link: noteTrouble,
      host: noteTrouble,
      attempt: noteTrouble,
      "job-finished"({ job: number, at }, { jobs }, report) {
        const job = jobs.jobs.get(number);
        const endedAt = ended.get(number);
        if (job === undefined || endedAt === undefined || job.cancelledBy.size > 0) return;
        if (at - endedAt < HEARD_MS || troubles.since(endedAt - HEARD_MS)) return;
        report(
          "left-running",
          `a user ended ${job.task} while it was deferred, and its job ${number} ran on`,
          job.task,
        );
      },
    },
  };
}

/** What befalls any host. The process of an attempt that is lost does not come back. */
class Troubles {
  readonly #lasting = new Set<string>();
  readonly #ofAttempts = new Set<string>();
  #lastAt: number | undefined;

  observe(event: TraceEvent): void {
    if (event.kind === "host") this.#applyHost(event);
    else if (event.kind === "link") this.#applyLink(event);
    else if (event.kind === "attempt") this.#ofAttempts.add(event.host);
    else this.#lastAt = event.at;
  }

  /** Whether there has been any since this virtual time, or is one that began earlier. */
  since(at: number): boolean {
    return this.#lasting.size > 0 || (this.#lastAt !== undefined && this.#lastAt >= at);
  }

  #applyHost({ host, state, at }: Extract<TraceEvent, { kind: "host" }>): void {
    if (state === "stop") return;
    const isOver = state === "start" || state === "restart" || state === "resume";
    if (isOver && !this.#lasting.delete(host)) return;
    const isForGood = state === "crash" && this.#ofAttempts.has(host);
    if ((state === "crash" || state === "pause") && !isForGood) this.#lasting.add(host);
    this.#lastAt = at;
  }

  #applyLink({ host, to, state, at }: Extract<TraceEvent, { kind: "link" }>): void {
    const link = JSON.stringify([host, to]);
    if (state === "repaired" || state === "released") this.#lasting.delete(link);
    else this.#lasting.add(link);
    this.#lastAt = at;
  }
}
