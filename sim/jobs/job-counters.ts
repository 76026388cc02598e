import type { TraceEvent } from "../trace.ts";

type EventOf<Kind extends TraceEvent["kind"]> = Extract<TraceEvent, { kind: Kind }>;

/** One job, as the outside system told of it. */
export interface JobFact {
  readonly job: number;
  readonly id: string;
  readonly task: string;
  readonly key: string;
  readonly acceptedAt: number;
  isLive: boolean;
  isKnown: boolean;
  /** Undefined while it lives. */
  outcome: "success" | "failure" | "lost" | "cancelled" | undefined;
  endedAt: number | undefined;
  /** Who asked for its end. */
  readonly cancelAskedBy: string[];
  polls: number;
  fetches: number;
}

/**
 * What became of the jobs of a run, from its trace alone.
 *
 * Source: spec, task state store and resumable jobs, G.4
 */
export class JobCounters {
  accepted = 0;
  rejected = 0;
  deduplicated = 0;
  /** Jobs whose cancel was asked for by the task that they were submitted for. */
  cancelledByUs = 0;
  /** Looks at a job that was submitted for another task. */
  polledWrongJob = 0;
  resultFetches = 0;
  readonly jobs: Map<number, JobFact> = new Map();
  readonly #jobsOf = new Map<string, JobFact[]>();
  /** The JSON texts in the state store, by scope and key. */
  readonly #stored = new Map<string, Map<string, string>>();
  /** Running attempts, by the process that runs them. */
  readonly #running = new Map<string, string>();

  static from(events: readonly TraceEvent[]): JobCounters {
    const counters = new JobCounters();
    for (const event of events) counters.apply(event);
    return counters;
  }

  get liveAtEnd(): readonly JobFact[] {
    return [...this.jobs.values()].filter(({ isLive }) => isLive);
  }

  /** Live jobs that no store entry names and no attempt of their task is running for. */
  get orphaned(): readonly JobFact[] {
    const named = new Set<string>();
    for (const keys of this.#stored.values()) for (const text of keys.values()) named.add(text);
    const served = new Set(this.#running.values());
    return this.liveAtEnd.filter(({ id, task }) => !named.has(id) && !served.has(task));
  }

  /** In order of acceptance. */
  jobsOf(task: string): readonly JobFact[] {
    return this.#jobsOf.get(task) ?? [];
  }

  /** Jobs beyond the first of a task. */
  duplicatesOf(task: string): number {
    return Math.max(0, this.jobsOf(task).length - 1);
  }

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
        this.#change(event.job, (fact) => (fact.isKnown = false));
        break;
      case "job-status":
        this.#poll(event);
        break;
      case "job-result":
        this.resultFetches += 1;
        this.#change(event.job, (fact) => (fact.fetches += 1));
        break;
      default:
        this.#applyTasks(event);
    }
  }

  #accept({ job, id, task, key, at: acceptedAt }: EventOf<"job-accepted">): void {
    this.accepted += 1;
    const fact: JobFact = {
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
    this.jobs.set(job, fact);
    this.#jobsOf.set(task, [...this.jobsOf(task), fact]);
  }

  #end(job: number, outcome: Exclude<JobFact["outcome"], undefined>, at: number): void {
    this.#change(job, (fact) => {
      fact.isLive = false;
      fact.outcome = outcome;
      fact.endedAt = at;
    });
  }

  #askCancel({ job, by }: EventOf<"job-cancel-asked">): void {
    this.#change(job, (fact) => {
      if (by === fact.task && !fact.cancelAskedBy.includes(by)) this.cancelledByUs += 1;
      fact.cancelAskedBy.push(by);
    });
  }

  #poll({ job, by }: EventOf<"job-status">): void {
    this.#change(job, (fact) => {
      fact.polls += 1;
      if (fact.task !== by) this.polledWrongJob += 1;
    });
  }

  #change(job: number, change: (fact: JobFact) => void): void {
    const fact = this.jobs.get(job);
    if (fact !== undefined) change(fact);
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

/** A stored JSON text as the system writes its ids: text without its quotes. */
function plainText(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? value : JSON.stringify(value);
}
