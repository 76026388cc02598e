import type { MintedId } from "./job-id.ts";
import type { StatusVocabulary } from "./job-knobs.ts";

/** A submission. */
export interface JobRequest {
  /** The logical task key that the job is for; only the trace uses it. */
  readonly owner: string;
  /** The kind of job, which `find` can search for. */
  readonly jobType: string;
  /** The id or object name, if the client chooses it. */
  readonly clientId?: string;
  /** Marks repeated submits of the same job, if the system supports it. */
  readonly idempotencyKey?: string;
  /** Any text; part of the job's description, and searchable with `find`. */
  readonly tag?: string;
}

/** What the system reports about a job. */
export interface JobDescription<Id = unknown> {
  /** The job's id. */
  readonly id: Id;
  /** The kind of job. */
  readonly jobType: string;
  /** The tag of its submission. */
  readonly tag: string | undefined;
  /** The status, in the system's own words. */
  readonly status: string;
  /** By the system's own clock, in milliseconds since the epoch. */
  readonly submittedAt: number;
}

/** The result of a job that has succeeded. */
export interface JobResult {
  /** The same for every job of one task; see {@linkcode outputOf}. */
  readonly output: string;
  /** How many of its parts failed nevertheless. */
  readonly failedParts: number;
}

/** The output of every successful job of a task. */
export function outputOf(task: string): string {
  return `output of ${task}`;
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

/** A job's course, drawn when it is accepted. */
export interface JobPlan {
  readonly queuedMs: number;
  readonly runMs: number;
  readonly neverStarts: boolean;
  readonly isRunAgain: boolean;
  readonly outcome: "success" | "failure";
  readonly parts: number;
  readonly failedParts: number;
  /** How long it is falsely reported as successful, from the middle of its run on. */
  readonly flapMs: number;
}

/** A job of the external system. `job` is the simulator's own number, which is never reused. */
export interface Job {
  readonly job: number;
  readonly minted: MintedId;
  readonly request: JobRequest;
  readonly acceptedAt: number;
  readonly plan: JobPlan;
  /** Its phases so far, each with its begin. */
  readonly passed: { readonly at: number; readonly phase: JobPhase }[];
  isFetched: boolean;
  /** The parts whose cancellation was requested. */
  readonly cancelled: Set<string>;
}

/** Notes that the cancellation of parts was requested, and returns whether that is all parts. */
export function cancelParts(job: Job, handles: readonly string[]): boolean {
  for (const handle of handles) job.cancelled.add(handle);
  return job.minted.handles.every((handle) => job.cancelled.has(handle));
}

export function phaseOf(job: Job): JobPhase {
  return job.passed.at(-1)?.phase ?? "queued";
}

export function hasEnded(job: Job): boolean {
  return isEnd(phaseOf(job));
}

/** Returns when the job ended; undefined while it is live. */
export function endedAt(job: Job): number | undefined {
  return hasEnded(job) ? job.passed.at(-1)?.at : undefined;
}

function isEnd(phase: JobPhase): boolean {
  return phase === "success" || phase === "failure" || phase === "cancelled" || phase === "lost";
}

/** The words of a system for the states of a job. */
export interface Wording {
  readonly vocabulary: StatusVocabulary;
  readonly retrying: string;
}

/** Returns the status at an instant; for a job with several parts, one word for each handle. */
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
      return wordOf(success, job);
    case "failure":
    case "lost":
      return wordOf(failure, job);
    case "cancelled":
      return cancelled ?? lastOf(failure);
    default:
      return phase satisfies never;
  }
}

function runningWord(job: Job, elapsedMs: number, { active, success }: StatusVocabulary): string {
  const { runMs, flapMs } = job.plan;
  const middle = Math.floor(runMs / 2);
  if (elapsedMs >= middle && elapsedMs < middle + flapMs) return wordOf(success, job);
  const words = active.length - 1;
  if (words === 0) return active[0];
  const step = Math.min(words - 1, Math.floor((elapsedMs * words) / Math.max(1, runMs)));
  return active[1 + step] as string;
}

/** Parts end one after the other; the last ones are those that fail. */
function partWordAt(job: Job, part: number, at: number, wording: Wording): string {
  const { phase } = phaseAt(job, at);
  const { runMs, parts, failedParts } = job.plan;
  const isOver = phase === "success" || phase === "failure";
  const isDone = isOver || ranForMs(job, at) >= Math.floor((runMs * (part + 1)) / parts);
  if (!isDone || phase === "queued" || phase === "retrying") return wordAt(job, at, wording);
  const { success, failure } = wording.vocabulary;
  return part >= parts - failedParts ? wordOf(failure, job) : wordOf(success, job);
}

/** Returns how long the last run had taken at an instant; -1 before the first run. */
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

/** Different jobs use different words, in turn. */
function wordOf(words: readonly string[], { job }: Job): string {
  return words[(job - 1) % words.length] as string;
}

function lastOf(words: readonly [string, ...string[]]): string {
  return words.at(-1) ?? words[0];
}
