import type { ExecutionContext, TaskContext } from "../../../src/operator/mod.ts";
import type { MaybePromise, ResumableJob } from "../../../src/resumable/mod.ts";
import type { DeferralTrigger } from "../../../src/triggerer/mod.ts";
import type { Clock } from "../../../src/time/mod.ts";
import type { IdForms } from "../../checkers/task/job-names.ts";
import type { JobRequest } from "../../jobs/job.ts";
import type { JobClient } from "../../jobs/job-client.ts";
import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";
import type { JobSystemName } from "../../jobs/presets.ts";
import type { Uses } from "./uses-in.ts";

/** What an attempt has beside the client of the job system. */
export interface JobSurroundings {
  /** The virtual clock; the globals (`setTimeout`, `Date`) are virtual as well. */
  readonly clock: Clock;
  /** The logical key of the task: the same in every attempt. */
  readonly task: string;
  /** The number of the try, from 1; a deferral and a reschedule use up none. */
  readonly tryNumber: number;
  /** Stores XComs, each with a call of the API server. */
  readonly xcom: { push(key: string, value: unknown): Promise<void> };
}

/** The six methods of a resumable job, and what an operator adds to them. */
export interface CheckedJob extends ResumableJob<unknown, unknown> {
  /**
   * What an attempt does; default: it continues the job of an earlier attempt, or submits one.
   * Where it reschedules, the task gives up its worker, and a new attempt of the same try executes
   * at that date. An attempt that follows a checkpoint calls the method that it names instead, as
   * `resumeJob(ctx, remoteJobId, kwargs)`; an operator that has neither this nor that method
   * continues the job of the checkpoint.
   */
  execute?(ctx: TaskContext): MaybePromise<unknown>;
  /**
   * Creates what waits in the triggerer, in a process of its own, from the `trigger` of a deferral,
   * which comes as JSON: as data, without methods. Its first event, whose payload comes as JSON as
   * well, begins an attempt that calls the method which the deferral names. An operator that defers
   * and does not have it is continued by `pollUntilComplete`.
   */
  createTrigger?(trigger: unknown): DeferralTrigger;
  /** Called when the attempt is killed; an operator without it leaves its job alone. */
  onKill?(executionContext: ExecutionContext | null): MaybePromise<unknown>;
  /** The key of the job's id in the store; also a static of the class. Default "remote_job_id". */
  readonly externalIdKey?: string;
  /** Whether the job's id is stored; also a static of the class. Default true. */
  readonly durable?: boolean;
}

/** Creates the job of one attempt; each attempt runs in a new process without memory. */
export type CreateJob = (client: JobClient, surroundings: JobSurroundings) => CheckedJob;

/**
 * An operator under test, and what its runs have in common.
 *
 * @example
 * ```ts
 * import { OperatorUnderTest, parseScenario, simulate } from "faultlane/sim";
 *
 * const operator = new OperatorUnderTest((client, { task }) => ({
 *   submitJob: () => client.submit({ jobType: "batch", tag: task }),
 *   getJobStatus: (id) => client.status(id),
 *   isJobActive: (status) => status !== "SUCCEEDED" && status !== "FAILED",
 *   isJobSucceeded: (status) => status === "SUCCEEDED",
 *   pollUntilComplete: async (id) => {
 *     while ((await client.status(id)) !== "SUCCEEDED") {
 *       await new Promise((resolve) => setTimeout(resolve, 5_000));
 *     }
 *   },
 *   getJobResult: async (id) => (await client.result(id)).output,
 * }));
 * const text = "{ story: Nothing happens, world: operator, system: aws-batch }";
 * const { verdict } = await simulate(parseScenario(text, "calm"), { operator });
 * console.log(verdict); // => held
 * ```
 */
export class OperatorUnderTest {
  /** Creates the job of one attempt. */
  readonly createJob: CreateJob;
  /** How this installation of the job system differs from its preset. */
  readonly knobs: Partial<JobSystemKnobs>;
  /**
   * What the task returns in a run without faults, by system and run; undefined where it does not
   * succeed.
   *
   * @internal
   */
  readonly calmResults: Map<string, string | undefined> = new Map();
  /**
   * How an attempt runs several jobs in a run without faults, by system.
   *
   * @internal
   */
  readonly calmUses: Map<JobSystemName, Uses> = new Map();
  /**
   * Where it keeps the ids of its jobs in a run without faults, by system; absent where each has a
   * key of its own.
   *
   * @internal
   */
  readonly calmForms: Map<JobSystemName, IdForms> = new Map();
  /**
   * What it submits in a run without faults, by system and run.
   *
   * @internal
   */
  readonly calmOrders: Map<string, readonly JobRequest[]> = new Map();
  /**
   * The longest that it has waited at a time, in virtual milliseconds.
   *
   * @internal
   */
  longestWaitMs = 0;
  /**
   * For how long it has the id of its job kept in a run without faults, in milliseconds; undefined
   * where it leaves that to the deployment.
   *
   * @internal
   */
  idRetentionMs: number | undefined;

  /** Takes an operator by its factory; `knobs` change the preset of the job system. */
  constructor(createJob: CreateJob, knobs: Partial<JobSystemKnobs> = {}) {
    this.createJob = createJob;
    this.knobs = knobs;
  }
}
