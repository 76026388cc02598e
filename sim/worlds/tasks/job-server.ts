import { invariant } from "../../../src/invariant.ts";
import type { DeferralTrigger } from "../../../src/triggerer/mod.ts";
import type { Host } from "../../hosts/host.ts";
import type { Life } from "../../hosts/life.ts";
import type { Network } from "../../hosts/network.ts";
import type { TaskRow } from "../../hosts/task-database.ts";
import { JobClient } from "../../jobs/job-client.ts";
import type { JobSystem } from "../../jobs/job-system.ts";
import { observedJob } from "../../jobs/observed-job.ts";
import type { JobSystemName } from "../../jobs/presets.ts";
import type { JobEndEvent } from "../../workloads/contrast-tasks.ts";
import { JobEndTrigger } from "../../workloads/job-end-trigger.ts";
import { PresetJob } from "../../workloads/preset-job.ts";
import type { World } from "../../kernel/world.ts";
import { addJobSystem } from "../add-job-system.ts";
import { knobsFrom } from "../job-system-spec.ts";
import type { JobSpec, TaskScenario, TaskSpec } from "./task-scenario.ts";

/** What a deployment changed of a task while it ran. */
export interface JobSettings {
  readonly externalIdKey: string;
  readonly durable: boolean;
}

/** The outside system of a world of tasks, where any of them submits jobs. */
export class JobServer {
  readonly #system: JobSystem | undefined;
  readonly #preset: JobSystemName;
  readonly #settings = new Map<string, JobSettings>();

  constructor(world: World, network: Network<Host>, { tasks, jobServer }: TaskScenario) {
    this.#preset = jobServer.system;
    const specs = tasks.filter(isJobSpec);
    for (const spec of specs) this.#settings.set(spec.name, spec);
    if (specs.length > 0) this.#system = addJobSystem(world, network, knobsFrom(jobServer));
  }

  /** Jobs that run, or wait to. */
  get live(): number {
    return this.#system?.live ?? 0;
  }

  /** Whether a job runs, or waits to, that will end by itself. */
  get isAtWork(): boolean {
    return this.#system?.isAtWork ?? false;
  }

  /** Whether its jobs have ids, by which their output is fetched. */
  get givesIds(): boolean {
    return this.#system?.knobs.idKind !== "none";
  }

  /** The client of the system in the process of an attempt or, without one, of a trigger. */
  clientFor(life: Life, row: TaskRow, attempt?: number): JobClient {
    invariant(this.#system !== undefined, `A job of ${row.name} where no task submits jobs`);
    return new JobClient(life, this.#system, row.name, attempt);
  }

  /**
   * Returns what waits for the job that a task has deferred to.
   *
   * @throws {TypeError} when it has deferred to something else
   */
  triggerFor(spec: TaskSpec, life: Life, row: TaskRow, trigger: unknown): DeferralTrigger {
    const { jobId } = trigger as Partial<JobEndEvent>;
    if (isJobSpec(spec) && jobId !== undefined) {
      return new JobEndTrigger(this.jobFor(spec, life, row), jobId);
    }
    throw new TypeError(`Cannot create a trigger from what ${row.name} has deferred to`);
  }

  /** New code for a task: what begins from now on runs with it. */
  deploy(task: string, settings: Partial<JobSettings>): void {
    const before = this.#settings.get(task);
    if (before !== undefined) this.#settings.set(task, { ...before, ...settings });
  }

  /** What is deployed of a task now. */
  settingsOf(spec: JobSpec): JobSettings {
    return this.#settings.get(spec.name) as JobSettings;
  }

  /**
   * The job of a task instance, for an attempt or, without one, for its trigger. `part` counts the
   * jobs of a task that runs several; they have names and memories of their own.
   */
  jobFor(
    spec: JobSpec,
    life: Life,
    row: TaskRow,
    { attempt, part }: { readonly attempt?: number; readonly part?: number | undefined } = {},
  ): PresetJob {
    const client = this.clientFor(life, row, attempt);
    // After a clear that discarded its state a task has nothing to do with its old jobs.
    const name = row.generation === 0 ? row.name : `${row.name}~${row.generation}`;
    const job = new PresetJob(client, life.clock, {
      system: this.#preset,
      name: part === undefined ? name : `${name}+${part}`,
      ...(part === undefined ? {} : { successKey: `succeeded_job_${part}` }),
      jobType: spec.name,
      pollEveryMs: spec.pollEvery,
    });
    return attempt === undefined ? job : observedJob(job, life, attempt);
  }
}

export function isJobSpec(spec: TaskSpec): spec is JobSpec {
  return !["pages", "watermark", "scratch"].includes(spec.operator);
}
