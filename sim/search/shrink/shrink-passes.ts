import type { PinnedChoice } from "../../choices/pinned-choices.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { worldKindOf } from "../../scenario/world-kinds.ts";
import type { PartList, ScenarioMakeup } from "../../worlds/scenario-makeup.ts";
import { memberAt, memberPaths, withMember } from "../../codecs/members.ts";
import { inputFrom, scenarioFrom, type ScenarioInput } from "../../scenario/write.ts";
import { fewer, lower, type ShrinkPass, type ShrinkStage, within } from "./shrink.ts";
import { calmerPins, fewerPins, mergedPins } from "./shrink-choices.ts";

type Walk = Generator<Scenario, Scenario, boolean>;
type Pins = readonly PinnedChoice[];

/** Members that say what the scenario is about, which are never removed as settings. */
const KEPT: ReadonlySet<string> = new Set(
  "story world producer broker operator profile name expect seed choices phases".split(" "),
);
/** Pairs are not removed from scenarios with more parts, because there are too many pairs. */
const PAIRS_OF_MAX = 16;

/** The passes that remove parts of a scenario other than choices. */
export const PARTS_FEWER: ShrinkStage<Scenario> = [
  ["faults", faults],
  ["operations", operations],
  ["hosts and subscribers", hostsAndSubscribers],
  ["settings", (scenario) => settings(scenario, lengthensNoTime)],
];

/**
 * The passes that remove choices, and then the settings whose defaults are longer times: with a
 * longer timeout the same failure may need more choices.
 */
export const CHOICES_FEWER: ShrinkStage<Scenario> = [
  ["choices", choicesBy(fewerPins)],
  ["settings", (scenario) => settings(scenario)],
];

/** The passes that simplify the remaining parts. */
export const SIMPLER_STAGE: ShrinkStage<Scenario> = [
  ["choices toward 0", choicesBy(calmerPins)],
  ["preemptions", choicesBy(mergedPins)],
  ["times", times],
];

/**
 * Returns the stages for a scenario that is the run of one seed. A smaller candidate may fail with
 * any of the `count` seeds from `first` on, because latencies and races differ in each.
 */
export function seededStages(first: number, count: number): readonly ShrinkStage<Scenario>[] {
  const inAnySeed = (walkOf: (scenario: Scenario) => Walk): ShrinkPass<Scenario> =>
    withSeeds(walkOf, first, count);
  return [
    [
      ["faults", inAnySeed(faults)],
      ["operations", inAnySeed(operations)],
      ["hosts and subscribers", inAnySeed(members)],
    ],
    [["two parts at once", inAnySeed(withoutPair)]],
    [
      ["settings", (scenario) => settings(scenario)],
      ["counts", counts],
      ["times", times],
    ],
  ];
}

function withSeeds(
  walkOf: (scenario: Scenario) => Walk,
  first: number,
  count: number,
): ShrinkPass<Scenario> {
  return function* seeds(scenario) {
    let { seed = first } = scenario;
    const walk = walkOf(scenario);
    let step = walk.next();
    while (step.done !== true) {
      let isTaken = false;
      const last = seed;
      for (let turn = 0; turn < count && !isTaken; turn += 1) {
        seed = first + ((last - first + turn) % count);
        isTaken = yield { ...step.value, seed };
      }
      if (!isTaken) seed = last;
      step = walk.next(isTaken);
    }
  };
}

function* faults(scenario: Scenario): Walk {
  const { makeup } = worldKindOf(scenario);
  let kept = scenario;
  if (makeup.hasStorm(kept)) {
    const without = makeup.withoutStorm(kept);
    if (yield without) kept = without;
  }
  return yield* within(fewer(makeup.faults(kept)), (left) => makeup.withFaults(kept, left));
}

function* operations(scenario: Scenario): Walk {
  return yield* fewerParts(scenario, worldKindOf(scenario).makeup.operations);
}

function* hostsAndSubscribers(scenario: Scenario): Walk {
  return yield* counts(yield* members(scenario));
}

function* members(scenario: Scenario): Walk {
  let kept = scenario;
  for (const parts of worldKindOf(scenario).makeup.members) kept = yield* fewerParts(kept, parts);
  return kept;
}

/** Removes two parts that only make sense together, such as a fault and its repair. */
function* withoutPair(scenario: Scenario): Walk {
  const { makeup } = worldKindOf(scenario);
  const lists: readonly PartList<Scenario>[] = [
    makeup.operations,
    ...makeup.members,
    faultParts(makeup),
  ];
  const places = lists.flatMap((parts) =>
    Array.from({ length: parts.count(scenario) }, (_, at) => ({ parts, at })),
  );
  if (places.length > PAIRS_OF_MAX) return scenario;
  for (const [last, one] of [...places.entries()].reverse()) {
    for (const other of places.slice(0, last).reverse()) {
      const left = without(without(scenario, one), other);
      if (lists.some((parts) => parts.count(left) < parts.least)) continue;
      if (yield left) return left;
    }
  }
  return scenario;
}

interface Place {
  readonly parts: PartList<Scenario>;
  readonly at: number;
}

function without(scenario: Scenario, { parts, at }: Place): Scenario {
  const places = Array.from({ length: parts.count(scenario) }, (_, place) => place);
  return parts.keep(scenario, places.toSpliced(at, 1));
}

function faultParts(makeup: ScenarioMakeup<Scenario>): PartList<Scenario> {
  return {
    member: "faults",
    least: 0,
    count: (scenario) => makeup.faults(scenario).length,
    keep: (scenario, places) => {
      const listed = makeup.faults(scenario);
      return makeup.withFaults(
        scenario,
        places.map((at) => listed[at] as object),
      );
    },
    isOptional: () => true,
  };
}

/** Lowers numbers that are counts. */
function* counts(scenario: Scenario): Walk {
  let kept = scenario;
  const { counts: leasts } = worldKindOf(scenario).makeup;
  for (const path of memberPaths({ ...kept, choices: [] })) {
    const least = leasts.get(String(path.at(-1)));
    const count = least === undefined ? undefined : memberAt(kept, path);
    if (least === undefined || typeof count !== "number") continue;
    kept = yield* within(lower(count, least), (number) => withMember(kept, path, number));
  }
  return kept;
}

/** Removes settings, so that their defaults apply, where `may` has nothing against it. */
function* settings(
  scenario: Scenario,
  may: (kept: Scenario, candidate: Scenario) => boolean = () => true,
): Walk {
  const { operations: done, members: others, counts: numbers } = worldKindOf(scenario).makeup;
  const lists = [done, ...others];
  let kept = scenario;
  let input = settingsOf(kept);
  for (let at = 0; ; at += 1) {
    const path = memberPaths(input)[at];
    if (path === undefined) return kept;
    if (KEPT.has(String(path[0])) || numbers.has(String(path.at(-1)))) continue;
    if (path.length === 1 && lists.some(({ member }) => member === path[0])) continue;
    const without = withMember(input, path, undefined);
    const candidate = withSettings(kept, without);
    if (candidate === undefined || !may(kept, candidate) || !(yield candidate)) continue;
    kept = candidate;
    input = without;
    at -= 1;
  }
}

/** Whether no duration that a file writes for `kept` is longer in the candidate. */
function lengthensNoTime(kept: Scenario, candidate: Scenario): boolean {
  const input = settingsOf(kept);
  return memberPaths(input).every((path) => {
    const [ms, later] = [memberAt(kept, path), memberAt(candidate, path)];
    if (typeof memberAt(input, path) !== "string") return true;
    return typeof ms !== "number" || typeof later !== "number" || later <= ms;
  });
}

function choicesBy(walk: (pins: Pins) => Generator<Pins, Pins, boolean>): ShrinkPass<Scenario> {
  return function* choices(scenario) {
    const { choices: pins } = scenario;
    if (pins === undefined) return scenario;
    return yield* within(walk(pins), (kept) => ({ ...scenario, choices: kept }));
  };
}

/** Rounds times and durations to whole seconds. */
function* times(scenario: Scenario): Walk {
  let kept = scenario;
  let input = settingsOf(kept);
  for (const path of memberPaths(input)) {
    // A number that a file writes as a text is a duration; only unround ones end in "ms".
    const [ms, text] = [memberAt(kept, path), memberAt(input, path)];
    if (typeof ms !== "number" || typeof text !== "string" || !text.endsWith("ms")) continue;
    const seconds = ms / 1_000;
    for (const rounded of roundings(seconds)) {
      const changed = withMember(input, path, `${rounded}s`);
      const candidate = withSettings(kept, changed);
      if (candidate === undefined || !(yield candidate)) continue;
      kept = candidate;
      input = changed;
      break;
    }
  }
  return kept;
}

/** The settings of scenarios seen so far: to find out what a file may leave out takes many parses. */
const SETTINGS = new WeakMap<Scenario, ScenarioInput>();

/** Returns a scenario as a file has it, without its pins, of which there may be thousands. */
function settingsOf(scenario: Scenario): ScenarioInput {
  const known = SETTINGS.get(scenario);
  if (known !== undefined) return known;
  const settings = inputFrom({ ...scenario, choices: undefined });
  SETTINGS.set(scenario, settings);
  return settings;
}

function withSettings({ name, choices }: Scenario, input: ScenarioInput): Scenario | undefined {
  const scenario = scenarioFrom(input, name);
  return scenario === undefined || choices === undefined ? scenario : { ...scenario, choices };
}

/** Returns whole seconds to try, nearest first; not 0, which may mean something else. */
function roundings(seconds: number): ReadonlySet<number> {
  const numbers = [Math.round(seconds), Math.ceil(seconds), Math.floor(seconds)];
  return new Set(numbers.map((number) => Math.max(1, number)));
}

/** Removes parts of one list, down to its minimum. */
function* fewerParts(scenario: Scenario, parts: PartList<Scenario>): Walk {
  const places = Array.from({ length: parts.count(scenario) }, (_, at) => at);
  const walk = fewer(places);
  let step = walk.next();
  while (step.done !== true) {
    const { value } = step;
    step = walk.next(value.length >= parts.least && (yield parts.keep(scenario, value)));
  }
  return parts.keep(scenario, step.value);
}
