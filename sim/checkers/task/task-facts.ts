import type { TraceEvent } from "../../trace/trace.ts";
import type { Facts } from "../checker.ts";
import { JobFacts } from "./job-facts.ts";
import type { KeptKey } from "./key-history.ts";

/** One attempt of a task instance. */
export interface AttemptFact {
  readonly attempt: number;
  readonly task: string;
  readonly scope: string;
  readonly startedAt: number;
  /** How it ended, if it did: an outcome, or "lost" for a process that died. */
  ended: string | undefined;
  /** The name of the error of a failed attempt; empty for every other end. */
  error: string;
  /** The category of the kill that has reached it. */
  killed: string | undefined;
  /** Whether its triggerer was asked to stop while it was deferred. */
  isTriggererStopped: boolean;
  /**
   * How many acknowledged changes of one key it did not see, because a replica lagged; and how many
   * of its own a fail-over lost.
   */
  missed: number;
}

/** One task instance. */
export interface TaskFact {
  readonly name: string;
  state: Extract<TraceEvent, { kind: "task-state" }>["state"];
  /** The attempt that may write; 0: none. */
  attempt: number;
  readonly attempts: AttemptFact[];
  /** How often a user cleared it. */
  clears: number;
  /** Whether a user has stopped it. */
  isStopped: boolean;
  /** Whether its state went when it succeeded, so that a clear has nothing to keep. */
  isClearedAtSuccess: boolean;
  /** How often each page was loaded since its state was last cleared. */
  readonly pages: Map<number, number>;
  /** Attempts that were begun since its state was last cleared. */
  attemptsSinceClear: number;
}

/** A process that loads rows: how far its target is filled without a gap. */
export interface ProcessFact {
  filledTo: number;
  arrivedTo: number;
  repeats: number;
  /** How often users have rows loaded again: they set the watermark back, or trigger runs. */
  rewinds: number;
  /** The watermark that a user set, and the last attempt before that, until a task sets one. */
  rewound: { readonly to: number; readonly since: number } | undefined;
  readonly tasks: Set<string>;
  readonly attempts: Set<number>;
}

/** What is known of a run with tasks, from its trace alone. */
export class TaskFacts implements Facts {
  restedUntil = 0;
  readonly tasks: Map<string, TaskFact> = new Map();
  readonly attempts: Map<number, AttemptFact> = new Map();
  readonly processes: Map<string, ProcessFact> = new Map();
  readonly jobs: JobFacts = new JobFacts();
  /** What each task that runs a job returns without faults; undefined where that is not known. */
  readonly expectedResults: Map<string, string | undefined> = new Map();
  /** The tasks whose state is to go when they succeed. */
  readonly toClear: Set<string> = new Set();
  readonly #counters = new Map<number, readonly string[]>();
  /** Attempts that have counted nothing since their last resume decision. */
  readonly #decided = new Set<number>();
  readonly #attemptOnHost = new Map<string, number>();

  apply(event: TraceEvent): void {
    this.jobs.apply(event);
    switch (event.kind) {
      case "task-state":
        this.#applyTaskState(event);
        break;
      case "attempt":
        this.#applyAttempt(event);
        break;
      case "attempt-ended":
        this.#end(event.attempt, event.outcome, event.error);
        // It has noted what it has done.
        if (event.outcome === "rescheduled") this.taskOf(event.task).attemptsSinceClear -= 1;
        this.#attemptOnHost.delete(event.host);
        break;
      case "host":
        this.#applyHost(event);
        break;
      case "kill":
        this.#applyKill(event);
        break;
      case "user-cleared":
        this.#applyUserCleared(event);
        break;
      case "user-stopped":
        this.taskOf(event.task).isStopped = true;
        break;
      case "state-cleared":
        if (event.why === "success") this.#applyClearAtSuccess(event.scope);
        break;
      case "clear-asked":
        this.toClear.add(event.task);
        break;
      case "result-expected":
        this.expectedResults.set(event.task, event.result === "" ? undefined : event.result);
        break;
      case "resume-counted":
        this.#counters.set(event.attempt, [...this.countersBefore(event.attempt), event.counter]);
        this.#decided.delete(event.attempt);
        break;
      case "resume-decided":
        // An operator with one use of the mixin counts one decision an attempt.
        if (this.jobs.useOf(event.attempt) !== "") this.#decided.add(event.attempt);
        break;
      case "state-set":
        this.#applyMark(event);
        break;
      case "commits-lost":
        this.#applyLost();
        break;
      case "state-got": {
        const fact = this.attempts.get(event.attempt);
        const missed = this.jobs.keys.missedBy(event);
        if (fact !== undefined) fact.missed = Math.max(fact.missed, missed);
        break;
      }
      default:
        this.#applyLoad(event);
    }
  }

  #applyLoad(event: TraceEvent): void {
    switch (event.kind) {
      case "page-loaded": {
        const { pages } = this.taskOf(event.task);
        pages.set(event.page, (pages.get(event.page) ?? 0) + 1);
        break;
      }
      case "rows-loaded":
        this.#applyRows(event);
        break;
      case "run-triggered":
        // (1) Its user wants the rows of its interval loaded again. (2) A scheduled run that has
        // read the watermark before it is raised loads them as well.
        this.processOf(event.process).rewinds += 2;
        break;
      case "user-rewound":
        this.#applyRewound(event);
        break;
      case "rows-arrived":
        this.processOf(event.process).arrivedTo = event.to;
        break;
      default:
    }
  }

  /** The task instance that a scope of the store belongs to. */
  get taskOfScope(): ReadonlyMap<string, string> {
    return this.jobs.taskOfScope;
  }

  kept(scope: string, key: string): KeptKey | undefined {
    return this.jobs.keys.kept(scope, key);
  }

  /** Whether the database still takes writes of this attempt. */
  mayWrite(attempt: number): boolean {
    const fact = this.attempts.get(attempt);
    return fact === undefined || this.tasks.get(fact.task)?.attempt === attempt;
  }

  /** What an attempt has counted of the decision that it is about to make, in order. */
  countersBefore(attempt: number): readonly string[] {
    return this.#decided.has(attempt) ? [] : this.countersOf(attempt);
  }

  /** What an attempt counted of its last decision, in order. */
  countersOf(attempt: number): readonly string[] {
    return this.#counters.get(attempt) ?? [];
  }

  taskOf(name: string): TaskFact {
    const known = this.tasks.get(name);
    if (known !== undefined) return known;
    const task: TaskFact = {
      name,
      state: "scheduled",
      attempt: 0,
      attempts: [],
      clears: 0,
      isStopped: false,
      isClearedAtSuccess: false,
      pages: new Map(),
      attemptsSinceClear: 0,
    };
    this.tasks.set(name, task);
    return task;
  }

  attemptOf(attempt: number): AttemptFact {
    return this.attempts.get(attempt) as AttemptFact;
  }

  processOf(name: string): ProcessFact {
    const known = this.processes.get(name);
    if (known !== undefined) return known;
    const fact: ProcessFact = {
      filledTo: 0,
      arrivedTo: 0,
      repeats: 0,
      rewinds: 0,
      rewound: undefined,
      tasks: new Set(),
      attempts: new Set(),
    };
    this.processes.set(name, fact);
    return fact;
  }

  #applyKill({ attempt, category }: Extract<TraceEvent, { kind: "kill" }>): void {
    if (!this.attempts.has(attempt)) return;
    const fact = this.attemptOf(attempt);
    if (fact.ended === "deferred") fact.isTriggererStopped = true;
    else fact.killed = category;
  }

  #applyTaskState({ task: name, state, attempt }: Extract<TraceEvent, { kind: "task-state" }>) {
    const task = this.taskOf(name);
    task.state = state;
    task.attempt = attempt;
  }

  #applyAttempt(event: Extract<TraceEvent, { kind: "attempt" }>): void {
    const { attempt, task: name, scope, at: startedAt, host } = event;
    const task = this.taskOf(name);
    const fact: AttemptFact = {
      attempt,
      task: name,
      scope,
      startedAt,
      ended: undefined,
      error: "",
      killed: undefined,
      isTriggererStopped: false,
      missed: 0,
    };
    task.attempts.push(fact);
    task.attemptsSinceClear += 1;
    this.attempts.set(attempt, fact);
    this.#attemptOnHost.set(host, attempt);
  }

  #applyHost({ host, state }: Extract<TraceEvent, { kind: "host" }>): void {
    if (state !== "crash" && state !== "stop") return;
    const attempt = this.#attemptOnHost.get(host);
    this.#attemptOnHost.delete(host);
    if (attempt !== undefined) this.#end(attempt, "lost", "");
  }

  #end(attempt: number, how: string, error: string): void {
    const fact = this.attempts.get(attempt);
    if (fact === undefined || fact.ended !== undefined) return;
    fact.ended = how;
    fact.error = error;
  }

  #applyUserCleared({ task: name, keepState }: Extract<TraceEvent, { kind: "user-cleared" }>) {
    const task = this.taskOf(name);
    task.clears += 1;
    if (keepState && !task.isClearedAtSuccess) return;
    task.isClearedAtSuccess = false;
    task.pages.clear();
    // (1) A user clears a task that runs. (2) Its attempt hears of it with its next heartbeat or
    // write. (3) Until then it may load one page more, which the new attempt loads again.
    task.attemptsSinceClear = task.attempts.filter(({ ended }) => ended === undefined).length;
  }

  /** An attempt that loaded rows before a user set the watermark back sets it forward again. */
  #applyMark({ key, attempt }: Extract<TraceEvent, { kind: "state-set" }>): void {
    if (!isWatermark(key)) return;
    for (const fact of this.processes.values()) {
      if (fact.attempts.has(attempt)) fact.rewound = undefined;
    }
  }

  #applyRewound({ process, to }: Extract<TraceEvent, { kind: "user-rewound" }>): void {
    const fact = this.processOf(process);
    fact.rewinds += 1;
    fact.rewound = { to, since: Math.max(0, ...this.attempts.keys()) };
  }

  #applyLost(): void {
    for (const { changes } of this.jobs.lost) {
      for (const change of changes) {
        const fact = this.attempts.get(change?.attempt ?? 0);
        if (fact !== undefined) fact.missed += 1;
      }
    }
  }

  #applyClearAtSuccess(scope: string): void {
    const name = this.taskOfScope.get(scope);
    if (name !== undefined) this.taskOf(name).isClearedAtSuccess = true;
  }

  #applyRows({ process, attempt, from, to }: Extract<TraceEvent, { kind: "rows-loaded" }>): void {
    const fact = this.processOf(process);
    const task = this.attempts.get(attempt)?.task;
    if (task !== undefined) fact.tasks.add(task);
    fact.attempts.add(attempt);
    if (from <= fact.filledTo) fact.repeats += 1;
    if (from <= fact.filledTo + 1) fact.filledTo = Math.max(fact.filledTo, to);
  }
}

/** Whether it is the key of a watermark: of the kit's own tasks, or of the models of AIP-30. */
export function isWatermark(key: string): boolean {
  return key === "watermark" || key === "state";
}
