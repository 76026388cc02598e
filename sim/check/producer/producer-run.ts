import { onUnhandledRejection } from "../../../src/platform/mod.ts";
import type { Violation } from "../../checkers/checker.ts";
import { CheckerRunner } from "../../checkers/checker.ts";
import { PRODUCER_CHECKERS } from "../../checkers/producer/producer-checkers.ts";
import { type DecisionTable, ProducerFacts } from "../../checkers/producer/producer-facts.ts";
import { SeededChoices } from "../../choices/choices.ts";
import { HostDied } from "../../hosts/life.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import { serialize, type Turn } from "../../kernel/serialize.ts";
import { World } from "../../kernel/world.ts";
import { type ProducerPlan, SAFETY_MS } from "./producer-plan.ts";
import { NotVirtual } from "../../run/real-io-guard.ts";
import { errorWords } from "../../trace/error-words.ts";
import { type ProducerUnderTest, ProducerWorld } from "./producer-world.ts";

/** What came of one run. */
export interface ProducerRun {
  readonly plan: ProducerPlan;
  readonly violations: readonly Violation[];
  readonly facts: ProducerFacts;
  readonly faults: ReadonlyMap<string, number>;
  readonly trace: readonly TraceEvent[];
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
export function runPlan<Client>(
  plan: ProducerPlan,
  test: ProducerUnderTest<Client>,
  decide: DecisionTable,
  look?: () => void,
): Promise<ProducerRun> {
  return serialize((turn) => runOnce(turn, plan, test, decide, look));
}

async function runOnce<Client>(
  turn: Turn,
  plan: ProducerPlan,
  test: ProducerUnderTest<Client>,
  decide: DecisionTable,
  look: (() => void) | undefined,
): Promise<ProducerRun> {
  const chance = new SeededChoices(plan.seed * SALTS + plan.salt, { record: false });
  const world = new World(chance, { keepTrace: true });
  const facts = new ProducerFacts(decide);
  const judge = new CheckerRunner(PRODUCER_CHECKERS, facts);
  world.trace.listen((event) => {
    judge.observe(event);
    if (judge.violations.length > 0) world.end();
  });
  using _ = onUnhandledRejection((reason) => {
    if (!(reason instanceof HostDied)) traceUnhandled(world, reason);
  });
  using _spinning = watchForSpinning(world);
  using _resting = world.onRest(() => look?.());
  if (look !== undefined) world.codeObservers.add(look);
  const stage = new ProducerWorld(world, plan, test);
  world.globals.onRealNetwork = () => world.fail(new NotVirtual("producer"));
  await world.globals.during(turn, () => play(world, stage, judge));
  const isOver = judge.violations.length === 0;
  if (isOver) judge.end();
  return {
    plan,
    violations: judge.violations,
    facts,
    faults: world.injector.hits(),
    trace: world.trace.events(),
    digest: world.trace.digest(),
    virtualMs: world.now,
  };
}

/** What would take a real triggerer down, or at best be a line in its log. */
function traceUnhandled(world: World, reason: unknown): void {
  const breach = { what: "unhandled-rejection", error: errorWords(reason) } as const;
  world.trace.emit("triggerer", { kind: "breach", poll: 0, breach, ref: "" });
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
    const breach = { what: "spinning", steps: STEPS_MAX, ms } as const;
    world.trace.emit("triggerer", { kind: "breach", poll: 0, breach, ref: "" });
  });
}

async function play<Client>(
  world: World,
  stage: ProducerWorld<Client>,
  judge: CheckerRunner<ProducerFacts>,
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
