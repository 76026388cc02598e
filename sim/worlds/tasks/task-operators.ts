import type { Operator } from "../../../src/operator/mod.ts";
import { NEVER_EXPIRE, type Retention } from "../../../src/store/mod.ts";
import type { TaskServices } from "../../hosts/task-process.ts";
import { ContrastTask, jobHandlingOf } from "../../workloads/contrast-tasks.ts";
import { DeferringResumableTask } from "../../workloads/deferring-resumable-task.ts";
import { PageLoader } from "../../workloads/page-loader.ts";
import type { PresetJob } from "../../workloads/preset-job.ts";
import { PresetOperator } from "../../workloads/preset-operator.ts";
import { ScratchTask } from "../../workloads/scratch-task.ts";
import { TwoJobsTask } from "../../workloads/two-jobs-task.ts";
import type { RowSource } from "../../workloads/row-source.ts";
import { tracedTelemetry } from "../../workloads/traced-telemetry.ts";
import { WatermarkLoader } from "../../workloads/watermark-loader.ts";
import type { JobSettings } from "./job-server.ts";
import type { JobOperator, TaskSpec } from "./task-scenario.ts";

/** What the world has made for a task. */
export interface OperatorParts {
  readonly source?: RowSource | undefined;
  readonly job?: JobParts | undefined;
}

/** The job of a task and its settings; some have a second one. */
interface JobParts {
  readonly job: PresetJob;
  readonly secondJob: () => PresetJob;
  readonly settings: JobSettings;
  /** How long its deferral waits, in virtual milliseconds. */
  readonly deferralTimeout: number | undefined;
}

/** Creates the operator of one attempt, as the scenario describes it. */
export function operatorFrom(
  spec: TaskSpec,
  services: TaskServices,
  { source, job: made }: OperatorParts,
): Operator {
  switch (spec.operator) {
    case "pages": {
      const { pages, pageTakes: pageTakesMs, progressIn: scope, progressAs: form } = spec;
      const { reschedule: rescheduleMs } = spec;
      return new PageLoader(services, { pages, pageTakesMs, scope, form, rescheduleMs });
    }
    case "watermark": {
      const { name: process, progressIn: scope, progressAs: form } = spec;
      const { writes = "set", every: intervalMs } = spec;
      const options = { process, scope, form, writes, intervalMs };
      return new WatermarkLoader(services, { ...options, source: source as RowSource });
    }
    case "scratch": {
      const { pieces, works: worksMs, clearsAll } = spec;
      return new ScratchTask(services, { pieces, worksMs, clearsAll });
    }
    default: {
      return jobOperatorFrom(spec.operator, services, made as JobParts);
    }
  }
}

function jobOperatorFrom(
  operator: JobOperator,
  services: TaskServices,
  { job, secondJob, settings: { externalIdKey, durable }, deferralTimeout }: JobParts,
): Operator {
  const { life, assignment } = services;
  const { attempt } = assignment;
  const telemetry = tracedTelemetry(life, attempt);
  const isResumable = operator.startsWith("resumable");
  if (isResumable && !durable) life.trace({ kind: "not-durable", attempt });
  switch (operator) {
    case "resumable":
      return new PresetOperator(job, { externalIdKey, durable, telemetry, checkpoints: false });
    case "resumable-twice": {
      const secondKey = `${externalIdKey}_2`;
      const options = { durable, telemetry, checkpoints: false };
      life.trace({ kind: "uses", attempt, keys: [externalIdKey, secondKey] });
      return new TwoJobsTask(
        new PresetOperator(job, { ...options, externalIdKey }),
        new PresetOperator(secondJob(), { ...options, externalIdKey: secondKey }),
      );
    }
    case "resumable-checkpoint":
      return new PresetOperator(job, { externalIdKey, durable, telemetry });
    case "deferrable-resumable":
      return new DeferringResumableTask(job, { externalIdKey, deferralTimeout });
    case "plain":
    case "hand-written":
    case "checkpoint":
    case "deferrable":
      return new ContrastTask(job, jobHandlingOf(operator, externalIdKey), deferralTimeout);
    default:
      return operator satisfies never;
  }
}

/** Returns how long a task's state is kept by default; undefined: as long as the store says. */
export function retentionFrom({ retention }: TaskSpec): Retention | undefined {
  if (retention === undefined) return undefined;
  return retention === "never" ? NEVER_EXPIRE : { milliseconds: retention };
}
