import type { World } from "../kernel/world.ts";
import {
  cancelParts,
  endedAt,
  hasEnded,
  type Job,
  type JobDescription,
  type JobPhase,
  type JobPlan,
  type JobRequest,
  type JobResult,
  outputOf,
  phaseOf,
  statusAt,
} from "./job.ts";
import { JobChance } from "./job-chance.ts";
import {
  JobCancelFailed,
  JobConflict,
  JobMismatch,
  JobNotFound,
  JobRejected,
  JobResultGone,
  NoJobResult,
} from "./job-errors.ts";
import { askedId, type JobId, mintId, textFromJobId } from "./job-id.ts";
import type { JobSystemKnobs } from "./job-knobs.ts";
import { isAskedFor, type JobAsker, type JobQuery } from "./job-query.ts";
import { UnmappedWords } from "./unmapped-words.ts";

/**
 * An external job system: it accepts jobs, runs them in virtual time, and reports their status.
 *
 * Holds:
 * - each method takes place at one instant and starts no promise work, so that it can be the effect
 *   of a call;
 * - jobs outlive every client; an accepted job runs to its end, is cancelled, never starts, or is
 *   lost in a restart;
 * - the trace shows what really happened, by numbers that are never reused; what clients are told
 *   depends on the knobs;
 * - all randomness comes from the `workload` choices of its name; a knob that is off draws nothing.
 */
export class JobSystem {
  readonly name: string;
  readonly knobs: JobSystemKnobs;
  readonly #world: World;
  readonly #chance: JobChance;
  /** The job that has a name now. */
  readonly #holders = new Map<string, Job>();
  readonly #keyed = new Map<string, Job>();
  readonly #unmapped: UnmappedWords;
  readonly #known = new Set<Job>();
  readonly #acceptedOf = new Map<string, number>();
  #jobs = 0;
  #ordinals = 0;
  #live = 0;

  constructor(world: World, name: string, knobs: JobSystemKnobs) {
    this.#world = world;
    this.name = name;
    this.knobs = knobs;
    this.#chance = new JobChance(world.choices.stream("workload", name));
    this.#unmapped = new UnmappedWords(knobs, this.#chance);
    const { idempotency, objectVanishes, statusVocabulary } = knobs;
    this.#trace({
      kind: "job-system",
      idempotency: idempotency.kind,
      knowsEnded: idempotency.kind === "return-existing" && idempotency.evenIfTerminal,
      deletesEnded: objectVanishes !== undefined,
      unmapped: statusVocabulary.unmapped,
    });
  }

  /** How many jobs were accepted and have not ended. */
  get live(): number {
    return this.#live;
  }

  /** Whether a job runs, or waits to, that will end by itself. */
  get isAtWork(): boolean {
    if (this.#live === 0) return false;
    return [...this.#known].some(
      (job) => !hasEnded(job) && (!job.plan.neverStarts || phaseOf(job) === "cancelling"),
    );
  }

  /**
   * Accepts a job, and returns its id; `attempt` is the caller's, 0 if there is none; `isCopy`: the
   * network has made a second call of one.
   *
   * @throws {JobRejected} when it does not accept the job
   * @throws {JobConflict} when the chosen id or name is taken
   */
  submit(request: JobRequest, attempt = 0, isCopy = false): JobId {
    const { owner: task, clientId } = request;
    const { concurrencyLimit, idKind, rejectRate } = this.knobs;
    const key = request.idempotencyKey ?? clientId ?? "";
    if (this.#chance.strikes(rejectRate, "rejected"))
      throw this.#rejection(task, key, "try again later", attempt);
    if (idKind === "client-chosen" && clientId === undefined) {
      throw this.#rejection(task, key, "choose an id", attempt);
    }
    const same = this.#sameAs(key);
    if (same !== undefined) {
      const isOtherType = same.request.jobType !== request.jobType;
      const by = isOtherType ? ({ attempt, isOtherType } as const) : { attempt };
      this.#trace({ kind: "job-deduplicated", job: same.job, task, key, ...by });
      return same.minted.id;
    }
    if (clientId !== undefined && this.#isTaken(clientId)) {
      this.#trace({ kind: "job-rejected", task, key, reason: "conflict", attempt });
      throw new JobConflict(clientId);
    }
    if (concurrencyLimit !== undefined && this.#live >= concurrencyLimit) {
      throw this.#rejection(task, key, `${concurrencyLimit} jobs are running`, attempt);
    }
    return this.#accept(request, key, attempt, isCopy).minted.id;
  }

  /** Returns what was submitted as a job that the system still knows, by its number. */
  requestOf(number: number): JobRequest {
    const known = [...this.#known].find(({ job }) => job === number);
    if (known === undefined)
      throw new RangeError(`The system does not know job ${number} any more`);
    return known.request;
  }

  /**
   * @throws {JobNotFound}
   * @throws {JobMismatch} when the answer is about another job: the client library compares the ids
   */
  status(id: unknown, asker: JobAsker): string {
    const { id: about, status } = this.describe(id, asker);
    const job = this.#jobAt(id);
    if (job !== undefined && about !== job.minted.id) {
      throw new JobMismatch(textFromJobId(id), textFromJobId(about));
    }
    return status;
  }

  /** @throws {JobNotFound} */
  describe(id: unknown, { by, attempt = 0, isLiedTo = false }: JobAsker): JobDescription<JobId> {
    const handles = askedId(this.knobs.idKind, id)?.handles ?? [];
    const job = this.#visible(id);
    if (job === undefined) {
      const hidden = this.#jobAt(id)?.job ?? 0;
      this.#trace({ kind: "job-status", job: hidden, status: "", by, attempt });
      throw new JobNotFound(textFromJobId(id));
    }
    const other = isLiedTo ? this.#anothers(job, by) : undefined;
    const description = this.#description(other ?? job, other?.minted.handles ?? handles);
    const { status } = description;
    this.#trace({ kind: "job-status", job: job.job, status, by, attempt });
    return description;
  }

  /** Returns the jobs that the system knows and that match the query, oldest first. */
  find(query: JobQuery): readonly JobDescription<JobId>[] {
    const found = [...this.#known].filter(
      (job) => this.#isVisible(job) && isAskedFor(job.request, query),
    );
    const newest = found.slice(-(query.last ?? found.length));
    return newest.map((job) => this.#description(job, job.minted.handles));
  }

  /**
   * @throws {JobNotFound}
   * @throws {NoJobResult} when the job has not ended, or not in success
   * @throws {JobResultGone} when the result is not kept any more
   */
  result(id: unknown, by: string, attempt = 0): JobResult {
    const job = this.#visible(id);
    if (job === undefined) throw new JobNotFound(textFromJobId(id));
    const end = endedAt(job);
    if (phaseOf(job) !== "success" || end === undefined) {
      throw new NoJobResult(textFromJobId(id), this.#wordsOf(job, job.minted.handles));
    }
    const { ttlMs, idempotentFetch } = this.knobs.result;
    const isLate = ttlMs !== undefined && this.#ownNow() - end >= ttlMs;
    if (isLate || (job.isFetched && !idempotentFetch)) throw new JobResultGone(textFromJobId(id));
    job.isFetched = true;
    this.#trace({ kind: "job-result", job: job.job, by, attempt });
    return { output: outputOf(job.request.owner), failedParts: job.plan.failedParts };
  }

  /**
   * Requests a job's cancellation; without effect if it has ended, or before all parts are named.
   *
   * @throws {JobNotFound}
   * @throws {JobCancelFailed} when the system's knobs say that cancelling fails
   */
  cancel(id: unknown, by: string, attempt = 0): void {
    const job = this.#visible(id);
    if (job === undefined) throw new JobNotFound(textFromJobId(id));
    const { cancel, idKind } = this.knobs;
    if (!cancelParts(job, askedId(idKind, id)?.handles ?? [])) return;
    this.#trace({ kind: "job-cancel-asked", job: job.job, by, attempt });
    if (hasEnded(job) || cancel.kind === "noop") return;
    if (cancel.kind === "fails") throw new JobCancelFailed(textFromJobId(id));
    if (phaseOf(job) === "cancelling") return;
    this.#enter(job, "cancelling");
    this.#after(cancel.delayMs, () => this.#end(job, "cancelled"));
  }

  /** Restarts the server; the knobs say what it loses. */
  restart(): void {
    const { serverRestartForgets, idReset } = this.knobs;
    this.#unmapped.end();
    if (!serverRestartForgets) return;
    for (const job of [...this.#known]) {
      if (!hasEnded(job)) this.#end(job, "lost");
      this.#forget(job);
    }
    if (idReset) this.#ordinals = 0;
  }

  #accept(request: JobRequest, key: string, attempt: number, isCopy: boolean): Job {
    this.#jobs += 1;
    const { jobType, owner: task } = request;
    const plan = this.#plan(task);
    const ordinal = this.#ordinal(request);
    const { parts } = plan;
    const seed = { ordinal, job: this.#jobs, jobType, chosen: request.clientId, parts };
    const job: Job = {
      job: this.#jobs,
      minted: mintId(this.knobs.idKind, seed),
      request,
      acceptedAt: this.#world.now,
      plan,
      passed: [],
      isFetched: false,
      cancelled: new Set(),
    };
    for (const handle of job.minted.handles) {
      const former = this.#holders.get(handle);
      if (former !== undefined) this.#forget(former);
    }
    for (const handle of job.minted.handles) this.#holders.set(handle, job);
    if (key !== "") this.#keyed.set(key, job);
    this.#known.add(job);
    this.#live += 1;
    const id = textFromJobId(job.minted.id);
    const by = isCopy ? ({ attempt, isCopy } as const) : { attempt };
    this.#trace({ kind: "job-accepted", job: job.job, id, task, key, ...by });
    if (!plan.neverStarts) this.#after(plan.queuedMs, () => this.#start(job));
    return job;
  }

  #plan(task: string): JobPlan {
    const before = this.#acceptedOf.get(task) ?? 0;
    this.#acceptedOf.set(task, before + 1);
    return this.#chance.plan(this.knobs, before);
  }

  #start(job: Job): void {
    if (phaseOf(job) !== "queued") return;
    this.#trace({ kind: "job-started", job: job.job });
    this.#run(job, () => {
      if (!job.plan.isRunAgain) {
        this.#end(job, job.plan.outcome);
        return;
      }
      this.#enter(job, "retrying");
      this.#after(this.knobs.serverSideRetry?.delayMs ?? 0, () => {
        if (phaseOf(job) === "retrying") this.#run(job, () => this.#end(job, "success"));
      });
    });
  }

  #run(job: Job, onEnd: () => void): void {
    this.#enter(job, "running");
    this.#after(job.plan.runMs, () => {
      if (phaseOf(job) === "running") onEnd();
    });
  }

  #end(job: Job, phase: "success" | "failure" | "cancelled" | "lost"): void {
    if (hasEnded(job)) return;
    this.#enter(job, phase);
    this.#live -= 1;
    if (phase === "cancelled") this.#trace({ kind: "job-cancelled", job: job.job });
    else this.#trace({ kind: "job-finished", job: job.job, outcome: phase });
    this.#retain(job, phase);
  }

  #retain(job: Job, phase: JobPhase): void {
    const { objectVanishes, retention, clockSkewMs } = this.knobs;
    const end = phase === "success" ? "success" : "failure";
    if (objectVanishes?.on === "both" || objectVanishes?.on === end) {
      this.#after(objectVanishes.afterMs, () => this.#forget(job));
    }
    if (retention.kind === "time") {
      this.#after(Math.max(0, retention.ms - clockSkewMs), () => this.#forget(job));
    } else if (retention.kind === "count") {
      const ended = [...this.#known].filter(hasEnded);
      ended.sort(
        (one, other) => (endedAt(one) ?? 0) - (endedAt(other) ?? 0) || one.job - other.job,
      );
      for (const old of ended.slice(0, -retention.count || ended.length)) this.#forget(old);
    }
  }

  #forget(job: Job): void {
    if (!this.#known.delete(job)) return;
    for (const handle of job.minted.handles) {
      if (this.#holders.get(handle) === job) this.#holders.delete(handle);
    }
    for (const [key, keyed] of this.#keyed) if (keyed === job) this.#keyed.delete(key);
    this.#trace({ kind: "job-forgotten", job: job.job });
  }

  /** Returns the earlier job that a submit with this key gets instead of a new one. */
  #sameAs(key: string): Job | undefined {
    const { idempotency } = this.knobs;
    const job = this.#keyed.get(key);
    if (job === undefined || idempotency.kind !== "return-existing") return undefined;
    if (this.#ownNow() - job.acceptedAt >= idempotency.windowMs) return undefined;
    return !hasEnded(job) || idempotency.evenIfTerminal ? job : undefined;
  }

  #isTaken(name: string): boolean {
    if (this.knobs.idempotency.kind !== "conflict-409") return false;
    const holder = this.#holders.get(name);
    return holder !== undefined && !(this.knobs.nameReuse && hasEnded(holder));
  }

  /** Returns the next ordinal, or the lowest whose job has ended if names are reused. */
  #ordinal(request: JobRequest): number {
    if (this.knobs.nameReuse) {
      for (let ordinal = 0; ordinal < this.#ordinals; ordinal += 1) {
        const seed = { ordinal, job: 0, jobType: request.jobType, chosen: undefined, parts: 1 };
        const holder = this.#holders.get(mintId(this.knobs.idKind, seed).handles[0] as string);
        if (holder === undefined || hasEnded(holder)) return ordinal;
      }
    }
    this.#ordinals += 1;
    return this.#ordinals - 1;
  }

  #jobAt(id: unknown): Job | undefined {
    const asked = askedId(this.knobs.idKind, id);
    const job = this.#holders.get(asked?.handles[0] ?? "");
    if (asked === undefined || job === undefined) return undefined;
    if (asked.handles.some((handle) => this.#holders.get(handle) !== job)) return undefined;
    return asked.uid === undefined || asked.uid === `uid-${job.job}` ? job : undefined;
  }

  #visible(id: unknown): Job | undefined {
    const job = this.#jobAt(id);
    return job !== undefined && this.#isVisible(job) ? job : undefined;
  }

  /** The last job of a task other than the one that asks, whose id is another one. */
  #anothers({ minted }: Job, by: string): Job | undefined {
    const known = [...this.#known].filter((job) => job.request.owner !== by);
    return known.findLast((job) => textFromJobId(job.minted.id) !== textFromJobId(minted.id));
  }

  #isVisible(job: Job): boolean {
    const { ms, shows } = this.knobs.visibilityLag;
    return shows === "stale" || this.#world.now - job.acceptedAt >= ms;
  }

  #description(job: Job, handles: readonly string[]): JobDescription<JobId> {
    const { jobType, tag } = job.request;
    const submittedAt = this.#world.epochMs + job.acceptedAt + this.knobs.clockSkewMs;
    return { id: job.minted.id, jobType, tag, status: this.#wordsOf(job, handles), submittedAt };
  }

  #wordsOf(job: Job, handles: readonly string[]): string {
    const { statusVocabulary: vocabulary, serverSideRetry, visibilityLag } = this.knobs;
    const unmapped = this.#unmapped.next(this.#world.now);
    if (unmapped !== undefined) return unmapped;
    const at = this.#world.now - (visibilityLag.shows === "stale" ? visibilityLag.ms : 0);
    const retrying = serverSideRetry?.status ?? vocabulary.active[0];
    return statusAt(job, handles, at, { vocabulary, retrying });
  }

  #rejection(task: string, key: string, reason: string, attempt: number): JobRejected {
    this.#trace({ kind: "job-rejected", task, key, reason, attempt });
    return new JobRejected(reason);
  }

  /** The time by the system's own clock. */
  #ownNow(): number {
    return this.#world.now + this.knobs.clockSkewMs;
  }

  #enter(job: Job, phase: JobPhase): void {
    job.passed.push({ at: this.#world.now, phase });
  }

  #after(ms: number, fn: () => void): void {
    this.#world.schedule(ms, { lane: this.name, hop: false }, fn);
  }

  #trace(body: Parameters<World["trace"]["emit"]>[1]): void {
    this.#world.trace.emit(this.name, body);
  }
}
