import type { BrokerModel } from "../../brokers/broker.ts";
import type { Violation } from "../../checkers/checker.ts";
import type { DecisionTable } from "../../checkers/producer/producer-facts.ts";
import { SeededChoices } from "../../choices/choices.ts";
import { identityOf, isSameFailure } from "../../search/shrink/shrink-identity.ts";
import { World } from "../../kernel/world.ts";
import { atCallSite } from "../call-site.ts";
import { assertVirtual } from "../../run/real-io-guard.ts";
import { planFrom, type ProducerPlan } from "./producer-plan.ts";
import { type ProducerRun, runPlan } from "./producer-run.ts";
import { parseProducerScenario, writeProducerScenario } from "./producer-scenario.ts";
import { shrinkPlan, sizeOf } from "./producer-shrink.ts";
import { storyOf } from "./producer-story.ts";
import { Tally, type CheckReport } from "./producer-tally.ts";
import { type CounterexampleSize, sizeInWords } from "./producer-violation.ts";
import { PropertyViolation } from "../property-violation.ts";
import type { CreateProducer } from "./producer-world.ts";
import type { Identify } from "./producer-observer.ts";

/** What `checkProducer` takes. */
export interface ProducerSpec<Client> {
  readonly broker: BrokerModel<Client>;
  /** Called for each group; makes the producer and does nothing else yet. */
  readonly createProducer: CreateProducer<Client>;
  /** Default 1000. */
  readonly numRuns?: number;
  /** Of the first run; default 1. */
  readonly seed?: number;
  /** What is owed for each outcome; default: hold what failed or nobody took, dead-letter what was rejected. */
  readonly decide?: DecisionTable;
  /** Default: finds the record's ref in the raw event or the payload. */
  readonly identify?: Identify;
  /** The text of a scenario file, from a violation: plays that one run and nothing else. */
  readonly scenario?: string | undefined;
  /** The line that runs one seed again; default: a call of `checkProducer`. */
  readonly rerun?: (seed: number) => string;
  /** Told after each run. */
  readonly onRun?: (done: number, of: number) => void;
}

const NUM_RUNS_DEFAULT = 1_000;
/** How many more runs are made after one that broke. */
const LOOK_ON_RUNS = 40;
const SEED_DEFAULT = 1;

/** The decision table of Airflow's documents. */
const DECIDE_DEFAULT: DecisionTable = ({ acked, failed, rejected }) => {
  if (failed > 0 || acked + rejected === 0) return "hold";
  return rejected > 0 ? "dead-letter" : "settle";
};

/**
 * Tries a producer against a model of its broker, in generated runs full of faults.
 *
 * Holds: the same seed tries the same runs and finds the same counterexample.
 *
 * ```ts
 * await checkProducer({
 *   broker: brokers.kafka({ partitions: 3 }),
 *   createProducer: ({ client }) => new OrdersProducer(client),
 * });
 * ```
 *
 * @throws {PropertyViolation} with the guarantee, the smallest run that breaks it, and its seed
 * @throws a `FactoryThrew` or an `Unrecognisable` when nothing can be judged
 */
export function checkProducer<Client>(spec: ProducerSpec<Client>): Promise<CheckReport> {
  return atCallSite(checkProducer, () => checkOnce(spec));
}

async function checkOnce<Client>(spec: ProducerSpec<Client>): Promise<CheckReport> {
  if (spec.scenario !== undefined) return await playScenario(spec, spec.scenario);
  const { numRuns = NUM_RUNS_DEFAULT, seed = SEED_DEFAULT } = spec;
  const { decide = DECIDE_DEFAULT, onRun } = spec;
  const disturbances = disturbancesOf(spec.broker);
  const tally = new Tally(disturbances);
  const found: Found[] = [];
  let until = numRuns;
  // Real time makes every run slow: who uses it is told at the first.
  const again = (plan: ProducerPlan) => (look: () => void) => runPlan(plan, spec, decide, look);
  await assertVirtual("producer", again(planFrom(seed, disturbances)));
  for (let at = 0; at < until; at += 1) {
    const run = await runPlan(planFrom(seed + at, disturbances), spec, decide);
    tally.add(run);
    const [violation] = run.violations.toSorted((a, b) => rankOf(a) - rankOf(b));
    if (violation !== undefined) {
      // What one bug does differs from run to run: a few more may show the worst of it.
      if (found.length === 0) until = Math.min(numRuns, at + 1 + LOOK_ON_RUNS);
      found.push({ run, violation, rank: rankOf(violation), runs: at + 1 });
      if (rankOf(violation) === 0) break;
    }
    onRun?.(at + 1, numRuns);
  }
  if (found[0] !== undefined) {
    await assertVirtual("producer", again(found[0].run.plan));
    throw await smallestOf(spec, decide, found);
  }
  return tally.report(seed);
}

/** Plays the one run of a scenario file, and judges it as it stands. */
async function playScenario<Client>(
  spec: ProducerSpec<Client>,
  text: string,
): Promise<CheckReport> {
  const { decide = DECIDE_DEFAULT, broker } = spec;
  const scenario = parseProducerScenario(text, "scenario");
  if (scenario.broker !== broker.name) {
    throw new RangeError(
      `Cannot play a scenario for "${scenario.broker}" on "${broker.name}": it needs its broker`,
    );
  }
  const run = await runPlan(scenario.plan, spec, decide);
  const violation =
    run.violations.find(({ checker }) => checker === scenario.breaks) ?? run.violations[0];
  if (violation !== undefined) throw toldFrom(spec, run, violation, 1);
  const tally = new Tally(disturbancesOf(broker));
  tally.add(run);
  return tally.report(scenario.plan.seed);
}

/** Enough to be read at one glance. */
const ACTS_FEW = 8;
/** How many broken runs are shrunk until one becomes that small. */
const SHRUNK_MAX = 3;

/** Of the gravest violations the one that shrinks best; the first that is small enough will do. */
async function smallestOf<Client>(
  spec: ProducerSpec<Client>,
  decide: DecisionTable,
  found: readonly Found[],
): Promise<PropertyViolation<CounterexampleSize>> {
  const sorted = found.toSorted(
    (a, b) =>
      a.rank - b.rank ||
      a.run.plan.acts.length - b.run.plan.acts.length ||
      a.run.plan.seed - b.run.plan.seed,
  );
  const { checker } = (sorted[0] as Found).violation;
  const alike = sorted.filter(({ violation }) => violation.checker === checker);
  let best = await violationFrom(spec, decide, alike[0] as Found);
  for (const one of alike.slice(1, SHRUNK_MAX)) {
    if (actsOf(best.size) <= ACTS_FEW) break;
    const next = await violationFrom(spec, decide, one);
    if (actsOf(next.size) < actsOf(best.size)) best = next;
  }
  return best;
}

function actsOf({ events, subscribers, conducts, faults }: CounterexampleSize): number {
  return events + subscribers + conducts + faults;
}

/** A broken run, how grave it is, and how many runs there were until it came. */
interface Found {
  readonly run: ProducerRun;
  readonly violation: Violation;
  readonly rank: number;
  readonly runs: number;
}

/** The guarantees, the gravest first: what loses events, then what repeats or stops them. */
const GRAVITY = [
  ["contract", "G7", "G1", "G2", "G3"],
  ["G5", "G4", "G9", "hot-loop", "G10"],
  ["G6"],
  ["G8", "progress"],
  ["unhandled"],
] as const;

function rankOf({ checker }: Violation): number {
  return GRAVITY.findIndex((ids) => (ids as readonly string[]).includes(checker));
}

/** Which disturbances the broker knows, asked of one that nobody uses. */
function disturbancesOf<Client>(broker: BrokerModel<Client>): readonly string[] {
  const world = new World(new SeededChoices(0, { record: false }), { keepTrace: false });
  return broker.start(world, "broker").disturbances.map(({ name }) => name);
}

async function violationFrom<Client>(
  spec: ProducerSpec<Client>,
  decide: DecisionTable,
  { run, violation: found, runs }: Found,
): Promise<PropertyViolation<CounterexampleSize>> {
  const again = (plan: ProducerPlan): Promise<ProducerRun> => runPlan(plan, spec, decide);
  const isFound = (one: Violation): boolean => isSameFailure(identityOf(one), identityOf(found));
  const plan = await shrinkPlan(run.plan, async (smaller) => {
    const { violations } = await again(smaller);
    return violations.some(isFound);
  });
  const smallest = await again(plan);
  const violation = smallest.violations.find(isFound) ?? found;
  return toldFrom(spec, smallest, violation, runs);
}

/** The violation of one run, with all that is said about it. */
function toldFrom<Client>(
  spec: ProducerSpec<Client>,
  run: ProducerRun,
  violation: Violation,
  runs: number,
): PropertyViolation<CounterexampleSize> {
  const { plan } = run;
  const { seed } = plan;
  const { checker: breaks, detail: story } = violation;
  const size = sizeOf(plan);
  const broker = spec.broker.name;
  return new PropertyViolation({
    subject: "producer",
    guarantee: violation.checker,
    promise: violation.promise,
    detail: violation.detail,
    story: storyOf(run, violation),
    seed,
    runs,
    size,
    sizeInWords: sizeInWords(size),
    rerun: spec.rerun?.(seed) ?? `checkProducer({ ..., seed: ${seed}, numRuns: 1 })`,
    scenario: writeProducerScenario({ story, producer: undefined, broker, breaks, plan }),
  });
}
