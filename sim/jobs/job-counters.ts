import type { TraceEvent } from "../trace/trace.ts";

type EventOf<Kind extends TraceEvent["kind"]> = Extract<TraceEvent, { kind: Kind }>;

/** One job, as the external system has traced it. */
export interface JobRecord {
  /** The simulator's own number of the job, which is never reused. */
  readonly job: number;
  /** The id that the system gave out, as text. */
  readonly id: string;
  /** The logical task key that the job was submitted for. */
  readonly task: string;
  /** The idempotency key or chosen id; empty if there was none. */
  readonly key: string;
  /** In virtual milliseconds. */
  readonly acceptedAt: number;
  /** Whether the job has not ended. */
  isLive: boolean;
  /** Whether the system still knows the job. */
  isKnown: boolean;
  /** Undefined while the job is live. */
  outcome: "success" | "failure" | "lost" | "cancelled" | undefined;
  /** In virtual milliseconds; undefined while the job is live. */
  endedAt: number | undefined;
  /** The logical task keys of those who have requested its cancellation. */
  readonly cancelAskedBy: string[];
  /** How often its status was requested. */
  polls: number;
  /** How often its result was fetched. */
  fetches: number;
}

/**
 * Counts what happened to the jobs of a run, from its trace alone.
 *
 * @example
 * ```ts
 * import { JobCounters } from "faultlane/sim";
 *
 * const accepted = { kind: "job-accepted", job: 1, id: "batch-0", task: "etl.load" } as const;
 * const counters = JobCounters.from([
 *   { at: 0, host: "jobs", ...accepted, key: "", attempt: 1 },
 * ]);
 * console.log(counters.accepted, counters.liveAtEnd.length); // => 1 1
 * ```
 */
export class JobCounters {
  /** Submits that created a job. */
  accepted = 0;
  /** Submits that were refused. */
  rejected = 0;
  /** Submits that got an earlier job instead of a new one. */
  deduplicated = 0;
  /** Jobs whose cancellation was requested by the task that they were submitted for. */
  cancelledByUs = 0;
  /** Status requests for a job that was submitted for another task. */
  polledWrongJob = 0;
  /** Results that were fetched. */
  resultFetches = 0;
  /** All jobs by the simulator's own number. */
  readonly jobs: Map<number, JobRecord> = new Map();
  readonly #jobsOf = new Map<string, JobRecord[]>();
  /** The values in the state store as plain text, by scope and key. */
  readonly #stored = new Map<string, Map<string, string>>();
  /** Running attempts, by the process that runs them. */
  readonly #running = new Map<string, string>();

  /** Counts all events of a trace. */
  static from(events: readonly TraceEvent[]): JobCounters {
    const counters = new JobCounters();
    for (const event of events) counters.apply(event);
    return counters;
  }

  /** The jobs that are still live. */
  get liveAtEnd(): readonly JobRecord[] {
    return [...this.jobs.values()].filter(({ isLive }) => isLive);
  }

  /** Live jobs whose id is not in the store, and whose task has no running attempt. */
  get orphaned(): readonly JobRecord[] {
    const named = new Set<string>();
    for (const keys of this.#stored.values()) for (const text of keys.values()) named.add(text);
    const served = new Set(this.#running.values());
    return this.liveAtEnd.filter(({ id, task }) => !named.has(id) && !served.has(task));
  }

  /** Returns the jobs of a task in the order in which they were accepted. */
  jobsOf(task: string): readonly JobRecord[] {
    return this.#jobsOf.get(task) ?? [];
  }

  /** Returns how many jobs a task has beyond the first. */
  duplicatesOf(task: string): number {
    return Math.max(0, this.jobsOf(task).length - 1);
  }

  /** Counts one event. */
  apply(event: TraceEvent): void {
    switch (event.kind) {
      case "job-accepted":
        this.#accept(event);
        break;
      case "job-rejected":
        this.rejected += 1;
        break;
      case "job-deduplicated":
        this.deduplicated += 1;
        break;
      case "job-finished":
        this.#end(event.job, event.outcome, event.at);
        break;
      case "job-cancelled":
        this.#end(event.job, "cancelled", event.at);
        break;
      case "job-cancel-asked":
        this.#askCancel(event);
        break;
      case "job-forgotten":
        this.#change(event.job, (record) => (record.isKnown = false));
        break;
      case "job-status":
        this.#poll(event);
        break;
      case "job-result":
        this.resultFetches += 1;
        this.#change(event.job, (record) => (record.fetches += 1));
        break;
      default:
        this.#applyTasks(event);
    }
  }

  #accept({ job, id, task, key, at: acceptedAt }: EventOf<"job-accepted">): void {
    this.accepted += 1;
    const record: JobRecord = {
      job,
      id,
      task,
      key,
      acceptedAt,
      isLive: true,
      isKnown: true,
      outcome: undefined,
      endedAt: undefined,
      cancelAskedBy: [],
      polls: 0,
      fetches: 0,
    };
    this.jobs.set(job, record);
    this.#jobsOf.set(task, [...this.jobsOf(task), record]);
  }

  #end(job: number, outcome: Exclude<JobRecord["outcome"], undefined>, at: number): void {
    this.#change(job, (record) => {
      record.isLive = false;
      record.outcome = outcome;
      record.endedAt = at;
    });
  }

  #askCancel({ job, by }: EventOf<"job-cancel-asked">): void {
    this.#change(job, (record) => {
      if (by === record.task && !record.cancelAskedBy.includes(by)) this.cancelledByUs += 1;
      record.cancelAskedBy.push(by);
    });
  }

  #poll({ job, by }: EventOf<"job-status">): void {
    this.#change(job, (record) => {
      record.polls += 1;
      if (record.task !== by) this.polledWrongJob += 1;
    });
  }

  #change(job: number, change: (record: JobRecord) => void): void {
    const record = this.jobs.get(job);
    if (record !== undefined) change(record);
  }

  #applyTasks(event: TraceEvent): void {
    switch (event.kind) {
      case "state-set": {
        const keys = this.#stored.get(event.scope) ?? new Map<string, string>();
        this.#stored.set(event.scope, keys.set(event.key, plainText(event.value)));
        break;
      }
      case "state-deleted":
      case "state-swept":
        this.#stored.get(event.scope)?.delete(event.key);
        break;
      case "state-cleared":
        for (const scope of [event.scope, ...event.emptied]) this.#stored.delete(scope);
        break;
      case "attempt":
        this.#running.set(event.host, event.task);
        break;
      case "attempt-ended":
        this.#running.delete(event.host);
        break;
      case "host":
        if (event.state === "crash" || event.state === "stop") this.#running.delete(event.host);
        break;
      default:
    }
  }
}

/** Converts a stored JSON text to the form in which the trace writes job ids: without quotes. */
function plainText(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? value : JSON.stringify(value);
}
