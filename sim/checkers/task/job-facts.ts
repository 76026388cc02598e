import type { TraceEvent } from "../../trace/trace.ts";
import { Checkpoints } from "./checkpoints.ts";
import { type AttemptJobs, attemptJobsOf, type JobFact, jobFactOf } from "./job-fact.ts";
import { noteEnds, readNotes } from "./job-notes.ts";
import { noteReply } from "./job-replies.ts";
import { type IdForms, namesAt, PLAIN_IDS } from "./job-names.ts";
import { KeyHistory, type LostChanges } from "./key-history.ts";
import { StoredIds } from "./stored-ids.ts";
import { type SystemFact, UNKNOWN_SYSTEM } from "./system-fact.ts";
import { learnUse, neediestUse } from "./uses-at-once.ts";

type EventOf<Kind extends TraceEvent["kind"]> = Extract<TraceEvent, { kind: Kind }>;

/** What is known of the outside jobs of a run, from its trace alone. */
export class JobFacts {
  accepted = 0;
  rejected = 0;
  deduplicated = 0;
  /** Lookups that found a job of another task. */
  foreignLooks = 0;
  system: SystemFact = UNKNOWN_SYSTEM;
  readonly jobs: Map<number, JobFact> = new Map();
  /** The task instance that a scope of the store belongs to. */
  readonly taskOfScope: Map<string, string> = new Map();
  /** What the last fail-over lost. */
  lost: readonly LostChanges[] = [];
  /** What was written to the store, and when. */
  readonly keys: KeyHistory = new KeyHistory();
  /** Which attempts have got the ids of jobs from checkpoints. */
  readonly checkpoints: Checkpoints = new Checkpoints();
  readonly #byTask = new Map<string, JobFact[]>();
  readonly #attempts = new Map<number, AttemptJobs>();
  readonly #stored = new StoredIds();
  #forms: IdForms = PLAIN_IDS;

  static from(events: readonly TraceEvent[]): JobFacts {
    const facts = new JobFacts();
    for (const event of events) facts.apply(event);
    return facts;
  }

  /** The jobs of a task, in order of acceptance. */
  of(task: string): readonly JobFact[] {
    return this.#byTask.get(task) ?? [];
  }

  /** Of the jobs for one use of the mixin, the one that was stored last, while its id is stored. */
  recordedOf(task: string, use = ""): JobFact | undefined {
    return this.#stored.lastOf(task, use);
  }

  /**
   * Which use of the mixin an attempt is at; empty where its operator has one only. Of several at
   * once it is the one that most needs a job: a submit is held against an attempt only where none
   * of them does.
   */
  useOf(number: number): string {
    const attempt = this.#attempts.get(number);
    if (attempt === undefined || attempt.keys.length === 0) return "";
    if (!attempt.areAtOnce) return attempt.idKey ?? "";
    const { checkpoints } = this;
    return neediestUse({ number, attempt, jobs: this.of(attempt.task), checkpoints });
  }

  /** The jobs of a task for the use of the mixin that an attempt is at. */
  beside(task: string, attempt: number): readonly JobFact[] {
    const use = this.useOf(attempt);
    return this.of(task).filter((job) => job.use === use);
  }

  /** The newest job of a task that a key names. */
  namedBy(task: string, key: string): JobFact | undefined {
    return this.of(task).findLast((job) => this.keysOf(job).has(key));
  }

  /** Whether an entry of its task names a job. */
  isNamed(job: JobFact, entry: { readonly key: string; readonly value: string }): boolean {
    return namesAt(entry, job, this.#forms);
  }

  /** The keys under which the id of a job is in the store. */
  keysOf(job: JobFact): ReadonlySet<string> {
    return this.#stored.keysOf(job);
  }

  /** Whether the operator of an attempt is to store and to read the id of its job. */
  isDurable(attempt: number): boolean {
    return this.#attempts.get(attempt)?.isDurable !== false;
  }

  attempt(attempt: number): AttemptJobs | undefined {
    return this.#attempts.get(attempt);
  }

  /** Whether an attempt could not learn of a job, because a replica lagged when it read. */
  isHiddenFrom(attempt: number | undefined, job: JobFact): boolean {
    return this.#attempts.get(attempt ?? 0)?.hidden.has(job) === true;
  }

  get live(): readonly JobFact[] {
    return [...this.jobs.values()].filter(({ state }) => state === "live");
  }

  apply(event: TraceEvent): void {
    this.keys.apply(event);
    this.checkpoints.apply(event);
    switch (event.kind) {
      case "commits-lost":
        this.lost = this.keys.loseSince(event.since);
        for (const lost of this.lost) this.#lose(lost);
        break;
      case "result-expected":
        this.#forms = event.ids ?? this.#forms;
        break;
      case "attempt":
        this.#begin(event);
        break;
      case "job-system":
        this.system = event;
        break;
      case "job-accepted":
        this.#accept(event);
        break;
      case "job-rejected":
        this.rejected += 1;
        break;
      case "job-deduplicated":
        this.#deduplicate(event);
        break;
      case "job-finished":
        this.#end(event.job, event.outcome, event.at);
        break;
      case "job-cancelled":
        this.#end(event.job, "cancelled", event.at);
        break;
      case "job-forgotten": {
        const fact = this.jobs.get(event.job);
        if (fact !== undefined) fact.isForgotten = true;
        break;
      }
      case "job-status":
        this.#look(event);
        break;
      case "job-result": {
        const fact = this.jobs.get(event.job);
        if (fact !== undefined) fact.fetches += 1;
        break;
      }
      case "job-cancel-asked":
        this.jobs.get(event.job)?.cancelledBy.add(event.attempt);
        break;
      default:
        this.#applyAttempts(event);
    }
  }

  #applyAttempts(event: TraceEvent): void {
    switch (event.kind) {
      case "not-durable": {
        const attempt = this.#attempts.get(event.attempt);
        if (attempt === undefined) break;
        attempt.isDurable = false;
        attempt.idKey = event.key;
        break;
      }
      case "uses": {
        const attempt = this.#attempts.get(event.attempt);
        if (attempt === undefined) break;
        attempt.keys = event.keys;
        attempt.areAtOnce = event.areAtOnce === true;
        break;
      }
      case "job-reply": {
        const attempt = this.#attempts.get(event.attempt);
        if (attempt !== undefined) noteReply(attempt, event, this);
        break;
      }
      case "state-sent":
        this.#send(event);
        break;
      case "resume-decided": {
        const attempt = this.#attempts.get(event.attempt);
        if (attempt === undefined) break;
        attempt.idKey = event.key;
        attempt.statusCalls = 0;
        attempt.decided.push(event.key);
        break;
      }
      case "method-called":
        this.#call(event);
        break;
      case "method-returned":
        this.#return(event);
        break;
      default:
        this.#applyState(event);
    }
  }

  #applyState(event: TraceEvent): void {
    switch (event.kind) {
      case "state-set":
        this.#record(event);
        break;
      case "state-got":
        this.#read(event);
        break;
      case "state-swept":
        this.#stored.remove(event.key, this.of(this.taskOfScope.get(event.scope) ?? ""));
        break;
      case "state-deleted":
        this.#clear(event.scope, event.key, event.attempt > 0);
        break;
      case "state-cleared":
        for (const scope of event.emptied) this.#clear(scope, undefined, event.why === "task");
        break;
      default:
    }
  }

  /** An attempt that resumes goes on with what the one before it had learnt. */
  #begin({ attempt, task, scope, start }: EventOf<"attempt">): void {
    this.taskOfScope.set(scope, task);
    const before = [...this.#attempts.values()].findLast((one) => one.task === task);
    const hidden = start === "execute" ? [] : (before?.hidden ?? []);
    this.#attempts.set(attempt, {
      ...attemptJobsOf(task, start === "resume"),
      hidden: new Set(hidden),
    });
  }

  #accept(event: EventOf<"job-accepted">): void {
    const { job, id, task, key, at: acceptedAt, isCopy = false } = event;
    const attempt = isCopy ? 0 : event.attempt;
    const use = this.useOf(event.attempt);
    const replaces = this.recordedOf(task, use);
    const fact = jobFactOf({ job, id, task, key, attempt, use, acceptedAt, replaces });
    this.accepted += 1;
    this.jobs.set(job, fact);
    const jobs = this.#byTask.get(task) ?? [];
    for (const job of jobs) job.isPassed ||= job.attempt === attempt && job.isRecorded;
    jobs.push(fact);
    this.#byTask.set(task, jobs);
    this.#recordChosen(fact, event.attempt);
    const submitter = this.#attempts.get(attempt);
    for (const hidden of submitter?.hidden ?? []) hidden.isHidden = true;
    if (submitter === undefined) return;
    submitter.submitted = fact;
    fact.isForeseen = submitter.hasUnknownId && key !== "" && this.system.idempotency !== "none";
  }

  /** A name that the operator has chosen may be in the store before the job has it. */
  #recordChosen(job: JobFact, attempt: number): void {
    const { task, id } = job;
    if (id === "" || job.key !== id) return;
    for (const [scope, key, { value }] of this.keys.held()) {
      if (this.taskOfScope.get(scope) !== task || !this.isNamed(job, { key, value })) continue;
      this.#stored.add({ task, key }, job);
      job.sentBy.add(attempt);
    }
  }

  #deduplicate({ job, attempt }: EventOf<"job-deduplicated">): void {
    this.deduplicated += 1;
    const submitter = this.#attempts.get(attempt);
    if (submitter !== undefined) submitter.submitted = this.jobs.get(job);
  }

  #end(job: number, state: "success" | "failure" | "lost" | "cancelled", at: number): void {
    const fact = this.jobs.get(job);
    if (fact === undefined) return;
    fact.state = state;
    fact.endedAt = at;
  }

  #look({ job, status, by, attempt }: EventOf<"job-status">): void {
    const fact = this.jobs.get(job);
    fact?.askedBy.add(attempt);
    if (fact?.foundBy.has(attempt) === true) fact.polledBy.add(attempt);
    const isForeign = fact !== undefined && fact.task !== by;
    if (isForeign) this.foreignLooks += 1;
    this.#attempts.get(attempt)?.looks.push({ job, status, isForeign });
  }

  #send({ attempt: number, key, value, at }: EventOf<"state-sent">): void {
    const { submitted, idKey, task = "", keys = [], areAtOnce } = this.#attempts.get(number) ?? {};
    if (areAtOnce === true && keys.includes(key))
      learnUse(this.of(task), key, (one) => this.isNamed(one, { key, value }));
    for (const job of this.of(task)) if (this.isNamed(job, { key, value })) job.sentBy.add(number);
    if (submitted?.idReach !== "attempt") return;
    if (key !== idKey && !this.isNamed(submitted, { key, value })) return;
    submitted.idReach = at === submitted.repliedAt ? "sent" : "sent-late";
  }

  #call({ attempt: number, method }: EventOf<"method-called">): void {
    const attempt = this.#attempts.get(number);
    if (attempt === undefined) return;
    attempt.isObserved = true;
    attempt.looks = [];
    attempt.replies = 0;
    attempt.foreignStatus = undefined;
    if (method === "getJobStatus") attempt.statusCalls += 1;
    if (method !== "pollUntilComplete") return;
    attempt.isPolling = true;
    attempt.polled = this.recordedOf(attempt.task, this.useOf(number));
  }

  #return({ attempt: number, method, status }: EventOf<"method-returned">): void {
    const attempt = this.#attempts.get(number);
    if (attempt === undefined) return;
    if (method === "pollUntilComplete") {
      attempt.isPolling = false;
      if (attempt.polled !== undefined) attempt.polled.isPolledThrough = true;
      return;
    }
    attempt.hasStatus = true;
    const last = attempt.looks.at(-1);
    if (last?.isForeign === true && last.status === status) attempt.foreignStatus = last;
  }

  #read(event: EventOf<"state-got">): void {
    const { key, value, attempt: number } = event;
    const attempt = this.#attempts.get(number);
    if (attempt === undefined) return;
    if (this.keys.missedBy(event) > 0) this.#hide(attempt, number, event);
    // With this read the next use of the mixin begins; a use beside it goes on.
    if (attempt.keys.includes(key)) {
      attempt.begun.add(key);
      attempt.idKey = key;
      if (!attempt.areAtOnce) attempt.lastReply = undefined;
      if (!attempt.areAtOnce) attempt.hasStatus = false;
    }
    if (value !== null) readNotes(this.of(attempt.task), key, number);
    const job = value === null ? undefined : this.namedBy(attempt.task, key);
    attempt.read = job === undefined ? undefined : { key, job };
    if (value !== null && job === undefined) attempt.hasUnknownId = true;
  }

  /** Notes the jobs whose ids the key holds, and which the attempt does not learn of. */
  #hide(attempt: AttemptJobs, number: number, { key, value }: EventOf<"state-got">): void {
    for (const job of this.of(attempt.task)) {
      const isKnown = job.attempt === number || job.askedBy.has(number);
      const isRead = value !== null && this.isNamed(job, { key, value });
      if (this.keysOf(job).has(key) && !isKnown && !isRead) attempt.hidden.add(job);
    }
  }

  /**
   * A key names the newest job of the id that it holds. An id that names no job of the task, under
   * the key by which the task resumes, stands for the job that was submitted last.
   */
  #record(event: Pick<EventOf<"state-set">, "scope" | "key" | "value" | "attempt">): void {
    const { scope, key, value, attempt: number } = event;
    const task = this.taskOfScope.get(scope);
    if (task === undefined) return;
    this.#stored.remove(key, this.of(task));
    const jobs = this.of(task);
    for (const job of jobs) job.isFollowed ||= job.state === "success" && number > 0;
    noteEnds(jobs, key);
    const attempt = this.#attempts.get(number);
    const isMeant = key === attempt?.idKey && !attempt.areAtOnce;
    const meant = isMeant ? (attempt.submitted ?? jobs.at(-1)) : undefined;
    const job = jobs.findLast((one) => this.isNamed(one, { key, value })) ?? meant;
    if (job !== undefined) this.#stored.add({ task, key }, job);
    else if (attempt !== undefined) attempt.hasUnknownId = true;
  }

  /** The key holds again what it held before; a job that it named is named there no more. */
  #lose({ scope, key, changes, kept }: LostChanges): void {
    const task = this.taskOfScope.get(scope);
    if (task === undefined) return;
    for (const job of this.of(task)) {
      const isNamed = changes.some(
        (change) => change !== undefined && this.isNamed(job, { key, value: change.value }),
      );
      if (isNamed || this.keysOf(job).has(key)) job.isHidden = true;
    }
    this.#stored.remove(key, this.of(task));
    if (kept !== undefined) this.#record({ scope, key, ...kept });
  }

  /** `byItself`: by an attempt of the task. */
  #clear(scope: string, key: string | undefined, byItself: boolean): void {
    const task = this.taskOfScope.get(scope);
    if (task === undefined) return;
    const recorded = this.of(task).filter((job) => job.isRecorded);
    this.#stored.remove(key, this.of(task));
    for (const job of recorded) {
      const isThrownAway = byItself && job.state === "success" && !job.isFollowed;
      job.thrownAwayBy = isThrownAway ? this.#lastAttemptOf(task) : undefined;
      job.isCleared = !job.isRecorded && !isThrownAway;
    }
  }

  #lastAttemptOf(task: string): number | undefined {
    return [...this.#attempts].findLast(([, one]) => one.task === task)?.[0];
  }
}
