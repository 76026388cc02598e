import { epochMsFrom } from "../trace/epoch.ts";
import { checkedOptions } from "../../src/checked-options.ts";
import { invariant } from "../../src/invariant.ts";
import { CRASH_POINTS, type Violation } from "../checkers/mod.ts";
import { type Choice, type Choices, ReplayedChoices, SeededChoices } from "../choices/choices.ts";
import { PinnedChoices, type UnusedPin, unusedPins } from "../choices/pinned-choices.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { TraceListener } from "../trace/trace.ts";
import { serialize, type Turn } from "../kernel/serialize.ts";
import { World } from "../kernel/world.ts";
import { assertSameAgain } from "./repeat.ts";
import { codeUnderTestIn } from "./repeatable.ts";
import { type RunReport, verdictFrom } from "./run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { PART_NAMES, partsOf, type WorldParts } from "../worlds/world-parts.ts";
import type { Stage } from "../worlds/stage.ts";
import { playPhases } from "./play-phases.ts";
import { vacuityOf } from "./vacuity.ts";
import { watchCode } from "./watch-code.ts";

/** How `simulate` runs a scenario. */
export interface SimulateOptions extends WorldParts {
  /** A whole number from 0; default 1. A seed in the scenario takes precedence. */
  readonly seed?: number;
  /** Whether the report contains the trace and the choices; default true. */
  readonly trace?: boolean;
  /** Whether the report contains the digest of the run; default true. */
  readonly digest?: boolean;
  /** The choices of an earlier run, which are made again instead of drawing from the seed. */
  readonly replay?: readonly Choice[];
  /** Another source of all choices, such as a search; takes precedence over seed and replay. */
  readonly choices?: Choices;
  /** Called with each violation when it is detected; the run ends early if it returns true. */
  readonly endAt?: (violation: Violation) => boolean;
  /** Fault rules that decide about each call before those of the scenario. */
  readonly rules?: readonly FaultRule[];
  /** Called with each event as it happens. */
  readonly listen?: TraceListener;
  /**
   * Called with each part of the scenario that takes effect: a fault that strikes, an act that is
   * done, as the object that the scenario has.
   *
   * @internal
   */
  readonly onEffect?: (part: object) => void;
  /** Called with each fault that was drawn at random, in the form in which a scenario lists it. */
  readonly onChance?: (fault: object) => void;
  /**
   * Called with the same object when the fault is drawn, right after the choices that draw it.
   *
   * @internal
   */
  readonly onDrawn?: (fault: object) => void;
  /**
   * Whether the run is made twice and compared, to see that the code under test is deterministic;
   * default false. The second run calls none of the functions above; `rules` may not be given,
   * because a rule may remember the calls of the first run.
   */
  readonly repeat?: boolean;
}

const OPTIONS: readonly (keyof SimulateOptions)[] = [
  ...PART_NAMES,
  "seed",
  "trace",
  "digest",
  "replay",
  "choices",
  "endAt",
  "rules",
  "listen",
  "onEffect",
  "onChance",
  "onDrawn",
  "repeat",
];

/**
 * Runs a scenario from one seed, in virtual time, and checks the promises of its world.
 *
 * Holds: the same scenario, seed and code give the same digest on every runtime. Concurrent calls
 * run one after the other.
 *
 * @throws {RangeError} when `seed` is not a whole number from 0
 * @throws {ReplayDrift} when the replayed choices do not fit the code any more
 * @throws {TypeError} when an option is unknown, or `repeat` and `rules` are both given
 * @throws {InvariantViolation} when the run does not end
 * @throws {NotDeterministic} with `repeat`, when two runs differ
 *
 * @example
 * ```ts
 * import { parseScenario, simulate } from "faultlane/sim";
 *
 * const text = "{ story: Mine, world: triggerer, streams: [{ name: orders, triggers: 3 }] }";
 * const { verdict, stats } = await simulate(parseScenario(text, "mine"), { seed: 7 });
 * console.log(verdict, stats.virtualMs >= 60_000); // => held true
 * ```
 */
export async function simulate(
  scenario: Scenario,
  options: SimulateOptions = {},
): Promise<RunReport> {
  checkedOptions(options, OPTIONS, "simulate");
  const { repeat = false, rules } = options;
  if (repeat && rules !== undefined) {
    throw new TypeError("Cannot repeat a run with rules: a rule may remember the first run");
  }
  const report = await simulateOnce(scenario, options);
  if (repeat) await assertDeterministic(scenario, options, report);
  return report;
}

/** Makes the run of `report` once more, with the same choices, and compares the two. */
async function assertDeterministic(
  scenario: Scenario,
  options: SimulateOptions,
  report: RunReport,
): Promise<void> {
  const code = codeUnderTestIn(options);
  const { seed, replay, choices, endAt } = options;
  const same: SimulateOptions = {
    ...partsOf(options),
    ...(endAt !== undefined && { endAt }),
    ...(seed !== undefined && { seed }),
    ...(replay !== undefined && { replay }),
    ...(choices !== undefined && { replay: report.choices }),
  };
  const run = {
    subject: code?.subject ?? "world",
    createdIn: code?.createdIn ?? "the world",
    scenario: scenario.name,
    seed: report.seed,
    again: () => simulateOnce(scenario, same),
  };
  await assertSameAgain(run, report, { isFirstEver: true });
}

async function simulateOnce(scenario: Scenario, options: SimulateOptions): Promise<RunReport> {
  const { reference } = worldKindOf(scenario);
  const parts = partsOf(options);
  for (;;) {
    const calm = reference?.scenario(scenario, options);
    if (calm === undefined) break;
    // One after the other: a run may show what the next one needs.
    // oxlint-disable-next-line no-await-in-loop
    const { trace } = await serialize((turn) => runOnce(turn, calm, parts));
    reference?.note(calm, trace, parts);
  }
  return serialize((turn) => runOnce(turn, scenario, options));
}

async function runOnce(turn: Turn, given: Scenario, options: SimulateOptions): Promise<RunReport> {
  const { trace: keepTrace = true, digest } = options;
  const seed = seedOf(given, options);
  const kind = worldKindOf(given);
  const choices = choicesOf(given, options);
  const scenario = kind.complete?.(given, choices, options) ?? given;
  const world = new World(choices, { keepTrace, digest, epochMs: epochMsOf(scenario) });
  world.injector.onChance = options.onChance;
  world.injector.onDrawn = options.onDrawn;
  world.injector.onEffect = options.onEffect;
  for (const rule of options.rules ?? []) world.injector.install(rule);
  const judge = kind.judge(scenario, (mark) => world.trace.sometimes(mark), options);
  world.trace.listen((event) => judge.observe(event));
  if (options.listen !== undefined) world.trace.listen(options.listen);
  const { endAt } = options;
  if (endAt !== undefined) eachViolation(world, judge, (one) => void (endAt(one) && world.end()));
  endHotLoop(world, judge);
  const hasUserCode = Object.keys(partsOf(options)).length > 0;
  const play = async (): Promise<Stage> => {
    const built = kind.build(world, scenario, options);
    using _ = watchCode(world, built);
    await playPhases(world, scenario.phases, built);
    return built;
  };
  const stage = await world.realm.during(turn, play, hasUserCode);
  if (!world.isEnded) judge.end();
  const events = world.trace.events();
  const violations = judge.violations.map((one) => {
    const remark = stage.remarkOn?.(one);
    const story = kind.story(events, one);
    return { ...one, story: remark === undefined ? story : story.toSpliced(-1, 0, remark) };
  });
  const broken = new Set(violations.map(({ checker }) => checker));
  return {
    scenario: scenario.name,
    seed,
    played: scenario,
    digest: world.trace.digest(),
    verdict: verdictFrom(broken, scenario.expect),
    violations,
    vacuous: vacuityOf(scenario, {
      effectsOf: (part) => world.injector.effectsOf(part),
      calls: world.injector.callsArmed(),
      marksReached: new Set(world.trace.marks().keys()),
      unusedPins: unusedPinsIn(scenario, choices, options.replay),
    }),
    orphans: judge.orphans?.() ?? [],
    stats: {
      virtualMs: world.now,
      steps: world.steps,
      events: world.trace.length,
      choices: choices.recorded().length,
      faults: [...world.injector.hits()].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      crashPoints: Object.keys(CRASH_POINTS)
        .map((point) => [point, judge.crashPoints().get(point) ?? 0] as const)
        .filter(([, times]) => times > 0),
      marks: marksFrom(kind.marks, world),
    },
    trace: events,
    choices: choices.recorded(),
  };
}

/** Undefined for a world that begins when all do. */
function epochMsOf({ startsAt }: Scenario): number | undefined {
  return startsAt === undefined ? undefined : epochMsFrom(startsAt);
}

/** How often each mark of this world was reached, including those never reached. */
function marksFrom(marks: readonly string[], world: World): RunReport["stats"]["marks"] {
  const reached = world.trace.marks();
  for (const mark of reached.keys()) invariant(marks.includes(mark), `No such mark: "${mark}"`);
  return marks.map((mark) => [mark, reached.get(mark) ?? 0]);
}

/** Precedence: options.choices, options.replay, scenario.choices, scenario.seed, options.seed. */
function choicesOf(scenario: Scenario, options: SimulateOptions): Choices {
  const { trace: record = true, replay, choices } = options;
  if (choices !== undefined) return choices;
  if (replay !== undefined) return new ReplayedChoices(replay);
  if (scenario.choices !== undefined) return new PinnedChoices(scenario.choices, { record });
  return new SeededChoices(seedOf(scenario, options), { record });
}

/** The pins that decided nothing; a replay makes the choices of a run that they were to decide. */
function unusedPinsIn(
  { choices: pins = [] }: Scenario,
  choices: Choices,
  replay: readonly Choice[] | undefined,
): readonly UnusedPin[] {
  if (choices instanceof PinnedChoices) return choices.unused();
  return choices instanceof ReplayedChoices && replay !== undefined ? unusedPins(pins, replay) : [];
}

/** The seed that a scenario says is that of its own choices, not of a search's. */
function seedOf(scenario: Scenario, { seed = 1, choices }: SimulateOptions): number {
  return choices === undefined ? (scenario.seed ?? seed) : seed;
}

/** How many more events a run has that was seen to repeat something at full speed. */
const HOT_LOOP_EVENTS_MAX = 20_000;

/**
 * Ends a run whose code repeats something at full speed: it would go on for as long as the world
 * waits for progress, which takes minutes of a processor, and says nothing new.
 */
function endHotLoop(world: World, judge: Judged): void {
  let end = Number.POSITIVE_INFINITY;
  eachViolation(world, judge, ({ checker }) => {
    if (checker === "hot-loop") end = Math.min(end, world.trace.length + HOT_LOOP_EVENTS_MAX);
  });
  world.trace.listen(() => {
    if (world.trace.length >= end) world.end();
  });
}

interface Judged {
  readonly violations: readonly Violation[];
}

/** Calls with each broken promise, at the event at which it is found to be broken. */
function eachViolation(world: World, judge: Judged, call: (violation: Violation) => void): void {
  let seen = 0;
  world.trace.listen(() => {
    for (; seen < judge.violations.length; seen += 1) call(judge.violations[seen] as Violation);
  });
}
