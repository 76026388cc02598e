import type { KillCategory } from "../../../src/operator/mod.ts";
import { type Choices, type ChoiceStream, SeededChoices } from "../../choices/choices.ts";
import type { SiteName } from "../../faults/site.ts";
import type { Verdict } from "../../faults/verdict.ts";
import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";

/** One thing that befalls a task; without it the run is a calmer one that still makes sense. */
export type JobAct =
  | {
      readonly kind: "strike";
      readonly site: SiteName;
      readonly nth: number;
      readonly verdict: Verdict;
    }
  /** The worker of an attempt is lost, so long after the attempt began. */
  | { readonly kind: "lost"; readonly attempt: number; readonly afterMs: number }
  | {
      readonly kind: "kill";
      readonly attempt: number;
      readonly afterMs: number;
      readonly category: KillCategory;
    }
  /** The pause before an attempt. */
  | { readonly kind: "pause"; readonly attempt: number; readonly ms: number }
  /** The system goes down and comes back, with or without what it knew. */
  | { readonly kind: "restart"; readonly at: number }
  /** Every look at the system fails for a while. */
  | { readonly kind: "status-errors"; readonly at: number; readonly ms: number }
  /** Somebody else submits a job. */
  | { readonly kind: "stranger"; readonly at: number }
  | { readonly kind: "mode"; readonly mode: SystemMode };

/**
 * How the system is in a run, beyond its preset: one more of the task's first jobs fails; jobs take
 * ten minutes; new jobs are not found at first; finished jobs are soon forgotten; unknown statuses;
 * a success that is told too early.
 */
export type SystemMode =
  | "job-fails"
  | "long-jobs"
  | "visibility-lag"
  | "short-retention"
  | "unknown-status"
  | "flapping";

/** One generated history. */
export interface JobPlan {
  readonly seed: number;
  readonly acts: readonly JobAct[];
}

/** How long acts may strike before everything calms down. */
export const SAFETY_MS = 240_000;
/** For how long a new job may be missing; an operator that is more patient is right. */
const VISIBILITY_LAG_MS = 5_000;
const RETENTION_MS = 20_000;
const LONG_JOB_MS = 600_000;
const EXTRA_ACTS_MAX = 3;
const PAUSES_MS = [10_000, 30_000, 90_000, 200_000] as const;
const KILLS: readonly KillCategory[] = ["timeout", "infrastructure", "user"];
const VERDICTS: readonly Verdict[] = [
  { kind: "crash", when: "before" },
  { kind: "crash", when: "after" },
  { kind: "fail", when: "before" },
  { kind: "fail", when: "after" },
  { kind: "drop", what: "reply" },
];
const CALLS: readonly (readonly [site: SiteName, most: number])[] = [
  ["job.submit", 2],
  ["api.set-task-state", 2],
  ["job.status", 4],
  ["api.xcom", 1],
  ["job.result", 2],
  ["api.get-task-state", 2],
];
/** Every boundary of the first calls, in each of its outcomes. */
const BOUNDARIES: readonly JobAct[] = VERDICTS.flatMap((verdict) =>
  CALLS.flatMap(([site, most]) =>
    Array.from({ length: most }, (_, at): JobAct => {
      return { kind: "strike", site, nth: at + 1, verdict };
    }),
  ),
);

/** The attempt is lost in the window, and its long job takes the one place there is. */
const REFUSED: readonly JobAct[] = [
  { kind: "mode", mode: "long-jobs" },
  { kind: "strike", site: "job.submit", nth: 1, verdict: { kind: "crash", when: "after" } },
];

/** The first of so many sweeps over the boundaries has nothing but its strikes. */
const SWEEPS = 4;

/** What befalls the task, from a seed; `knobs` are those of the system as it is. */
export function jobPlanFrom(
  seed: number,
  knobs: JobSystemKnobs,
  choices: Pick<Choices, "stream"> = new SeededChoices(seed, { record: false }),
): JobPlan {
  const chance = choices.stream("workload", "plan");
  const acts: JobAct[] = [BOUNDARIES[seed % BOUNDARIES.length] as JobAct];
  const below = (n: number): number => chance.choose(n, "plan");
  const draws = drawsFor(knobs);
  const isBare = Math.floor(seed / BOUNDARIES.length) % SWEEPS === 0;
  const count = isBare ? 0 : below(EXTRA_ACTS_MAX + 1);
  for (let n = 0; n < count; n += 1) acts.push(...(draws[below(draws.length)]?.(chance) ?? []));
  return { seed, acts };
}

/** The system of a plan: its knobs, as the acts change them. */
export function knobsOf({ acts }: JobPlan, knobs: JobSystemKnobs): JobSystemKnobs {
  const has = (mode: SystemMode): boolean =>
    acts.some((act) => act.kind === "mode" && act.mode === mode);
  const fails = acts.filter((act) => act.kind === "mode" && act.mode === "job-fails").length;
  const { statusVocabulary, unknownBursts } = knobs;
  const { unmapped } = statusVocabulary;
  return {
    ...knobs,
    failFirst: knobs.failFirst + fails,
    unknownBursts: has("unknown-status")
      ? { rate: { numerator: 1, denominator: 3 }, lengthMs: 15_000 }
      : unknownBursts,
    statusVocabulary: {
      ...statusVocabulary,
      unmapped: unmapped.length === 0 ? ["UNKNOWN"] : unmapped,
    },
    ...(has("long-jobs") ? { runMs: { min: LONG_JOB_MS, max: LONG_JOB_MS } } : {}),
    ...(has("visibility-lag")
      ? { visibilityLag: { ms: VISIBILITY_LAG_MS, shows: "missing" } }
      : {}),
    ...(has("short-retention") ? shortRetention(knobs) : {}),
    ...(has("flapping")
      ? { flappingTerminal: { rate: { numerator: 1, denominator: 1 }, lengthMs: 3_000 } }
      : {}),
  };
}

function shortRetention({ objectVanishes }: JobSystemKnobs): Partial<JobSystemKnobs> {
  return {
    retention: { kind: "time", ms: RETENTION_MS },
    ...(objectVanishes === undefined
      ? {}
      : { objectVanishes: { ...objectVanishes, afterMs: RETENTION_MS } }),
  };
}

type Draw = (chance: ChoiceStream) => readonly JobAct[];

/** What may befall a task on this system; what only some systems do is drawn for those alone. */
function drawsFor(knobs: JobSystemKnobs): readonly Draw[] {
  const mode = (mode: SystemMode): JobAct => ({ kind: "mode", mode });
  const draws: Draw[] = [
    () => [mode("job-fails")],
    () => [mode("job-fails")],
    () => [mode("long-jobs")],
    () => [mode("unknown-status")],
    (chance) => [mode("visibility-lag"), lost(chance, 4_000)],
    (chance) => [lost(chance, 60_000)],
    (chance) => [kill(chance)],
    (chance) => [pause(chance)],
    (chance) => [lost(chance, 60_000), pause(chance)],
    (chance) => [lost(chance, 20_000), kill(chance)],
    (chance) => [statusErrors(chance)],
    lookupDown,
    (chance) => [restart(chance)],
  ];
  if (knobs.retention.kind !== "forever") {
    draws.push((chance) => [mode("short-retention"), mode("job-fails"), lost(chance, 60_000)]);
    draws.push((chance) => [mode("short-retention"), pause(chance), ...strangers(knobs, chance)]);
  }
  if (knobs.objectVanishes !== undefined) draws.push(cleanedAway);
  if (knobs.concurrencyLimit !== undefined)
    draws.push(
      () => REFUSED,
      () => REFUSED,
    );
  if (knobs.flappingTerminal !== undefined) draws.push(() => [mode("flapping")]);
  // A stranger would only take the one place there is.
  if (knobs.concurrencyLimit === undefined) draws.push((chance) => strangers(knobs, chance));
  if (knobs.idReset) draws.push((chance) => [restart(chance), ...strangers(knobs, chance)]);
  return draws;
}

function lost(chance: ChoiceStream, within: number): JobAct {
  const attempt = 1 + chance.choose(2, "attempt");
  return { kind: "lost", attempt, afterMs: chance.choose(within, "after") };
}

/** The attempt that saw its job succeed is lost, and the job is gone before the next one asks. */
function cleanedAway(chance: ChoiceStream): readonly JobAct[] {
  const verdict = { kind: "crash", when: "before" } as const;
  return [
    { kind: "mode", mode: "short-retention" },
    { kind: "strike", site: "job.result", nth: 1 + chance.choose(2, "fetch"), verdict },
    { kind: "pause", attempt: 2, ms: 90_000 },
  ];
}

function kill(chance: ChoiceStream): JobAct {
  const category = KILLS[chance.choose(KILLS.length, "category")] as KillCategory;
  const attempt = 1 + chance.choose(2, "attempt");
  return { kind: "kill", attempt, afterMs: chance.choose(30_000, "after"), category };
}

function pause(chance: ChoiceStream): JobAct {
  const ms = PAUSES_MS[chance.choose(PAUSES_MS.length, "pause")] as number;
  return { kind: "pause", attempt: 2 + chance.choose(2, "attempt"), ms };
}

function statusErrors(chance: ChoiceStream): JobAct {
  return { kind: "status-errors", at: chance.choose(40_000, "at"), ms: 10_000 };
}

/** The attempt is lost, and the next one asks a system that does not answer. */
function lookupDown(chance: ChoiceStream): readonly JobAct[] {
  const afterMs = chance.choose(20_000, "after");
  return [
    { kind: "lost", attempt: 1, afterMs },
    { kind: "status-errors", at: afterMs, ms: 10_000 },
  ];
}

function restart(chance: ChoiceStream): JobAct {
  return { kind: "restart", at: chance.choose(60_000, "at") };
}

function strangers(knobs: JobSystemKnobs, chance: ChoiceStream): readonly JobAct[] {
  if (knobs.concurrencyLimit !== undefined) return [];
  return Array.from({ length: 1 + chance.choose(3, "strangers") }, () => {
    return { kind: "stranger", at: chance.choose(SAFETY_MS / 2, "at") };
  });
}
