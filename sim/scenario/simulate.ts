import { invariant } from "../../src/invariant.ts";
import { CRASH_POINTS, type Violation } from "../checkers/mod.ts";
import { type Choice, type Choices, ReplayedChoices, SeededChoices } from "../choices.ts";
import { PinnedChoices } from "../pinned-choices.ts";
import type { FaultRule } from "../faults/rule.ts";
import { storyFrom } from "../report/story.ts";
import type { TraceListener } from "../trace.ts";
import { World } from "../world.ts";
import { buildManagerWorld } from "./manager-world.ts";
import { type RunReport, verdictFrom } from "./run-report.ts";
import type { Scenario } from "./scenario.ts";
import { judgeOf, marksOf } from "./judges.ts";
import type { ManagerFactory, Stage } from "./stage.ts";
import { buildTaskWorld, type TaskWorldParts } from "./task-world.ts";
import { buildTriggererWorld } from "./triggerer-world.ts";

export interface SimulateOptions {
  /** Default 1. */
  readonly seed?: number;
  /** Whether the report holds the trace and the choices; default true. */
  readonly trace?: boolean;
  /** The choices of an earlier run, to take again instead of the seed's. */
  readonly replay?: readonly Choice[];
  /** Where the decisions come from instead: a search. */
  readonly choices?: Choices;
  /** Another shared-stream manager than the profile's: a user's fork, a planted bug. */
  readonly createManager?: ManagerFactory;
  /** Other parts of a world of tasks than ours: a store backend, operators. */
  readonly taskParts?: TaskWorldParts;
  /** Asked about each violation as it is found: whether the run may end here and now. */
  readonly endAt?: (violation: Violation) => boolean;
  /** Asked about each call at a site before the scenario's own rules. */
  readonly rules?: readonly FaultRule[];
  /** Told of each event as it happens. */
  readonly listen?: TraceListener;
  /** Told of each fault that chance struck, in the form in which a scenario would list it. */
  readonly onChance?: (fault: object) => void;
}

/** Runs one after the other: while one runs, the globals of this realm are its own. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs a scenario from one seed, in virtual time, and judges it.
 *
 * Holds: the same scenario, seed and code give the same digest on every runtime. Runs that are
 * asked for at once run one after the other.
 *
 * @throws {RangeError} when `seed` is not a whole number from 0
 * @throws a `ReplayDrift` when the replayed choices do not fit the code any more
 */
export function simulate(scenario: Scenario, options: SimulateOptions = {}): Promise<RunReport> {
  const run = turn.then(() => runOnce(scenario, options));
  turn = run.catch(() => undefined);
  return run;
}

async function runOnce(scenario: Scenario, options: SimulateOptions): Promise<RunReport> {
  const { seed = 1, trace: keepTrace = true } = options;
  const choices = choicesOf(scenario, options);
  const world = new World(choices, { keepTrace });
  world.injector.onChance = options.onChance;
  for (const rule of options.rules ?? []) world.injector.install(rule);
  const court = judgeOf(scenario, (mark) => world.trace.sometimes(mark));
  const { judge } = court;
  world.trace.listen((event) => judge.hear(event));
  if (options.listen !== undefined) world.trace.listen(options.listen);
  if (options.endAt !== undefined) endEarly(world, judge, options.endAt);
  world.globals.install();
  try {
    const stage = build(world, scenario, options);
    await play(world, scenario, stage);
  } finally {
    world.globals.uninstall();
  }
  if (!world.isEnded) judge.end();
  const events = world.trace.events();
  const violations = judge.violations.map((one) => ({ ...one, story: storyFrom(events, one) }));
  const broken = new Set(violations.map(({ checker }) => checker));
  return {
    scenario: scenario.name,
    seed,
    digest: world.trace.digest(),
    verdict: verdictFrom(broken, scenario.expect),
    violations,
    stats: {
      virtualMs: world.now,
      steps: world.steps,
      events: world.trace.length,
      choices: choices.recorded().length,
      faults: [...world.injector.hits()].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      crashPoints: Object.keys(CRASH_POINTS)
        .map((point) => [point, court.crashPoints().get(point) ?? 0] as const)
        .filter(([, times]) => times > 0),
      marks: marksFrom(scenario, world),
    },
    trace: events,
    choices: choices.recorded(),
  };
}

/** How often each mark of this world was reached, also those never. */
function marksFrom(scenario: Scenario, world: World): RunReport["stats"]["marks"] {
  const reached = world.trace.marks();
  const marks = marksOf(scenario);
  for (const mark of reached.keys()) invariant(marks.includes(mark), `No such mark: "${mark}"`);
  return marks.map((mark) => [mark, reached.get(mark) ?? 0]);
}

function build(world: World, scenario: Scenario, options: SimulateOptions): Stage {
  switch (scenario.world) {
    case "triggerer":
      return buildTriggererWorld(world, scenario, options.createManager);
    case "manager":
      return buildManagerWorld(world, scenario, options.createManager);
    case "tasks":
      return buildTaskWorld(world, scenario, options.taskParts);
    default:
      return scenario satisfies never;
  }
}

/** Whoever is named decides: a search, a recording, the scenario's pins, the seed. */
function choicesOf(scenario: Scenario, options: SimulateOptions): Choices {
  const { seed = 1, trace: record = true, replay, choices } = options;
  if (choices !== undefined) return choices;
  if (replay !== undefined) return new ReplayedChoices(replay);
  if (scenario.choices !== undefined) return new PinnedChoices(scenario.choices, { record });
  return new SeededChoices(seed, { record });
}

function endEarly(
  world: World,
  judge: { readonly violations: readonly Violation[] },
  endAt: (violation: Violation) => boolean,
): void {
  let seen = 0;
  world.trace.listen(() => {
    for (; seen < judge.violations.length; seen += 1) {
      if (endAt(judge.violations[seen] as Violation)) world.end();
    }
  });
}

/** First with faults, then without until all that is owed has come to rest. */
async function play(world: World, scenario: Scenario, stage: Stage): Promise<void> {
  const { safety, liveness } = scenario.phases;
  world.trace.emit("world", { kind: "phase", phase: "safety" });
  stage.start();
  await world.run(safety);
  world.injector.disarm();
  world.trace.emit("world", { kind: "phase", phase: "liveness" });
  stage.calmDown();
  const end = safety + liveness;
  while (!world.isEnded && world.now < end && !stage.isAtRest()) {
    await world.run(Math.min(end, world.now + REST_CHECK_MS));
  }
  world.trace.emit("world", { kind: "phase", phase: "rest" });
}

/** How often the liveness phase looks whether it may end. */
const REST_CHECK_MS = 5_000;
