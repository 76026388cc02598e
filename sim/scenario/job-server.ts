import { Host, type Life } from "../hosts/host.ts";
import type { Network } from "../hosts/network.ts";
import type { TaskRow } from "../hosts/task-database.ts";
import { JobClient } from "../jobs/job-client.ts";
import type { JobSystemKnobs } from "../jobs/job-knobs.ts";
import { JobSystem } from "../jobs/job-system.ts";
import { type JobSystemName, jobSystemKnobs } from "../jobs/presets.ts";
import { PresetJob } from "../workloads/preset-job.ts";
import type { World } from "../world.ts";
import type { JobServerSpec, JobSpec, TaskScenario, TaskSpec } from "./task-scenario.ts";

/** What a deployment changed of a task while it ran. */
export interface JobSettings {
  readonly externalIdKey: string;
  readonly durable: boolean;
}

const JOBS = "jobs";
const RESTART_MS = 3_000;

/** The outside system of a world of tasks: a host of its own, whose jobs outlive every client. */
export class JobServer {
  readonly #system: JobSystem;
  readonly #preset: JobSystemName;
  readonly #settings = new Map<string, JobSettings>();

  constructor(world: World, network: Network<Host>, { tasks, jobServer }: TaskScenario) {
    const specs = tasks.filter(isJobSpec);
    const system = new JobSystem(world, JOBS, knobsFrom(jobServer));
    this.#system = system;
    this.#preset = jobServer.system;
    for (const spec of specs) this.#settings.set(spec.name, spec);
    if (specs.length === 0) return;
    const boot = ({ incarnation }: Life): void => {
      if (incarnation > 1) system.restart();
    };
    new Host(world, network, JOBS, boot, { restartAfterMs: RESTART_MS });
  }

  /** Jobs that run, or wait to. */
  get live(): number {
    return this.#system.live;
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

  /** The job of a task instance, for an attempt or for its trigger. */
  jobFor(spec: JobSpec, life: Life, row: TaskRow, attempt?: number): PresetJob {
    const client = new JobClient(life, this.#system, row.name, attempt);
    return new PresetJob(client, life.clock, {
      system: this.#preset,
      // After a clear that discarded its state a task has nothing to do with its old jobs.
      name: row.generation === 0 ? row.name : `${row.name}~${row.generation}`,
      jobType: spec.name,
      pollEveryMs: spec.pollEvery,
    });
  }
}

export function isJobSpec(spec: TaskSpec): spec is JobSpec {
  return spec.operator !== "pages" && spec.operator !== "watermark";
}

function knobsFrom(server: JobServerSpec): JobSystemKnobs {
  const { system, takes, failFirst, failureRate, restartForgets } = server;
  return jobSystemKnobs(system, {
    ...(takes === undefined ? {} : { runMs: takes }),
    ...(failFirst === undefined ? {} : { failFirst }),
    ...(failureRate === undefined ? {} : { failureRate }),
    ...(restartForgets === undefined ? {} : { serverRestartForgets: restartForgets }),
  });
}
