import type { Violation } from "../../checkers/mod.ts";
import type { Choice } from "../../choices/choices.ts";
import { isSure, type Ratio } from "../../faults/rule.ts";
import { pinsFrom } from "../../choices/pinned-choices.ts";
import type { RunReport } from "../../run/run-report.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { worldKindOf } from "../../scenario/world-kinds.ts";
import { simulate, type SimulateOptions } from "../../run/simulate.ts";
import { pinPath, type Vacuity } from "../../run/vacuity.ts";
import type { WorldParts } from "../../worlds/world-parts.ts";
import { parseScenario } from "../../scenario/parse.ts";
import { problemsOf } from "../../scenario/problems.ts";
import { writeScenario } from "../../scenario/write.ts";
import { type FailureIdentity, identityOf, isSameFailure } from "./shrink-identity.ts";
import { pinsInOrder } from "./shrink-choices.ts";
import { CHOICES_FEWER, PARTS_FEWER, seededStages, SIMPLER_STAGE } from "./shrink-passes.ts";
import { lower, shrink, type ShrinkProgress, type ShrinkStage, within } from "./shrink.ts";
import { assertPossible, withoutImpossible } from "../possible.ts";
import { remarksOf, storyOf } from "./shrink-story.ts";

export interface ShrinkScenarioOptions {
  /** The seed of the failing run; default 1. */
  readonly seed?: number;
  /** The choices of the failing run, where it was recorded. */
  readonly replay?: readonly Choice[];
  /** The id of the broken promise to preserve; default: the first that broke. */
  readonly checker?: string;
  /** Default 1,000. */
  readonly rerunsMax?: number;
  /** What the run was made of beside the scenario. */
  readonly parts?: WorldParts;
  readonly onProgress?: (progress: ShrinkProgress) => void;
  /**
   * Called with the smallest scenario so far, first with the one that shrinking starts from: each
   * has failed in a run.
   */
  readonly onSmaller?: (scenario: Scenario, failure: FailureIdentity) => void;
  /** Ends the shrinking, with the smallest scenario so far, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** A failing scenario, made small. */
export interface ShrunkScenario {
  readonly scenario: Scenario;
  readonly failure: FailureIdentity;
  /** The run of the small scenario. */
  readonly report: RunReport;
  /** The scenario as a file, the story above it. */
  readonly text: string;
  /** The comment above it, a line each. */
  readonly remarks: readonly string[];
  readonly reruns: number;
  readonly isMinimal: boolean;
}

/** Thrown where the run does not fail, so that there is nothing to shrink. */
export class NothingToShrink extends Error {
  override readonly name = "NothingToShrink";
  /** What came to nothing in that run. */
  readonly vacuous: readonly Vacuity[];

  constructor(message: string, vacuous: readonly Vacuity[]) {
    super(message);
    this.vacuous = vacuous;
  }
}

/** Thrown where two runs of one scenario differ, so that no rerun proves anything. */
export class RunsDiffer extends Error {
  override readonly name = "RunsDiffer";
}

/**
 * Reduces a failing run to a small scenario, in which every choice is calm but for those it lists;
 * or, where the scenario lists all that happens, to the run of one seed.
 *
 * Holds: the result fails in the same way as the run did (the same promise and symptom); two runs
 * of its file gave the same digest; random faults are listed as the call or the time that they
 * struck.
 *
 * @throws {NothingToShrink} when the run holds all promises
 * @throws {RangeError} when a part of the scenario can never come about
 * @throws {RunsDiffer} when a rerun of the same choices does not fail again
 * @throws a `ReplayDrift` when the recorded choices do not fit the code any more
 */
export async function shrinkScenario(
  scenario: Scenario,
  options: ShrinkScenarioOptions = {},
): Promise<ShrunkScenario> {
  const { parts = {}, rerunsMax, onProgress, signal } = options;
  const found = await firstRun(scenario, options);
  const session = new Session(found.violation, parts, hasCodeUnderTest(scenario));
  const { expect } = found.pinned;
  const named = (subject: Scenario): Scenario => {
    return { ...subject, story: storyOf(scenario, session.failure), expect };
  };
  const onSmaller = (subject: Scenario): void => {
    options.onSmaller?.(named(subject), session.failure);
  };
  const start = await session.startOf(found);
  onSmaller(start);
  const { subject, reruns, isMinimal } = await shrink(start, {
    stages: stagesFor(start, session),
    stillFails: (candidate) => session.stillFails(candidate),
    onSmaller,
    signal,
    ...(rerunsMax === undefined ? {} : { rerunsMax }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const small = named(subject);
  const report = await session.report(small);
  const remarks = remarksOf(report, session.failure);
  const text = writeScenario(small, remarks);
  await session.confirm(report, parseScenario(text, small.name));
  return { scenario: small, failure: session.failure, report, text, remarks, reruns, isMinimal };
}

function stagesFor(start: Scenario, session: Session): readonly ShrinkStage<Scenario>[] {
  const { seed } = start;
  if (seed !== undefined) return seededStages(seed, seedsTriedFor(start));
  return [
    [
      ["end", (one) => session.end(one)],
      ...PARTS_FEWER,
      ["choices that decide nothing", (one) => session.withoutUnusedPins(one)],
      ...CHOICES_FEWER,
    ],
    SIMPLER_STAGE,
  ];
}

/** Code of a user may do anything after a failure, for ever: its runs end there. */
function hasCodeUnderTest(scenario: Scenario): boolean {
  return worldKindOf(scenario).subject !== undefined;
}

function seedsTriedFor(scenario: Scenario): number {
  return worldKindOf(scenario).makeup.seedsTried ?? 0;
}

interface FirstRun {
  readonly violation: Violation;
  /** The scenario as the one run of its seed, where its world is shrunk in that form. */
  readonly seeded: Scenario | undefined;
  /** The scenario with every choice pinned. */
  readonly pinned: Scenario;
  /** The same with its random faults listed one by one; undefined where there are none. */
  readonly listed: Scenario | undefined;
}

async function firstRun(scenario: Scenario, options: ShrinkScenarioOptions): Promise<FirstRun> {
  const { seed = 1, replay, checker, parts = {} } = options;
  const struck: object[] = [];
  const isOf = (one: Violation): boolean => checker === undefined || one.checker === checker;
  const report = await simulate(scenario, {
    seed,
    ...parts,
    ...(replay === undefined ? {} : { replay }),
    ...(hasCodeUnderTest(scenario) ? { endAt: isOf } : {}),
    onChance: (fault) => struck.push(fault),
  });
  const broken = report.violations;
  const violation = broken.find(isOf);
  if (violation === undefined) {
    const what = checker === undefined ? "all promises" : `promise ${checker}`;
    throw new NothingToShrink(
      `Cannot shrink "${scenario.name}": seed ${seed} holds ${what}`,
      report.vacuous,
    );
  }
  const expect = { checkers: [violation.checker], broken: [], brokenIn: "every-run" as const };
  const pinned = {
    ...scenario,
    expect,
    seed: undefined,
    choices: pinsInOrder(pinsFrom(report.choices)),
  };
  assertPossible(withoutImpossible(pinned), "shrink");
  const isSeeded = seedsTriedFor(scenario) > 0 && struck.length === 0;
  const seeded = { ...scenario, seed: report.seed, choices: undefined };
  return {
    violation,
    seeded: isSeeded ? withoutImpossible(seeded) : undefined,
    pinned: withoutImpossible(pinned),
    listed: struck.length === 0 ? undefined : withoutImpossible(listedFrom(pinned, struck)),
  };
}

/** Lists what random faults struck, in place of rates, storms and the pins of fault choices. */
function listedFrom(pinned: Scenario, struck: readonly object[]): Scenario {
  const { makeup } = worldKindOf(pinned);
  const sure = makeup
    .faults(pinned)
    .filter(({ rate }: { readonly rate?: Ratio | undefined }) => isSure(rate));
  const choices = (pinned.choices ?? []).filter(({ kind }) => kind !== "fault");
  const faults = [...sure, ...struck.toSorted(laterCallsFirst)];
  return makeup.withoutStorm(makeup.withFaults({ ...pinned, choices }, faults));
}

/** A rule counts the calls that no rule before it struck: where later ones come first, all. */
function laterCallsFirst(one: object, other: object): number {
  return callOf(other) - callOf(one);
}

function callOf(fault: object): number {
  return "nth" in fault && typeof fault.nth === "number" ? fault.nth : 0;
}

/** State of one shrinking: the failure to preserve, and when it last occurred. */
class Session {
  readonly failure: FailureIdentity;
  readonly #parts: WorldParts;
  readonly #endsAtFailure: boolean;
  #struckAt: number;
  /** The paths of what came to nothing until the failure, choices among them. */
  #vacuous: ReadonlySet<string> = new Set();

  constructor(violation: Violation, parts: WorldParts, endsAtFailure: boolean) {
    this.failure = identityOf(violation);
    this.#parts = parts;
    this.#endsAtFailure = endsAtFailure;
    this.#struckAt = violation.at;
  }

  /** Returns the first candidate: the one that is plainest to read, if that fails too. */
  async startOf({ seeded, pinned, listed }: FirstRun): Promise<Scenario> {
    if (seeded !== undefined && (await this.stillFails(seeded))) return seeded;
    if (listed !== undefined && (await this.stillFails(listed))) return listed;
    if (await this.stillFails(pinned)) return pinned;
    throw new RunsDiffer("The same choices do not fail again");
  }

  /** Cuts the phases after the failure. */
  *end(scenario: Scenario): Generator<Scenario, void, boolean> {
    const { safety, liveness } = scenario.phases;
    const needed = Math.ceil((this.#struckAt + 1) / SECOND_MS) * SECOND_MS;
    const cut =
      needed <= safety
        ? { safety: needed, liveness: SECOND_MS }
        : { safety, liveness: Math.min(liveness, needed - safety) };
    // What was to happen later can never come about in a shorter phase.
    const ending = (phases: Scenario["phases"]): Scenario =>
      withoutImpossible({ ...scenario, phases });
    const phases = (yield ending(cut)) ? cut : scenario.phases;
    yield* within(lower(Math.ceil(phases.safety / SECOND_MS), 1), (seconds) =>
      ending({ ...phases, safety: seconds * SECOND_MS }),
    );
  }

  /** Removes all pins at once that decided nothing in the last run that failed. */
  *withoutUnusedPins(scenario: Scenario): Generator<Scenario, void, boolean> {
    const { choices = [] } = scenario;
    const used = choices.filter((_, at) => !this.#vacuous.has(pinPath(at)));
    if (used.length < choices.length) yield { ...scenario, choices: used };
  }

  async stillFails(candidate: Scenario): Promise<boolean> {
    if (problemsOf(candidate).length > 0) return false;
    const failed = await this.#runToFailure(candidate);
    if (failed === undefined) return false;
    this.#struckAt = failed.at;
    this.#vacuous = failed.vacuous;
    return true;
  }

  /** Runs a scenario as a report of the failure needs it. */
  report(scenario: Scenario, options: SimulateOptions = {}): Promise<RunReport> {
    return simulate(scenario, {
      ...this.#parts,
      ...(this.#endsAtFailure ? { endAt: (one: Violation) => this.#isOfPromise(one) } : {}),
      ...options,
    });
  }

  /** Runs what was written; it must fail in the same way as the run before, by the same digest. */
  async confirm({ digest, violations }: RunReport, written: Scenario): Promise<void> {
    const again = await this.report(written, { trace: false });
    const fails = violations.some((one) => isSameFailure(identityOf(one), this.failure));
    if (!fails || again.digest !== digest) {
      throw new RunsDiffer("Two runs of the small scenario differ");
    }
  }

  #isOfPromise({ checker }: Violation): boolean {
    return checker === this.failure.checker;
  }

  /** Returns when the failure occurs, if it is the first violation of its promise. */
  async #runToFailure(candidate: Scenario): Promise<FailedRun | undefined> {
    try {
      const { violations, vacuous } = await simulate(candidate, {
        ...this.#parts,
        trace: false,
        digest: false,
        endAt: (one) => this.#endsAtFailure || this.#isOfPromise(one),
      });
      const first = violations.find((one) => this.#isOfPromise(one));
      if (first === undefined || !isSameFailure(identityOf(first), this.failure)) return undefined;
      return { at: first.at, vacuous: new Set(vacuous.map(({ path }) => path)) };
    } catch (error) {
      // A fault names a host, or an operation a task, that the smaller world does not have.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

const SECOND_MS = 1_000;

/** A run of a candidate that failed in the same way. */
interface FailedRun {
  /** When, in milliseconds of virtual time. */
  readonly at: number;
  /** The paths of what came to nothing. */
  readonly vacuous: ReadonlySet<string>;
}
