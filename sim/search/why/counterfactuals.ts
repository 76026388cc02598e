import { type Choice, type Choices, SeededChoices } from "../../choices/choices.ts";
import { pinsFrom, PinnedChoices } from "../../choices/pinned-choices.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { worldKindOf } from "../../scenario/world-kinds.ts";
import { ChoicesInOrder } from "./choices-in-order.ts";
import { type RunPart, scenarioWithout } from "./run-parts.ts";

/** What came of a run without some of its parts. */
export type WithoutPart =
  /** The promise breaks all the same: there is such a run. */
  | "breaks"
  /** It holds, in whichever way the choices of the run are made again. */
  | "holds"
  /** The run is the same: the part did nothing until the failure. */
  | "same"
  /** The scenario makes no sense without it. */
  | "impossible";

/** A run of the scenario with these choices, until the promise breaks. */
export interface TriedRun {
  readonly isBroken: boolean;
  readonly digest: string;
}

/** Makes a run; undefined when there is no time left. */
export type TryRun = (scenario: Scenario, choices: Choices) => Promise<TriedRun | undefined>;

/** A part of the run, and whether the promise breaks without it. */
export interface Counterfactual {
  readonly parts: readonly RunPart[];
  readonly without: "breaks" | "holds";
}

/** All counterfactuals of a run. */
export interface Counterfactuals {
  readonly singles: readonly Counterfactual[];
  /** The pairs of parts that are not needed alone, and without which the promise holds. */
  readonly pairs: readonly Counterfactual[];
  /** What comes of a run without all of the parts that are not needed alone. */
  readonly withoutAll: "breaks" | "holds" | undefined;
  /** How many parts were not tried. */
  readonly untried: number;
  /** How many pairs were not tried that may be needed: 0 where it breaks without all of them. */
  readonly pairsUntried: number;
  /** Whether all was tried that is to be tried: no more than the most parts. */
  readonly isWhole: boolean;
}

/** How many parts are left out alone. */
const SINGLES_MAX = 160;
/** Pairs are tried of so many parts: the first. */
const PAIRS_OF_MAX = 12;
/** Where a scenario lists all that happens, latencies alone do not make the promise hold. */
const SEEDS_TRIED = 4;

/** Leaves out parts of one run. */
export class PartsLeftOut {
  readonly #scenario: Scenario;
  readonly #recording: readonly Choice[];
  readonly #digest: string;
  /** What came of each run without some parts, by the names of these. */
  readonly #known = new Map<string, WithoutPart>();

  /** `recording` are the choices of the run until its failure, and `digest` is of its trace. */
  constructor(run: {
    readonly scenario: Scenario;
    readonly recording: readonly Choice[];
    readonly digest: string;
  }) {
    this.#scenario = run.scenario;
    this.#recording = run.recording;
    this.#digest = run.digest;
  }

  /** Tries each part alone, then pairs; what was tried by an earlier call is not tried again. */
  async all(parts: readonly RunPart[], tryRun: TryRun): Promise<Counterfactuals> {
    const singles: Counterfactual[] = [];
    const first = parts.slice(0, SINGLES_MAX);
    let tried = 0;
    for (const part of first) {
      const without = await this.without([part], tryRun);
      if (without === undefined) break;
      tried += 1;
      if (without === "breaks" || without === "holds") singles.push({ parts: [part], without });
    }
    const unneeded = singles
      .filter(({ without }) => without === "breaks")
      .flatMap((one) => one.parts);
    const isTogether = unneeded.length >= 2;
    const together = isTogether ? await this.without(unneeded, tryRun) : undefined;
    const withoutAll = together === "breaks" || together === "holds" ? together : undefined;
    const planned = withoutAll === "holds" ? pairsOf(unneeded) : [];
    const pairs: Counterfactual[] = [];
    let pairsTried = 0;
    for (const pair of planned) {
      const without = await this.without(pair, tryRun);
      if (without === undefined) break;
      pairsTried += 1;
      if (without === "holds") pairs.push({ parts: pair, without });
    }
    const isCut = tried < first.length || (isTogether && together === undefined);
    const pairsUntried = (isCut ? pairsOf(unneeded) : planned).length - pairsTried;
    const isWhole = !isCut && pairsUntried === 0;
    return { singles, pairs, withoutAll, untried: parts.length - tried, pairsUntried, isWhole };
  }

  /** Leaves out these parts together; undefined when there is no time left. */
  async without(parts: readonly RunPart[], tryRun: TryRun): Promise<WithoutPart | undefined> {
    const name = JSON.stringify(parts.map(({ path, choice }) => path ?? choice));
    const known = this.#known.get(name) ?? (await this.#tryWithout(parts, tryRun));
    if (known !== undefined) this.#known.set(name, known);
    return known;
  }

  async #tryWithout(parts: readonly RunPart[], tryRun: TryRun): Promise<WithoutPart | undefined> {
    const scenario = scenarioWithout(this.#scenario, parts);
    if (scenario === undefined) return "impossible";
    const calm = new Set(parts.map(({ choice }) => choice));
    const recording = this.#recording.map((choice, at) =>
      calm.has(at) ? { ...choice, value: 0 } : choice,
    );
    for (const choices of this.#waysToChoose(recording)) {
      const run = await tryRun(scenario, choices);
      if (run === undefined) return undefined;
      if (run.isBroken) return run.digest === this.#digest ? "same" : "breaks";
    }
    return "holds";
  }

  /** The recorded choices, found by their number or in order; or drawn ones of little weight. */
  *#waysToChoose(recording: readonly Choice[]): Generator<Choices> {
    yield new PinnedChoices(pinsFrom(recording), { record: false });
    yield new ChoicesInOrder(recording);
    const { seedsTried = 0 } = worldKindOf(this.#scenario).makeup;
    const seeds = seedsTried > 0 ? SEEDS_TRIED : 0;
    for (let seed = 1; seed <= seeds; seed += 1) yield new SeededChoices(seed, { record: false });
  }
}

/** Returns the pairs of the first of these parts. */
function pairsOf(parts: readonly RunPart[]): readonly (readonly [RunPart, RunPart])[] {
  const first = parts.slice(0, PAIRS_OF_MAX);
  return first.flatMap((one, at) => first.slice(at + 1).map((other) => [one, other] as const));
}
