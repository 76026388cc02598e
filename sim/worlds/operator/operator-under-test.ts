import type { ExecutionContext } from "../../../src/operator/mod.ts";
import type { MaybePromise, ResumableJob } from "../../../src/resumable/mod.ts";
import type { Clock } from "../../../src/time/mod.ts";
import type { JobClient } from "../../jobs/job-client.ts";
import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";
import type { JobSystemName } from "../../jobs/presets.ts";

/** What an attempt has at hand beside the client of the job system. */
export interface JobSurroundings {
  /** Virtual; the globals (`setTimeout`, `Date`) are, too. */
  readonly clock: Clock;
  /** The logical key of the task: the same in every attempt. */
  readonly task: string;
  readonly tryNumber: number;
  readonly xcom: { push(key: string, value: unknown): Promise<void> };
}

/** The six methods, and what an operator adds to them. */
export interface CheckedJob extends ResumableJob<unknown, unknown> {
  /** Called when an attempt is killed softly; without it, such a kill leaves the job alone. */
  onKill?(executionContext: ExecutionContext | null): MaybePromise<unknown>;
  /** As the mixin takes them: of this instance, or statics of its class. */
  readonly externalIdKey?: string;
  readonly durable?: boolean;
}

/** Makes the job of one attempt, in a process of its own: nothing else may be remembered. */
export type CreateJob = (client: JobClient, surroundings: JobSurroundings) => CheckedJob;

/** An operator of a user's, and what is known of it from one run to the next. */
export class OperatorUnderTest {
  readonly createJob: CreateJob;
  /** What this installation of the job system does differently than its preset. */
  readonly knobs: Partial<JobSystemKnobs>;
  /** What the task returns in a calm run on each system; undefined where it does not succeed. */
  readonly calmResults: Map<JobSystemName, string | undefined> = new Map();

  constructor(createJob: CreateJob, knobs: Partial<JobSystemKnobs> = {}) {
    this.createJob = createJob;
    this.knobs = knobs;
  }
}
