import type { Violation } from "../../checkers/mod.ts";
import type { Choice, Choices } from "../../choices/choices.ts";
import { PrefixChoices } from "../../choices/prefix-choices.ts";
import { simulate } from "../../run/simulate.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { WorldParts } from "../../worlds/world-parts.ts";
import { type Chance, chanceOf } from "../strategy/chance.ts";
import { type ChoiceInWords, ChoiceTeller } from "./choice-words.ts";
import {
  type Counterfactuals,
  PartsLeftOut,
  type TriedRun,
  type TryRun,
} from "./counterfactuals.ts";
import { type ChoicePoint, type FailingRun, failingRunOf } from "./failing-run.ts";
import { isMissedChance, partsOfRun } from "./run-parts.ts";
import { type CurvePoint, type Rise, ShareCurve } from "./share-curve.ts";
import { type BudgetPart, WhyBudget } from "./why-budget.ts";

/** How `explainFailure` works. */
export interface WhyOptions {
  /** The seed of the failing run. */
  readonly seed: number;
  /** Every choice of the failing run. */
  readonly replay: readonly Choice[];
  /** The digest of the failing run, which the first replay must reach. */
  readonly digest?: string;
  /** The broken promise to explain; default: the first that broke. */
  readonly checker?: string | undefined;
  /** What the run was made of beside the scenario. */
  readonly parts?: WorldParts;
  /** Where the redrawn choices come from; default 1. */
  readonly drawSeed?: number;
  /** The most runs; default: no limit. */
  readonly runsMax?: number | undefined;
  /** The most steps of all runs, each run counted as 1,000 steps more; default: no limit. */
  readonly costMax?: number | undefined;
  readonly onProgress?: (progress: WhyProgress) => void;
  /** Ends the search, with what is known by then, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

export interface WhyProgress {
  readonly doing: string;
  readonly runs: number;
  /** How much of the budget is spent, in percent. */
  readonly percent: number;
}

/** A point of the curve, and when the first choice is made that is drawn anew. */
interface TimedPoint extends CurvePoint {
  /** In virtual milliseconds of the failing run; of the last point, when the promise broke. */
  readonly at: number;
}

/** A rise of the curve, with the choices that it comes from. */
export interface NamedRise extends Rise {
  readonly choices: readonly ChoiceInWords[];
  /** How many choices of the rise are not among them. */
  readonly more: number;
}

/** When a failing run became likely to fail, and what it needed for that. */
export interface Why {
  readonly violation: Violation;
  /** How many choices the run made until the promise broke. */
  readonly choices: number;
  /** The curve; the last point is the failing run itself. */
  readonly points: readonly TimedPoint[];
  /** The least measured number of choices from which on every run broke. */
  readonly certainFrom: number;
  /** Steepest first. */
  readonly rises: readonly NamedRise[];
  readonly counterfactuals: Counterfactuals;
  readonly runs: number;
  readonly steps: number;
  /** Whether the budget was enough for the whole curve. */
  readonly isCurveWhole: boolean;
  /** Whether the budget was enough for the whole answer. */
  readonly isComplete: boolean;
}

/** Thrown where the run does not break the promise, so that there is nothing to explain. */
export class NothingToExplain extends Error {
  override readonly name = "NothingToExplain";
}

/** Thrown where the replayed run is not the recorded one. */
export class ReplayDiffers extends Error {
  override readonly name = "ReplayDiffers";
}

/** How many rises are named, and how many choices of one. */
const RISES_NAMED = 5;
const CHOICES_NAMED = 3;
/** What a choice explains that the run needed: more than any other. */
const NEEDED_WEIGHT = 5;
/**
 * The curve takes so much of the budget, then what leaves out faults and acts as much, so that both
 * say something of a long run; what is left refines the curve, and then goes to the others.
 */
const SHARE_AT_FIRST = [1, 3] as const;
/** The seeds of redrawn runs are drawn from so many. */
const SEEDS = 2 ** 30;

/**
 * Explains when a failing run became likely to fail: takes its first k choices again, draws the
 * rest anew, and measures the share of runs that break the same promise, over k. Then leaves out
 * each fault and act of the run.
 *
 * Holds: the same run, seed, budget and code give the same answer on every machine.
 *
 * @throws {NothingToExplain} when the run holds the promise
 * @throws {ReplayDiffers} when the run is not the recorded one
 * @throws a `ReplayDrift` when the recorded choices do not fit the code any more
 */
export async function explainFailure(scenario: Scenario, options: WhyOptions): Promise<Why> {
  const checker = await brokenPromise(scenario, options);
  const narrow = narrowed(scenario, checker);
  const { replay, seed, parts = {} } = options;
  const run = await failingRunOf(narrow, replay, checker, { ...parts, seed });
  if (run === undefined) {
    throw new ReplayDiffers(`Cannot explain "${scenario.name}": checked alone, ${checker} holds`);
  }
  const session = new Session(narrow, run, checker, options);
  await session.measureCurve(session.budget.part(...SHARE_AT_FIRST));
  await session.leaveOut(session.budget.part(...SHARE_AT_FIRST));
  await session.measureCurve(session.budget);
  const counterfactuals = await session.leaveOut(session.budget);
  const { curve } = session;
  const isCurveWhole = curve.next() === undefined;
  return {
    violation: run.violation,
    choices: run.points.length,
    points: curve.points.map((point) => ({ ...point, at: session.timeOf(point) })),
    certainFrom: curve.certainFrom,
    rises: session.named(curve.rises(), neededAlone(counterfactuals)),
    counterfactuals,
    runs: session.budget.runs,
    steps: session.budget.steps,
    isCurveWhole,
    isComplete: isCurveWhole && counterfactuals.isWhole,
  };
}

/** Replays the run as it was recorded, and returns the promise to explain. */
async function brokenPromise(scenario: Scenario, options: WhyOptions): Promise<string> {
  const { seed, replay, digest, checker, parts } = options;
  const report = await simulate(scenario, { ...parts, seed, replay, trace: false });
  if (digest !== undefined && digest !== report.digest) {
    throw new ReplayDiffers(`The digest differs: ${report.digest}, recorded ${digest}`);
  }
  const broken = report.violations.map((one) => one.checker);
  const [first] = broken;
  if (first === undefined || (checker !== undefined && !broken.includes(checker))) {
    const what = checker === undefined ? "all promises" : `promise ${checker}`;
    throw new NothingToExplain(`Cannot explain "${scenario.name}": the run holds ${what}`);
  }
  return checker ?? first;
}

/** Returns the choices without which, each calm instead, the promise holds. */
function neededAlone({ singles }: Counterfactuals): ReadonlySet<number | undefined> {
  const needed = singles.filter(({ without }) => without === "holds");
  return new Set(needed.flatMap(({ parts }) => parts.map(({ choice }) => choice)));
}

/** Only this promise is checked. */
function narrowed(scenario: Scenario, checker: string): Scenario {
  const expect = { checkers: [checker], broken: [], brokenIn: "every-run" as const };
  return { ...scenario, expect };
}

/** One explanation: the failing run, the budget, and what is known by now. */
class Session {
  readonly budget: WhyBudget;
  readonly curve: ShareCurve;
  readonly #chances = new Map<number, Chance>();
  readonly #leftOut: PartsLeftOut;
  readonly #scenario: Scenario;
  readonly #run: FailingRun;
  readonly #checker: string;
  readonly #options: WhyOptions;
  readonly #recording: readonly Choice[];
  readonly #teller: ChoiceTeller;

  constructor(scenario: Scenario, run: FailingRun, checker: string, options: WhyOptions) {
    this.budget = new WhyBudget(options);
    this.#scenario = scenario;
    this.#run = run;
    this.#checker = checker;
    this.#options = options;
    this.#recording = options.replay.slice(0, run.points.length);
    this.#teller = new ChoiceTeller(scenario, run);
    this.curve = new ShareCurve(this.#recording.length);
    const { digest } = run.report;
    this.#leftOut = new PartsLeftOut({ scenario, recording: this.#recording, digest });
  }

  /** Measures the curve until nothing is left of the budget; goes on where it ended. */
  async measureCurve(budget: BudgetPart): Promise<void> {
    const { curve } = this;
    for (;;) {
      const measurement = curve.next();
      if (measurement === undefined) return;
      const { taken, runs } = measurement;
      const chance =
        this.#chances.get(taken) ?? chanceOf(this.#options.drawSeed ?? 1, `why/${taken}`);
      this.#chances.set(taken, chance);
      let [made, broken] = [0, 0];
      while (made < runs && budget.isLeft) {
        const choices = new PrefixChoices(this.#recording, taken, chance(SEEDS));
        if ((await this.#try(this.#scenario, choices)).isBroken) broken += 1;
        made += 1;
        this.#report(`from choice ${taken} of ${this.#recording.length}`);
      }
      if (made > 0) curve.add({ taken, runs: made, broken });
      if (made < runs) return;
    }
  }

  /** Leaves out faults and acts until nothing is left of the budget; goes on where it ended. */
  async leaveOut(budget: BudgetPart): Promise<Counterfactuals> {
    const tryRun: TryRun = async (scenario, choices) => {
      if (!budget.isLeft) return undefined;
      const tried = await this.#try(scenario, choices, { digest: true });
      this.#report("leaving out faults and acts");
      return tried;
    };
    return this.#leftOut.all(partsOfRun(this.#scenario, this.#run, this.#teller), tryRun);
  }

  timeOf({ taken }: CurvePoint): number {
    const point = this.#run.points[taken];
    return point === undefined ? this.#run.violation.at : this.#teller.timeOf(point);
  }

  /** Names the choices of each rise that explain most; `needed` are those that the run needed. */
  named(rises: readonly Rise[], needed: ReadonlySet<number | undefined>): readonly NamedRise[] {
    const weightOf = (point: ChoicePoint): number =>
      needed.has(point.at) ? NEEDED_WEIGHT : this.#weightOf(point);
    return rises.slice(0, RISES_NAMED).map((rise) => {
      const points = this.#run.points.slice(rise.from.taken, rise.to.taken);
      const telling = points
        .toSorted((one, other) => weightOf(other) - weightOf(one) || one.at - other.at)
        .slice(0, CHOICES_NAMED)
        .toSorted((one, other) => one.at - other.at);
      return {
        ...rise,
        choices: telling.map((point) => this.#teller.tell(point)),
        more: points.length - telling.length,
      };
    });
  }

  /** Makes a run until the promise breaks. */
  async #try(
    scenario: Scenario,
    choices: Choices,
    { digest }: { readonly digest: boolean } = { digest: false },
  ): Promise<TriedRun> {
    const { seed, parts = {} } = this.#options;
    const report = await simulate(scenario, {
      ...parts,
      seed,
      choices,
      digest,
      trace: false,
      endAt: (one) => one.checker === this.#checker,
    });
    this.budget.spend(report.stats.steps);
    const isBroken = report.violations.some((one) => one.checker === this.#checker);
    return { isBroken, digest: report.digest };
  }

  #report(doing: string): void {
    const { runs, percent } = this.budget;
    this.#options.onProgress?.({ doing, runs, percent });
  }

  /** How much a choice explains: a fault that struck, an act, who went first. */
  #weightOf(point: ChoicePoint): number {
    const { at, kind, value } = point;
    if (this.#run.drawn.some(({ choice }) => choice === at)) return 4;
    if (value === 0 || isMissedChance(point) || this.#teller.isCalm(point)) return 0;
    if (kind === "workload") return 3;
    return kind === "sched" ? 2 : 1;
  }
}
