import type { BrokerModel } from "../../brokers/broker.ts";
import type { Violation } from "../../checkers/checker.ts";
import type { DecisionTable } from "../../checkers/producer/producer-facts.ts";
import { SeededChoices } from "../../choices/choices.ts";
import { Dice } from "../../choices/dice.ts";
import { assertVirtual } from "../../run/real-io-guard.ts";
import type { RunReport } from "../../run/run-report.ts";
import { simulate, type SimulateOptions } from "../../run/simulate.ts";
import { parseScenario } from "../../scenario/parse.ts";
import { shrinkScenario } from "../../search/shrink/shrink-scenario.ts";
import { brokerSpecOf } from "../../worlds/producer/broker-spec.ts";
import { disturbancesOf, drawScenarioOn } from "../../worlds/producer/draw-producer.ts";
import { EXPECT_ALL } from "../../worlds/drawn-parts.ts";
import type { Identify } from "../../worlds/producer/producer-observer.ts";
import type { ProducerScenario } from "../../worlds/producer/producer-scenario.ts";
import type { CreateProducer } from "../../worlds/producer/producer-under-test.ts";
import type { WorldParts } from "../../worlds/world-parts.ts";
import { atCallSite } from "../call-site.ts";
import { PropertyViolation } from "../property-violation.ts";
import { type CheckReport, Tally } from "./check-report.ts";
import { type CounterexampleSize, sizeInWords, sizeOf } from "./counterexample-size.ts";

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
  /** Called after each run. */
  readonly onRun?: (done: number, of: number) => void;
}

const NUM_RUNS_DEFAULT = 1_000;
/** How many more runs are made after one that broke. */
const LOOK_ON_RUNS = 40;
const SEED_DEFAULT = 1;
/** Each drawn scenario has so many worlds of its own: seeds that no other scenario runs with. */
const WORLDS_PER_SEED = 8;

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
  const { numRuns = NUM_RUNS_DEFAULT, seed = SEED_DEFAULT, onRun } = spec;
  const parts = partsOf(spec);
  const tally = new Tally(disturbancesOf(spec.broker));
  const found: Found[] = [];
  let until = numRuns;
  // Real time makes every run slow: who uses it is told at the first.
  await assertVirtual("producer", (observeCode) =>
    runOf(drawnFrom(spec, seed), parts, { observeCode }),
  );
  for (let at = 0; at < until; at += 1) {
    const scenario = drawnFrom(spec, seed + at);
    const report = await runOf(scenario, parts, { listen: (event) => tally.observe(event) });
    tally.add(report);
    const [violation] = report.violations.toSorted((a, b) => rankOf(a) - rankOf(b));
    if (violation !== undefined) {
      // What one bug does differs from run to run: a few more may show the worst of it.
      if (found.length === 0) until = Math.min(numRuns, at + 1 + LOOK_ON_RUNS);
      found.push({ scenario, seed: seed + at, violation, rank: rankOf(violation), runs: at + 1 });
      if (rankOf(violation) === 0) break;
    }
    onRun?.(at + 1, numRuns);
  }
  const [first] = found;
  if (first === undefined) return tally.report(seed);
  await assertVirtual("producer", (observeCode) => runOf(first.scenario, parts, { observeCode }));
  throw await smallestOf(spec, found);
}

function partsOf<Client>(spec: ProducerSpec<Client>): WorldParts {
  const { broker, createProducer, identify, decide } = spec;
  return { producer: { broker, createProducer, identify, decide } };
}

/** The scenario of one seed; it runs in the first of the worlds of that seed. */
function drawnFrom<Client>({ broker }: ProducerSpec<Client>, seed: number): ProducerScenario {
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  const drawn = drawScenarioOn(broker, dice);
  return { ...drawn, name: `${broker.name}-${seed}`, seed: seed * WORLDS_PER_SEED };
}

/** Runs a scenario until a promise breaks. */
function runOf(
  scenario: ProducerScenario,
  parts: WorldParts,
  options: SimulateOptions = {},
): Promise<RunReport> {
  return simulate(scenario, { trace: false, endAt: () => true, ...parts, ...options });
}

/** Plays the one run of a scenario file, and judges it as it stands. */
async function playScenario<Client>(
  spec: ProducerSpec<Client>,
  text: string,
): Promise<CheckReport> {
  const { broker } = spec;
  const named = parseScenario(text, "scenario");
  if (named.world !== "producer") {
    throw new RangeError(`Cannot check a producer in a world of "${named.world}"`);
  }
  const [model, own] = [named.broker, brokerSpecOf(broker)].map((one) => Object.keys(one)[0]);
  if (model !== own) {
    throw new RangeError(
      `Cannot play a scenario for "${model}" on "${broker.name}": it needs its broker`,
    );
  }
  const wanted = named.expect.checkers;
  const scenario = { ...named, expect: EXPECT_ALL };
  const tally = new Tally(disturbancesOf(broker));
  const report = await runOf(scenario, partsOf(spec), {
    trace: true,
    listen: (event) => tally.observe(event),
  });
  const violation =
    report.violations.find(({ checker }) => wanted.includes(checker)) ?? report.violations[0];
  if (violation !== undefined) {
    throw violationFrom(spec, { scenario, violation, runs: 1, seed: report.seed, text });
  }
  tally.add(report);
  return tally.report(report.seed);
}

/** Enough to be read at one glance. */
const PARTS_FEW = 8;
/** How many broken runs are shrunk until one becomes that small. */
const SHRUNK_MAX = 3;

/** Of the gravest violations the one that shrinks best; the first that is small enough will do. */
async function smallestOf<Client>(
  spec: ProducerSpec<Client>,
  found: readonly Found[],
): Promise<PropertyViolation<CounterexampleSize>> {
  const sorted = found.toSorted(
    (a, b) => a.rank - b.rank || partCount(a.scenario) - partCount(b.scenario) || a.seed - b.seed,
  );
  const { checker } = (sorted[0] as Found).violation;
  const alike = sorted.filter(({ violation }) => violation.checker === checker);
  let best = await shrunkFrom(spec, alike[0] as Found);
  for (const one of alike.slice(1, SHRUNK_MAX)) {
    if (partCount(best.scenario) <= PARTS_FEW) break;
    const next = await shrunkFrom(spec, one);
    if (partCount(next.scenario) < partCount(best.scenario)) best = next;
  }
  return violationFrom(spec, best);
}

function partCount(scenario: ProducerScenario): number {
  const { events, subscribers, conducts, faults } = sizeOf(scenario);
  return events + subscribers + conducts + faults;
}

/** A broken run, how grave it is, and how many runs there were until it came. */
interface Found extends Omit<Counterexample, "text"> {
  readonly rank: number;
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

/** A run that breaks a guarantee, and its scenario as a file. */
interface Counterexample {
  readonly scenario: ProducerScenario;
  /** The seed that it was drawn from. */
  readonly seed: number;
  readonly violation: Violation;
  readonly runs: number;
  readonly text: string;
}

async function shrunkFrom<Client>(
  spec: ProducerSpec<Client>,
  { scenario, seed, violation, runs }: Found,
): Promise<Counterexample> {
  const parts = partsOf(spec);
  const { checker } = violation;
  const { scenario: small, text, report } = await shrinkScenario(scenario, { parts, checker });
  const shown = report.violations.find((one) => one.checker === checker) ?? violation;
  return { scenario: small as ProducerScenario, seed, violation: shown, runs, text };
}

function violationFrom<Client>(
  spec: ProducerSpec<Client>,
  { scenario, seed, violation, runs, text }: Counterexample,
): PropertyViolation<CounterexampleSize> {
  const { checker, promise, detail, story } = violation;
  const size = sizeOf(scenario);
  return new PropertyViolation({
    subject: "producer",
    guarantee: checker,
    promise,
    detail,
    story,
    seed,
    runs,
    size,
    sizeInWords: sizeInWords(size),
    rerun: spec.rerun?.(seed) ?? `checkProducer({ ..., seed: ${seed}, numRuns: 1 })`,
    scenario: text,
  });
}
