import type { Dice } from "../../choices/dice.ts";
import type { HostFault, SiteFault } from "../../codecs/scenario-parts.ts";
import { JOB_SYSTEM_HOST } from "../add-job-system.ts";
import {
  databaseErrorAtRate,
  drawCalleeFaults,
  drawCrowd,
  drawDatabaseFaults,
  EXPECT_ALL,
  lateCommitAtRate,
  siteFaultAtRate,
} from "../drawn-parts.ts";
import { drawDashboard } from "./draw-dashboard.ts";
import { isJobSpec } from "./job-server.ts";
import type {
  FailOver,
  JobOperator,
  ReplicaLag,
  SoftKill,
  TaskOperation,
  TaskScenario,
  TaskSpec,
} from "./task-scenario.ts";

/** Operators that owe every promise; the others are contrasts, which break one by design. */
const SOUND_OPERATORS: readonly JobOperator[] = [
  "resumable",
  "resumable-checkpoint",
  "deferrable-resumable",
];
const SYSTEMS = ["aws-batch", "livy", "glue"] as const;
const WORKERS_MAX = 3;
/** In millionths; clocks of machines drift by up to a hundred, and a run lasts minutes. */
const DRIFTS = [100, -20_000, 20_000] as const;
/** More than the faults of any drawn scenario can use up. */
const RETRIES = 60;

const SITE_FAULTS: readonly SiteFault[] = [
  siteFaultAtRate("job.submit", "crash-before", 8),
  siteFaultAtRate("job.submit", "crash-after", 8),
  siteFaultAtRate("job.submit", "drop-reply", 12),
  siteFaultAtRate("job.status", "fail-before", 40),
  siteFaultAtRate("job.status", "crash-after", 60),
  siteFaultAtRate("job.result", "crash-after", 8),
  siteFaultAtRate("api.set-task-state", "crash-before", 10),
  siteFaultAtRate("api.set-task-state", "crash-after", 10),
  siteFaultAtRate("api.set-task-state", "drop-reply", 15),
  siteFaultAtRate("api.get-task-state", "fail-before", 15),
  siteFaultAtRate("api.finish-attempt", "drop-reply", 12),
  siteFaultAtRate("store.commit", "fail-before", 20),
  siteFaultAtRate("store.commit", "fail-after", 20),
  siteFaultAtRate("warehouse.load", "crash-before", 10),
  siteFaultAtRate("warehouse.load", "crash-after", 10),
  siteFaultAtRate("warehouse.query", "delay", 10),
];

const PAYLOAD_FAULTS: readonly SiteFault[] = [
  siteFaultAtRate("payload.put", "crash-after", 12),
  siteFaultAtRate("payload.put", "fail-after", 12),
  siteFaultAtRate("payload.get", "fail-before", 12),
];

type TaskRun = Omit<TaskScenario, "name">;

/** What befalls the callee, the reply after the effect, or a copy of the request. */
const CALLEE_FAULTS: readonly SiteFault[] = [
  siteFaultAtRate("store.commit", "delay-reply", 10),
  siteFaultAtRate("store.commit", "crash-callee-after", 30),
  siteFaultAtRate("api.set-task-state", "crash-callee-after", 20),
  siteFaultAtRate("api.set-task-state", "crash-callee-before", 20),
  siteFaultAtRate("job.submit", "crash-callee-after", 10),
  siteFaultAtRate("job.status", "crash-callee-before", 80),
  siteFaultAtRate("api.finish-attempt", "duplicate-late", 4),
  siteFaultAtRate("trigger.commit", "duplicate-late", 4),
];

const DATABASE_FAULTS: readonly SiteFault[] = [
  databaseErrorAtRate("store.commit", "lock-timeout", 8),
  databaseErrorAtRate("store.commit", "deadlock", 8),
  databaseErrorAtRate("store.commit", "pool-exhausted", 8),
  databaseErrorAtRate("store.read", "pool-exhausted", 8),
  databaseErrorAtRate("task.commit", "lock-timeout", 40),
  databaseErrorAtRate("task.commit", "deadlock", 40),
  databaseErrorAtRate("task.commit", "pool-exhausted", 40),
  databaseErrorAtRate("scheduler.commit", "deadlock", 20),
  databaseErrorAtRate("trigger.commit", "lock-timeout", 4),
  lateCommitAtRate("store.commit", 12),
  lateCommitAtRate("task.commit", 60),
];

/** Answers that are damaged or about another's job. */
const ANSWER_FAULTS: readonly SiteFault[] = [
  siteFaultAtRate("job.status", "answer-other", 8),
  siteFaultAtRate("job.submit", "corrupt-reply", 8),
  siteFaultAtRate("job.result", "corrupt-reply", 4),
  siteFaultAtRate("store.read", "corrupt-reply", 12),
  siteFaultAtRate("api.get-task-state", "corrupt-reply", 12),
];

/** Hosts that may crash without a word to their callers. */
const CALLEES: readonly string[] = ["api", "database", "jobs"];

/** Draws a whole scenario of the world of tasks that checks every promise. */
export function drawTaskScenario(dice: Dice): TaskRun {
  const scenario = drawBasis(dice);
  // Drawn last, so that the rest of a seed's scenario stays as it was before there were these.
  const { faults, phases, tasks } = scenario;
  const more = drawCalleeFaults(dice, {
    ofCalls: CALLEE_FAULTS,
    hosts: CALLEES,
    safety: phases.safety,
  });
  const possible = tasks.some(isJobSpec) ? more : more.filter(isForLoaders);
  const drawn = withLookalikes({ ...scenario, faults: [...faults, ...possible] }, dice);
  const settled = dice.oneIn(8) ? withoutIds(drawn) : withTwoJobs(drawn, dice);
  const whole = dice.oneIn(4) ? withOverlap(settled, dice) : settled;
  const ofDatabase = [...drawDatabaseFaults(dice, DATABASE_FAULTS), ...drawLag(dice, whole)];
  const operations = [...whole.operations, ...drawRewinds(dice, whole)];
  const failOver = drawFailOver(dice, whole);
  const crowd = drawCrowd(dice, { herd: "worker", hosts: CALLEES, safety: phases.safety });
  const ofCrowd = whole.tasks.some(isJobSpec) ? crowd : crowd.filter(isForLoaders);
  const tasksDrawn = [...whole.tasks, ...drawScratch(dice, whole)];
  const clocks = drawClocks(dice, whole);
  const ofAnswers = dice.oneIn(6) && whole.tasks.some(isJobSpec) ? dice.some(ANSWER_FAULTS, 2) : [];
  const byHand = drawRunsByHand(dice, whole);
  const lies = dice.oneIn(6) ? [siteFaultAtRate("api.get-task-state", "answer-other", 8)] : [];
  const rescheduled = withReschedules(
    byHand.length === 0 ? tasksDrawn : tasksDrawn.map(raising),
    dice,
  );
  const all = [
    ...whole.faults,
    ...ofDatabase,
    ...failOver,
    ...ofCrowd,
    ...clocks,
    ...ofAnswers,
    ...lies,
  ];
  const migration = drawMigration(dice, { ...whole, faults: all });
  return {
    ...whole,
    tasks: rescheduled,
    ...drawDashboard(dice, { ...whole, faults: all }),
    operations: [...operations, ...byHand, ...migration],
  };
}

/** In one of eight scenarios the workers are replaced by ones that store values elsewhere. */
function drawMigration(
  dice: Dice,
  { payloads, phases, faults }: TaskRun,
): readonly TaskOperation[] {
  if (!dice.oneIn(8) || payloads !== undefined || faults.some(isBehind)) return [];
  const every = dice.from([5_000, 20_000]);
  return [{ at: dice.below(phases.safety), migrate: "database", every }];
}

/** Whether a fault makes a replica of the database count. */
function isBehind(fault: TaskScenario["faults"][number]): boolean {
  return "lag" in fault || "failOver" in fault;
}

/** In one of two scenarios with a watermark a user triggers runs for dates that are past. */
function drawRunsByHand(
  dice: Dice,
  { tasks, payloads, phases }: TaskRun,
): readonly TaskOperation[] {
  const task = tasks.find(({ operator }) => operator === "watermark");
  if (task === undefined || payloads !== undefined || !dice.oneIn(2)) return [];
  return Array.from({ length: 1 + dice.below(3) }, () => {
    const at = dice.below(phases.safety);
    return { at, trigger: task.name, logicalDate: dice.below(at + 1) };
  });
}

/** Where runs are out of order, only compare-and-set keeps a watermark from falling. */
function raising(spec: TaskSpec): TaskSpec {
  return spec.operator === "watermark" ? { ...spec, writes: "raise" } : spec;
}

/** In one of four scenarios tasks that load pages give up their workers in between. */
function withReschedules(tasks: readonly TaskSpec[], dice: Dice): readonly TaskSpec[] {
  if (!dice.oneIn(4)) return tasks;
  const reschedule = 1_000 + dice.below(10_000);
  return tasks.map((spec) => (spec.operator === "pages" ? { ...spec, reschedule } : spec));
}

/** In one of three scenarios a task deletes and clears state of its own. */
function drawScratch(dice: Dice, { payloads }: TaskRun): readonly TaskSpec[] {
  if (!dice.oneIn(3)) return [];
  const mapped = dice.oneIn(2) ? 2 : 0;
  const base = { name: "scratch", runs: 1, every: 60_000, mapped, retries: RETRIES };
  const clearOnSuccess = dice.oneIn(4);
  // A key whose value is a payload has one writer, and to clear it is to write.
  const clearsAll = dice.oneIn(2) && (payloads === undefined || mapped === 0);
  const settings = { retryDelay: 2_000, clearOnSuccess, clearsAll };
  const pieces = 1 + dice.below(6);
  return [{ ...base, ...settings, operator: "scratch", pieces, works: 1_000 + dice.below(40_000) }];
}

/** In one of three scenarios wall clocks are wrong: they jump, also back, and drift. */
function drawClocks(
  dice: Dice,
  { workers, sweep, phases: { safety } }: TaskRun,
): readonly HostFault[] {
  if (!dice.oneIn(3)) return [];
  const worker = `worker-${1 + dice.below(workers)}`;
  const host = dice.from([worker, "triggerer", "api", ...(sweep === undefined ? [] : ["sweeper"])]);
  const at = dice.below(safety);
  const step = dice.from([-3_600_000, 3_600_000, -2_000, 10_000]);
  const drift = { at, clockDrift: dice.from([worker, "api", "scheduler"]), ppm: dice.from(DRIFTS) };
  // A scheduler that is far ahead of the API server takes every attempt for dead, as in Airflow.
  const by = host === "api" ? Math.sign(step) * 10_000 : step;
  return [{ at, clockStep: host, by }, ...(dice.oneIn(2) ? [drift] : [])];
}

/** In one of three scenarios a user sets each watermark back that the runs of a task share. */
function drawRewinds(dice: Dice, drawn: TaskRun): readonly TaskOperation[] {
  const { tasks, payloads, phases } = drawn;
  if (!dice.oneIn(3) || payloads !== undefined) return [];
  return tasks.flatMap((spec): readonly TaskOperation[] => {
    if (spec.operator !== "watermark") return [];
    if (spec.progressIn === "task-instance" || spec.progressIn === "xcom") return [];
    return [{ at: dice.below(phases.safety), rewind: spec.name, to: dice.below(10) }];
  });
}

/**
 * In one of six scenarios a replica takes over that is behind; never where runs that share their
 * progress would overlap, because a run that had ended comes back.
 */
function drawFailOver(dice: Dice, { payloads, phases, tasks }: TaskRun): readonly FailOver[] {
  const isShared = tasks.some(({ operator }) => operator === "watermark");
  if (!dice.oneIn(6) || payloads !== undefined || isShared) return [];
  const losing = dice.from([2_000, 500, 10_000]);
  const downFor = 1_000 + dice.below(10_000);
  return [{ at: dice.below(phases.safety), failOver: "database", losing, downFor }];
}

/** In one of six scenarios the replica from which attempts read their state lags for a while. */
function drawLag(dice: Dice, { payloads, phases: { safety } }: TaskRun): readonly ReplicaLag[] {
  if (!dice.oneIn(6) || payloads !== undefined) return [];
  const by = dice.from([5_000, 2_000, 20_000]);
  return [{ at: dice.below(safety), lag: "database", by, for: 10_000 + dice.below(60_000) }];
}

function drawBasis(dice: Dice): TaskRun {
  const workers = 1 + dice.below(WORKERS_MAX);
  const safety = dice.from([120_000, 60_000, 240_000]);
  const failing = dice.oneIn(3) ? { failureRate: { numerator: 1, denominator: 4 } } : {};
  const drawn: TaskRun = {
    story: "Drawn from a seed.",
    world: "tasks",
    workers,
    tasks: drawTasks(dice),
    jobServer: { system: dice.from(SYSTEMS), ...failing },
    schedulerEvery: dice.from([1_000, 2_000]),
    heartbeat: dice.from([5_000, 10_000]),
    deadAfter: 30_000,
    heartbeatFailures: 3,
    grace: 10_000,
    sweep: dice.oneIn(4) ? { every: 60_000, batchSize: 100, grace: 0 } : undefined,
    operations: [],
    faults: [...dice.some(SITE_FAULTS, 4), ...drawTimedFaults(dice, workers, safety)],
    storm: dice.oneIn(3)
      ? {
          crashes: { numerator: 1, denominator: 6 },
          pauses: { numerator: 1, denominator: 6 },
          cuts: { numerator: 1, denominator: 6 },
          softKills: { numerator: 1, denominator: 6 },
        }
      : undefined,
    phases: { safety, liveness: 3_600_000 },
    expect: EXPECT_ALL,
  };
  return dice.oneIn(4) ? withPayloads(drawn, dice) : drawn;
}

/**
 * Keeps every value in a payload store, of which calls fail. The id of a job is small, and belongs
 * in the database: the way by the payload store would make the window longer that submits it twice.
 */
function withPayloads(drawn: TaskRun, dice: Dice): TaskRun {
  const tasks = drawn.tasks.filter((spec) => !isJobSpec(spec));
  if (tasks.length === 0) return drawn;
  const faults = [...drawn.faults, ...dice.some(PAYLOAD_FAULTS, 3)];
  return { ...drawn, tasks, payloads: { inlineChars: 0 }, faults: faults.filter(isForLoaders) };
}

/** The mixin runs jobs whose ids it is not to store. */
function withoutIds(drawn: TaskRun): TaskRun {
  const tasks = drawn.tasks.map((spec): TaskSpec => {
    return spec.operator === "resumable" ? { ...spec, durable: false } : spec;
  });
  return { ...drawn, tasks };
}

/** The mixin runs two jobs, one after the other. */
function withTwoJobs(drawn: TaskRun, dice: Dice): TaskRun {
  if (!dice.oneIn(4)) return drawn;
  const tasks = drawn.tasks.map((spec): TaskSpec => {
    return spec.operator === "resumable" ? { ...spec, operator: "resumable-twice" } : spec;
  });
  return { ...drawn, tasks };
}

/** The runs of a task overlap, of those that keep what they do in the state of their own run. */
function withOverlap(drawn: TaskRun, dice: Dice): TaskRun {
  const tasks = drawn.tasks.map((spec): TaskSpec => {
    if (spec.operator === "watermark") return spec;
    return { ...spec, overlap: true, every: dice.from([5_000, 15_000]) };
  });
  return { ...drawn, tasks };
}

/** So many characters stay in the database; what looks like a reference has fewer. */
const INLINE_CHARS = 200;

/** Where there is a payload store, values may look like its references, and lie in the database. */
function withLookalikes(drawn: TaskRun, dice: Dice): TaskRun {
  if (drawn.payloads === undefined || !dice.oneIn(2)) return drawn;
  const tasks = drawn.tasks.map((spec): TaskSpec => {
    return spec.operator === "pages" ? { ...spec, progressAs: "lookalike" } : spec;
  });
  return { ...drawn, tasks, payloads: { inlineChars: INLINE_CHARS } };
}

/** Whether a fault can strike where there is no job system. */
function isForLoaders(fault: TaskScenario["faults"][number]): boolean {
  if ("site" in fault) return !fault.site.startsWith("job.");
  if ("crash" in fault) return fault.crash !== JOB_SYSTEM_HOST;
  if ("overload" in fault) return fault.overload !== JOB_SYSTEM_HOST;
  return !("pause" in fault) || fault.pause !== JOB_SYSTEM_HOST;
}

function drawTasks(dice: Dice): readonly TaskSpec[] {
  const base = (name: string) => ({
    name,
    runs: 1 + dice.below(3),
    every: 60_000,
    mapped: 0,
    retries: RETRIES,
    retryDelay: 2_000,
    clearOnSuccess: dice.oneIn(4),
  });
  const tasks: TaskSpec[] = [
    {
      ...base("report"),
      mapped: dice.oneIn(4) ? 2 : 0,
      operator: dice.from(SOUND_OPERATORS),
      externalIdKey: dice.from(["remote_job_id", "batch_id"]),
      durable: true,
      pollEvery: dice.from([5_000, 1_000]),
    },
  ];
  if (dice.oneIn(3)) {
    const pages = 1 + dice.below(12);
    const progressIn = "task-instance" as const;
    tasks.push({ ...base("pages"), operator: "pages", pages, pageTakes: 0, progressIn });
  }
  if (dice.oneIn(3)) {
    const watermark = { operator: "watermark", progressIn: "task", rowsEvery: 3_000 } as const;
    tasks.push({ ...base("orders"), ...watermark });
  }
  return tasks;
}

function drawTimedFaults(dice: Dice, workers: number, safety: number): (HostFault | SoftKill)[] {
  const faults: (HostFault | SoftKill)[] = [];
  const worker = `worker-${1 + dice.below(workers)}`;
  const hosts = [worker, "api", "scheduler", "database", "triggerer", "jobs"];
  const at = (): number => dice.below(safety);
  if (dice.oneIn(2)) {
    faults.push({ at: at(), crash: dice.from(hosts), restartAfter: 1_000 + dice.below(20_000) });
  }
  if (dice.oneIn(3)) {
    faults.push({ at: at(), pause: dice.from(hosts), for: 1_000 + dice.below(40_000) });
  }
  if (dice.oneIn(4)) {
    const cut = [worker, "api"] as const;
    faults.push({ at: at(), cut, oneWay: dice.oneIn(2), for: 1_000 + dice.below(30_000) });
  }
  if (dice.oneIn(4)) {
    faults.push({
      at: at(),
      softKill: worker,
      category: dice.from(["infrastructure", "timeout"] as const),
      grace: dice.from([30_000, 5_000]),
      restartAfter: 3_000,
    });
  }
  return faults;
}
