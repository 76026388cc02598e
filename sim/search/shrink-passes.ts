import type { PinnedChoice } from "../pinned-choices.ts";
import type { ManagerScenario, Scenario } from "../scenario/scenario.ts";
import {
  inputFrom,
  memberPaths,
  scenarioFrom,
  type ScenarioInput,
  withMember,
} from "../scenario/write.ts";
import { isDurationMember } from "../scenario/write-values.ts";
import { fewer, lower, type ShrinkPass, type ShrinkStage, within } from "./shrink.ts";
import { calmerPins, fewerPins, mergedPins } from "./shrink-choices.ts";

type Walk = Generator<Scenario, Scenario, boolean>;
type Path = readonly (string | number)[];
type Pins = readonly PinnedChoice[];

/** Whole numbers that are how many there are of something, and the fewest that there can be. */
const COUNTS: ReadonlyMap<string, number> = new Map([
  ["triggerers", 1],
  ["workers", 1],
  ["triggers", 1],
  ["partitions", 1],
  ["burst", 1],
  ["count", 1],
  ["times", 1],
  ["keys", 1],
  ["lanes", 1],
  ["runs", 1],
  ["pages", 1],
  ["mapped", 0],
  ["retries", 0],
  ["nth", 1],
]);

/** What a hostile client is asked once an act. */
const ACT_LABELS: readonly string[] = ["key", "act", "pause"];

/** What the scenario is about, and how it is told. */
const KEPT: ReadonlySet<string> = new Set(
  "story world profile name expect choices phases".split(" "),
);

/** The ways in which a scenario gets fewer parts. */
export const FEWER_STAGE: ShrinkStage<Scenario> = [
  ["faults", faults],
  ["operations", operations],
  ["hosts and subscribers", hostsAndSubscribers],
  ["settings", settings],
  ["choices", choicesBy(fewerPins)],
];

/** The ways in which what is left gets simpler. */
export const SIMPLER_STAGE: ShrinkStage<Scenario> = [
  ["choices toward 0", choicesBy(calmerPins)],
  ["preemptions", choicesBy(mergedPins)],
  ["times", times],
];

function* faults(scenario: Scenario): Walk {
  if (scenario.world === "manager") return scenario;
  let kept: Scenario = scenario;
  if (scenario.storm !== undefined) {
    const without = { ...scenario, storm: undefined };
    if (yield without) kept = without;
  }
  return yield* list(kept, "faults", 0);
}

function* operations(scenario: Scenario): Walk {
  return scenario.world === "manager"
    ? yield* acts(scenario)
    : yield* list(scenario, "operations", 0);
}

/** Fewer acts of a hostile client; what was pinned of the others goes with them. */
function* acts(scenario: ManagerScenario): Walk {
  const all = Array.from({ length: scenario.operations }, (_, at) => at + 1);
  const walk = fewer(all);
  let step = walk.next();
  while (step.done !== true) {
    const { value } = step;
    step = walk.next(value.length > 0 && (yield withActs(scenario, value)));
  }
  return withActs(scenario, step.value);
}

function withActs(scenario: ManagerScenario, acts: readonly number[]): Scenario {
  const places = new Map(acts.map((act, at) => [act, at + 1]));
  const moved = (pin: PinnedChoice): readonly PinnedChoice[] => {
    if (pin.kind !== "workload" || !ACT_LABELS.includes(pin.label)) return [pin];
    const nth = places.get(pin.nth);
    return nth === undefined ? [] : [{ ...pin, nth }];
  };
  const pins = (scenario.choices ?? []).flatMap(moved);
  return { ...scenario, operations: acts.length, choices: pins };
}

function* hostsAndSubscribers(scenario: Scenario): Walk {
  let kept = scenario;
  if (kept.world === "triggerer") kept = yield* list(kept, "streams", 1);
  if (kept.world === "tasks") kept = yield* list(kept, "tasks", 1);
  for (const path of memberPaths({ ...kept, choices: [] })) {
    const least = COUNTS.get(String(path.at(-1)));
    const count = least === undefined ? undefined : memberAt(kept, path);
    if (least === undefined || typeof count !== "number") continue;
    kept = yield* within(lower(count, least), (number) => withMember(kept, path, number));
  }
  return kept;
}

/** Everything that is not as it is by default. */
function* settings(scenario: Scenario): Walk {
  let kept = scenario;
  let input = settingsOf(kept);
  for (let at = 0; ; at += 1) {
    const path = memberPaths(input)[at];
    if (path === undefined) return kept;
    if (KEPT.has(String(path[0])) || COUNTS.has(String(path.at(-1)))) continue;
    if (kept.world === "manager" && path[0] === "operations") continue;
    const without = withMember(input, path, undefined);
    const candidate = withSettings(kept, without);
    if (candidate === undefined || !(yield candidate)) continue;
    kept = candidate;
    input = without;
    at -= 1;
  }
}

function choicesBy(walk: (pins: Pins) => Generator<Pins, Pins, boolean>): ShrinkPass<Scenario> {
  return function* choices(scenario) {
    const { choices: pins } = scenario;
    if (pins === undefined) return scenario;
    return yield* within(walk(pins), (kept) => ({ ...scenario, choices: kept }));
  };
}

/** Times and lengths of time in whole seconds. */
function* times(scenario: Scenario): Walk {
  let kept = scenario;
  let input = settingsOf(kept);
  for (const path of memberPaths(input)) {
    const text = textAt(input, path);
    const isOdd = isDurationMember(String(path.at(-1))) && text?.endsWith("ms") === true;
    if (!isOdd) continue;
    const seconds = Number.parseInt(text, 10) / 1_000;
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

/** A scenario as a file would hold it, but for its pins: there may be thousands of them. */
function settingsOf(scenario: Scenario): ScenarioInput {
  return inputFrom({ ...scenario, choices: undefined });
}

function withSettings({ name, choices }: Scenario, input: ScenarioInput): Scenario | undefined {
  const scenario = scenarioFrom(input, name);
  return scenario === undefined || choices === undefined ? scenario : { ...scenario, choices };
}

/** The nearest first; never nothing, which would be another thing than a short time. */
function roundings(seconds: number): ReadonlySet<number> {
  const numbers = [Math.round(seconds), Math.ceil(seconds), Math.floor(seconds)];
  return new Set(numbers.map((number) => Math.max(1, number)));
}

/** Fewer items of the list of this name, at least so many. */
function* list(scenario: Scenario, name: string, least: number): Walk {
  const items = memberAt(scenario, [name]) as readonly unknown[];
  const walk = fewer(items);
  let step = walk.next();
  while (step.done !== true) {
    const { value } = step;
    step = walk.next(value.length >= least && (yield withMember(scenario, [name], value)));
  }
  return withMember(scenario, [name], step.value);
}

function memberAt(value: unknown, path: Path): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== "object" || member === null) return undefined;
    member = (member as Readonly<Record<string | number, unknown>>)[name];
  }
  return member;
}

function textAt(input: ScenarioInput, path: Path): string | undefined {
  const member = memberAt(input, path);
  return typeof member === "string" ? member : undefined;
}
