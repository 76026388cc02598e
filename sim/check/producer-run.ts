import { onUnhandledRejection } from "../../src/platform/mod.ts";
import type { Violation } from "../checkers/checker.ts";
import { Judge } from "../checkers/checker.ts";
import { PRODUCER_CHECKERS } from "../checkers/producer-checkers.ts";
import { type DecisionTable, ProducerFacts } from "../checkers/producer-facts.ts";
import { SPINNING } from "../checkers/producer-progress.ts";
import { SeededChoices } from "../choices.ts";
import { HostDied } from "../hosts/host.ts";
import type { TraceEvent } from "../trace.ts";
import { World } from "../world.ts";
import { type ProducerPlan, SAFETY_MS } from "./producer-plan.ts";
import { NotVirtual } from "./not-virtual.ts";
import { errorWords, type ThrownError } from "./thrown-error.ts";
import { type ProducerUnderTest, ProducerWorld } from "./producer-world.ts";

/** What came of one run. */
export interface ProducerRun {
  readonly plan: ProducerPlan;
  readonly violations: readonly Violation[];
  readonly facts: ProducerFacts;
  readonly faults: ReadonlyMap<string, number>;
  readonly trace: readonly TraceEvent[];
  /** What the producer threw into the manager, by when. */
  readonly errors: readonly ThrownError[];
  readonly digest: string;
  readonly virtualMs: number;
}

/** More than there are worlds of one seed. */
const SALTS = 8;
/** How long the calm may last until all that is owed has come to rest. */
const LIVENESS_MS = 240_000;
/** For closing: the manager drains, the producer closes. */
const CLOSING_MS = 70_000;
/** How often a run looks whether it may end. */
const LOOK_MS = 2_000;
/** Who takes more steps in that time waits by asking again and again. */
const STEPS_MAX = 4_000;

/**
 * Plays one plan in a world of its own and judges it; ends at the first violation. `look` is called
 * after each step, and while the producer's own code runs.
 */
export async function runPlan<Client>(
  plan: ProducerPlan,
  test: ProducerUnderTest<Client>,
  decide: DecisionTable,
  look?: () => void,
): Promise<ProducerRun> {
  const chance = new SeededChoices(plan.seed * SALTS + plan.salt, { record: false });
  const world = new World(chance, { keepTrace: true });
  const facts = new ProducerFacts(decide);
  const judge = new Judge(PRODUCER_CHECKERS, facts);
  world.trace.listen((event) => {
    judge.hear(event);
    if (judge.violations.length > 0) world.end();
  });
  using _ = onUnhandledRejection((reason) => {
    if (!(reason instanceof HostDied)) traceUnhandled(world, reason);
  });
  using _spinning = watchForSpinning(world);
  using _resting = world.onRest(() => look?.());
  const stage = new ProducerWorld(world, plan, { ...test, look });
  world.globals.onRealNetwork = () => world.fail(new NotVirtual("producer"));
  world.globals.install();
  try {
    await play(world, stage, judge);
  } finally {
    world.globals.uninstall();
  }
  const isOver = judge.violations.length === 0;
  if (isOver) judge.end();
  return {
    plan,
    violations: judge.violations,
    facts,
    faults: world.injector.hits(),
    trace: world.trace.events(),
    errors: stage.errors,
    digest: world.trace.digest(),
    virtualMs: world.now,
  };
}

/** What would take a real triggerer down, or at best be a line in its log. */
function traceUnhandled(world: World, reason: unknown): void {
  const what = `a promise was rejected (${errorWords(reason)}), and nobody handled it`;
  world.trace.emit("triggerer", { kind: "breach", poll: 0, what, ref: "" });
}

/** Ends the run when its steps become too many: time would hardly move, or not at all. */
function watchForSpinning(world: World): Disposable {
  let since = 0;
  let before = 0;
  return world.onRest(() => {
    if (world.now - since >= LOOK_MS) {
      since = world.now;
      before = world.steps;
    }
    if (world.steps - before <= STEPS_MAX || world.isEnded) return;
    const ms = world.now - since;
    const what = `${SPINNING}: it does something ${STEPS_MAX} times within ${ms} ms`;
    world.trace.emit("triggerer", { kind: "breach", poll: 0, what, ref: "" });
  });
}

async function play<Client>(
  world: World,
  stage: ProducerWorld<Client>,
  judge: Judge<ProducerFacts>,
): Promise<void> {
  const isBroken = (): boolean => judge.violations.length > 0;
  world.trace.emit("world", { kind: "phase", phase: "safety" });
  stage.start();
  while (world.now < SAFETY_MS && !isBroken()) await world.run(world.now + LOOK_MS);
  world.injector.disarm();
  world.trace.emit("world", { kind: "phase", phase: "liveness" });
  stage.calmDown();
  const end = world.now + LIVENESS_MS;
  while (world.now < end && !isBroken() && !stage.isAtRest()) await world.run(world.now + LOOK_MS);
  world.trace.emit("world", { kind: "phase", phase: "rest" });
  if (isBroken()) return;
  stage.stop();
  await world.run(world.now + CLOSING_MS);
  if (!isBroken()) stage.lookForTimers();
}
