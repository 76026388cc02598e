import type { Choices } from "../choices/choices.ts";
import { Calibrator } from "./strategy/calibration.ts";
import { Coverage } from "./coverage.ts";
import { type Failure, failureFrom } from "./failure.ts";
import { type StrategyName, strategyNamed } from "./strategy/portfolio.ts";
import { RecordedChoices } from "./strategy/recorded-choices.ts";
import type { Calibration, Plan } from "./strategy/strategy.ts";
import type { Subject } from "./subject.ts";
import { Swarm } from "./swarm.ts";

/** Everything that determines one run of a search; the job and the code reproduce it. */
export interface Job {
  readonly subject: number;
  readonly run: number;
  readonly seed: number;
  readonly strategy: StrategyName | "calibration";
  readonly turn: number;
  readonly isSwarm: boolean;
  readonly calibration: Calibration;
}

/** The result of a job; plain data, so that a worker can send it. */
export interface JobResult {
  readonly failures: readonly Failure[];
  readonly digest: string;
  /** The features that were unknown when its batch began. */
  readonly features: Uint32Array;
  readonly marks: readonly (readonly [mark: string, times: number])[];
  readonly faults: number;
  /** Which of the parts that the subject lists took effect, by their places. */
  readonly effects?: readonly number[];
  /** What a calibration run measured; undefined for other runs. */
  readonly calibration: Calibration | undefined;
  /** Real milliseconds by the executor's clock; no decision depends on it. */
  readonly ms: number;
}

/** Returns the choices for a job's run, and its swarm and calibrator if it has them. */
export function choicesOfJob(
  job: Job,
  { mayStall }: Pick<Subject, "mayStall">,
): {
  readonly choices: Choices;
  readonly swarm: Swarm | undefined;
  readonly calibrator: Calibrator | undefined;
} {
  const { seed, turn, calibration, strategy } = job;
  const swarm = job.isSwarm ? new Swarm(seed) : undefined;
  const plan: Plan = {
    seed,
    turn,
    calibration,
    mayStall,
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

/** Runs a job; features in `known` are not reported as new. */
export async function runJob(
  subject: Subject,
  job: Job,
  known: ReadonlySet<number>,
  now: () => number,
): Promise<JobResult> {
  const startedAt = now();
  const { choices, swarm, calibrator } = choicesOfJob(job, subject);
  const coverage = new Coverage();
  const { violations, digest, marks, faults, effects } = await subject.run({
    seed: job.seed,
    choices,
    swarm,
    listen: coverage.observe,
  });
  for (const [mark, times] of marks) if (times > 0) coverage.mark(mark);
  const features = Uint32Array.from([...coverage.features].filter((one) => !known.has(one)));
  return {
    failures: violations.map(failureFrom),
    digest,
    features,
    marks: marks.filter(([, times]) => times > 0),
    faults,
    ...(effects === undefined ? {} : { effects }),
    calibration: calibrator?.result(),
    ms: now() - startedAt,
  };
}
