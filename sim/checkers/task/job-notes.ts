import type { JobFact } from "./job-fact.ts";

/** Notes that an attempt of a task was told the status of a job. */
export function noteStatus(job: JobFact | undefined, attempt: number, task: string): void {
  job?.foundBy.add(attempt);
  if (job?.task === task) job.isToldEnded ||= job.state !== "live";
}

/** Notes that something was stored under a key: it may say of any job that its task knows to be over. */
export function noteEnds(jobs: readonly JobFact[], key: string): void {
  for (const { isToldEnded, notes } of jobs) if (isToldEnded) notes.add(key);
}

/** Notes that an attempt has read what is under a key. */
export function readNotes(jobs: readonly JobFact[], key: string, attempt: number): void {
  for (const { notes, notedBy } of jobs) if (notes.has(key)) notedBy.add(attempt);
}
