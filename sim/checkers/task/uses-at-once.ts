import type { Checkpoints } from "./checkpoints.ts";
import type { AttemptJobs, JobFact } from "./job-fact.ts";

/** How little a use of the mixin needs a job, by what is known of those that it has. */
const LACKING = 0;
/** Its job has failed, and the attempt has looked at it by the id that is stored, or not so far. */
const SEEN_TO_FAIL = 1;
const FAILED = 2;
const UNDER_WAY = 3;
const STORED = 4;

/** Who asks, and what its task has run so far. */
interface Asking {
  readonly number: number;
  readonly attempt: AttemptJobs;
  /** The jobs of its task, in order of acceptance. */
  readonly jobs: readonly JobFact[];
  readonly checkpoints: Checkpoints;
}

/**
 * Returns the use that most needs a job, of those that an attempt has begun; the first where it has
 * begun none.
 */
export function neediestUse(asking: Asking): string {
  const { keys, begun } = asking.attempt;
  const uses = keys.filter((key) => begun.has(key));
  const [neediest] = uses.toSorted((one, other) => supplyOf(one, asking) - supplyOf(other, asking));
  return neediest ?? keys[0] ?? "";
}

function supplyOf(use: string, asking: Asking): number {
  const jobs = asking.jobs.filter((job) => job.use === use);
  return Math.max(LACKING, ...jobs.map((job) => supplyBy(job, asking)));
}

function supplyBy(job: JobFact, { number, attempt, checkpoints }: Asking): number {
  const isStored = job.isRecorded && !job.isForgotten && !attempt.hidden.has(job);
  const isNeeded = job.state === "live" || job.state === "success";
  if (isStored && isNeeded) return STORED;
  if (isStored) return job.askedBy.has(number) ? SEEN_TO_FAIL : FAILED;
  const isKnown = job.attempt === number || checkpoints.isNamedTo(number, job);
  return isNeeded && isKnown ? UNDER_WAY : LACKING;
}

/**
 * Learns from the first write of a job's id which use it was submitted for. Another job that was
 * taken for that one's, and whose id was not sent so far, is taken for the other use's then.
 */
export function learnUse(
  jobs: readonly JobFact[],
  key: string,
  isNamed: (job: JobFact) => boolean,
): void {
  const job = jobs.findLast(isNamed);
  if (job === undefined || job.sentBy.size > 0 || job.use === key) return;
  const mistaken = jobs.find(
    (one) => one.use === key && one.attempt === job.attempt && one.sentBy.size === 0,
  );
  if (mistaken !== undefined) mistaken.use = job.use;
  job.use = key;
}
