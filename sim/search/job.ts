import type { Choices } from "../choices.ts";
import { Calibrator } from "./calibration.ts";
import { Coverage } from "./coverage.ts";
import { type StrategyName, strategyNamed } from "./portfolio.ts";
import { RecordedChoices } from "./recorded-choices.ts";
import { type FailureIdentity, identityOf } from "./shrink-identity.ts";
import { type Calibration, type ChoiceString, choiceStringFrom, type Plan } from "./strategy.ts";
import type { Subject } from "./subject.ts";
import { Swarm } from "./swarm.ts";

/** One run of a search, whole: whoever has the job and the code can have the run. */
export interface Job {
  readonly subject: number;
  readonly run: number;
  readonly seed: number;
  readonly strategy: StrategyName | "calibration";
  readonly turn: number;
  readonly isSwarm: boolean;
  readonly calibration: Calibration;
  readonly parent: ChoiceString | undefined;
}

/** What became of a job; plain data, so that it can come from a worker. */
export interface JobResult {
  readonly failures: readonly FailureIdentity[];
  readonly digest: string;
  /** Which features it showed that were not known when its batch began. */
  readonly features: Uint32Array;
  readonly marks: readonly (readonly [mark: string, times: number])[];
  readonly faults: number;
  /** How to go this way again; undefined where there was nothing new on it. */
  readonly choices: ChoiceString | undefined;
  /** Of a calibration run. */
  readonly calibration: Calibration | undefined;
  /** Real milliseconds, where the machine's clock was given; it decides nothing. */
  readonly ms: number;
}

/** The choices that a job's run takes, and the swarm that it runs in. */
export function choicesOfJob(
  job: Job,
  { mayStall }: Pick<Subject, "mayStall">,
): {
  readonly choices: Choices;
  readonly swarm: Swarm | undefined;
  readonly calibrator: Calibrator | undefined;
} {
  const { seed, turn, calibration, parent, strategy } = job;
  const swarm = job.isSwarm ? new Swarm(seed) : undefined;
  const plan: Plan = {
    seed,
    turn,
    calibration,
    mayStall,
    parent,
    swarm: swarm?.around ?? ((source) => source),
  };
  const calibrator = strategy === "calibration" ? new Calibrator(mayStall) : undefined;
  const source =
    strategy === "calibration" ? calibrator?.source(plan) : strategyNamed(strategy)(plan);
  return {
    choices: new RecordedChoices(source ?? strategyNamed("random")(plan)),
    swarm,
    calibrator,
  };
}

/** Runs a job; `known` are the features that are no news. */
export async function runJob(
  subject: Subject,
  job: Job,
  known: ReadonlySet<number>,
  now: () => number,
): Promise<JobResult> {
  const startedAt = now();
  const { choices, swarm, calibrator } = choicesOfJob(job, subject);
  const coverage = new Coverage();
  const { violations, digest, marks, faults } = await subject.run({
    seed: job.seed,
    choices,
    swarm,
    listen: coverage.hear,
  });
  for (const [mark, times] of marks) if (times > 0) coverage.mark(mark);
  const features = Uint32Array.from([...coverage.features].filter((one) => !known.has(one)));
  return {
    failures: violations.map(identityOf),
    digest,
    features,
    marks: marks.filter(([, times]) => times > 0),
    faults,
    choices: features.length > 0 ? choiceStringFrom(choices.recorded()) : undefined,
    calibration: calibrator?.result(),
    ms: now() - startedAt,
  };
}
