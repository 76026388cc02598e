import type { MintedId } from "./job-id.ts";
import type { StatusVocabulary } from "./job-knobs.ts";

/** What a client asks for. `owner` is the logical task key, for the accounts only. */
export interface JobRequest {
  readonly owner: string;
  readonly jobType: string;
  /** The id, or the name of the object, where the client chooses it. */
  readonly clientId?: string;
  readonly idempotencyKey?: string;
  /** Anything; comes back with the description, and `find` asks for it. */
  readonly tag?: string;
}

/** A job as the system describes it. */
export interface JobDescription<Id = unknown> {
  readonly id: Id;
  readonly jobType: string;
  readonly tag: string | undefined;
  readonly status: string;
  /** By the system's own clock, in milliseconds since the epoch. */
  readonly submittedAt: number;
}

export interface JobResult {
  /** The same for every job of one task. */
  readonly output: string;
  /** Of a job that succeeded all the same. */
  readonly failedParts: number;
}

export type JobPhase =
  | "queued"
  | "running"
  | "retrying"
  | "cancelling"
  | "success"
  | "failure"
  | "cancelled"
  | "lost";

/** What will become of a job, drawn when it was accepted. */
export interface JobPlan {
  readonly queuedMs: number;
  readonly runMs: number;
  readonly neverStarts: boolean;
  readonly isRunAgain: boolean;
  readonly outcome: "success" | "failure";
  readonly parts: number;
  readonly failedParts: number;
  /** How long it is said to have succeeded, from the middle of its run on. */
  readonly flapMs: number;
}

/** A job, whatever anybody calls it. */
export interface Job {
  readonly job: number;
  readonly minted: MintedId;
  readonly request: JobRequest;
  readonly acceptedAt: number;
  readonly plan: JobPlan;
  /** The phases it was in, each from when. */
  readonly passed: { readonly at: number; readonly phase: JobPhase }[];
  isFetched: boolean;
}

export function phaseOf(job: Job): JobPhase {
  return job.passed.at(-1)?.phase ?? "queued";
}

export function hasEnded(job: Job): boolean {
  return isEnd(phaseOf(job));
}

/** When it ended; undefined while it lives. */
export function endedAt(job: Job): number | undefined {
  return hasEnded(job) ? job.passed.at(-1)?.at : undefined;
}

function isEnd(phase: JobPhase): boolean {
  return phase === "success" || phase === "failure" || phase === "cancelled" || phase === "lost";
}

/** The system's words for what a job was at an instant. */
export interface Wording {
  readonly vocabulary: StatusVocabulary;
  readonly retrying: string;
}

/** The word for the whole job, or, of one that has a handle for each part, one for each asked. */
export function statusAt(
  job: Job,
  handles: readonly string[],
  at: number,
  wording: Wording,
): string {
  const { handles: all } = job.minted;
  if (all.length === 1) return wordAt(job, at, wording);
  return handles.map((handle) => partWordAt(job, all.indexOf(handle), at, wording)).join(",");
}

function wordAt(job: Job, at: number, { vocabulary, retrying }: Wording): string {
  const { phase, since } = phaseAt(job, at);
  const { active, success, failure, cancelling, cancelled } = vocabulary;
  switch (phase) {
    case "queued":
      return active[0];
    case "running":
      return runningWord(job, at - since, vocabulary);
    case "retrying":
      return retrying;
    case "cancelling":
      return cancelling ?? lastOf(active);
    case "success":
      return turnOf(success, job);
    case "failure":
    case "lost":
      return turnOf(failure, job);
    case "cancelled":
      return cancelled ?? lastOf(failure);
    default:
      return phase satisfies never;
  }
}

function runningWord(job: Job, elapsedMs: number, { active, success }: StatusVocabulary): string {
  const { runMs, flapMs } = job.plan;
  const middle = Math.floor(runMs / 2);
  if (elapsedMs >= middle && elapsedMs < middle + flapMs) return turnOf(success, job);
  const words = active.length - 1;
  if (words === 0) return active[0];
  const step = Math.min(words - 1, Math.floor((elapsedMs * words) / Math.max(1, runMs)));
  return active[1 + step] as string;
}

/** Parts end one after the other; the failed ones are the last. */
function partWordAt(job: Job, part: number, at: number, wording: Wording): string {
  const { phase } = phaseAt(job, at);
  const { runMs, parts, failedParts } = job.plan;
  const isOver = phase === "success" || phase === "failure";
  const isDone = isOver || ranForMs(job, at) >= Math.floor((runMs * (part + 1)) / parts);
  if (!isDone || phase === "queued" || phase === "retrying") return wordAt(job, at, wording);
  const { success, failure } = wording.vocabulary;
  return part >= parts - failedParts ? turnOf(failure, job) : turnOf(success, job);
}

/** How long its last run had taken by then; -1 before the first. */
function ranForMs(job: Job, at: number): number {
  const passed = job.passed.filter((step) => step.at <= at);
  const start = passed.findLastIndex(({ phase }) => phase === "running");
  const startedAt = passed[start]?.at;
  return startedAt === undefined ? -1 : (passed[start + 1]?.at ?? at) - startedAt;
}

function phaseAt(job: Job, at: number): { readonly phase: JobPhase; readonly since: number } {
  const last = job.passed.findLast((step) => step.at <= at);
  return last === undefined
    ? { phase: "queued", since: job.acceptedAt }
    : { phase: last.phase, since: last.at };
}

function turnOf(words: readonly string[], { job }: Job): string {
  return words[(job - 1) % words.length] as string;
}

function lastOf(words: readonly [string, ...string[]]): string {
  return words.at(-1) ?? words[0];
}
