import { checkedOptions } from "../../../src/checked-options.ts";
import type { BrokerModel } from "../../brokers/broker.ts";
import type { Violation } from "../../checkers/checker.ts";
import type { DecisionTableName } from "../../checkers/producer/decision-tables.ts";
import type { DecisionTable } from "../../checkers/producer/record-facts.ts";
import { SeededChoices } from "../../choices/choices.ts";
import { Dice } from "../../choices/dice.ts";
import { ControlRuns } from "../../run/control-runs.ts";
import { assertAccusation, assertSameAgain, type RepeatableRun } from "../../run/repeat.ts";
import type { RunReport } from "../../run/run-report.ts";
import { simulate, type SimulateOptions } from "../../run/simulate.ts";
import { parseScenario } from "../../scenario/parse.ts";
import { writeScenario } from "../../scenario/write.ts";
import {
  NothingToShrink,
  RunsDiffer,
  shrinkScenario,
} from "../../search/shrink/shrink-scenario.ts";
import { brokerSpecOf, renewableMsOf } from "../../worlds/producer/broker-spec.ts";
import { disturbancesOf, drawScenarioOn } from "../../worlds/producer/draw-producer.ts";
import { EXPECT_ALL } from "../../worlds/drawn-parts.ts";
import type { Identify } from "../../worlds/producer/producer-observer.ts";
import type { ProducerScenario } from "../../worlds/producer/producer-scenario.ts";
import type { CreateProducer } from "../../worlds/producer/producer-under-test.ts";
import type { WorldParts } from "../../worlds/world-parts.ts";
import { atCallSite } from "../call-site.ts";
import { isRepeated, plansToRepeat } from "../plans-to-repeat.ts";
import { PropertyViolation } from "../property-violation.ts";
import { writeViolationPage } from "../violation-page.ts";
import { type CheckReport, Tally } from "./check-report.ts";
import { type CounterexampleSize, sizeInWords, sizeOf } from "./counterexample-size.ts";

/** What `checkProducer` checks, and how. */
export interface ProducerSpec<Client> {
  /** The broker of the producer: one of {@linkcode brokers}, or a model of your own. */
  readonly broker: BrokerModel<Client>;
  /** Creates the producer of one group; must not call the broker yet. */
  readonly createProducer: CreateProducer<Client>;
  /** How many runs are made; default 1,000. */
  readonly numRuns?: number;
  /** The seed of the first run, a whole number from 0; each further run adds one. Default 1. */
  readonly seed?: number;
  /**
   * What the producer owes the broker for each outcome: a table by its name, or one of your own.
   *
   * - `"airflow"`, the default: a rejected event is dead-lettered or nacked, one that only failed
   *   or that nobody took is given back; where one rejected and another failed, either is right.
   * - `"dead-letter"`: a rejected event is dead-lettered, whatever became of it elsewhere.
   * - `"failed-first"`: an event that failed is given back also if another subscriber rejected it;
   *   one that was only rejected is dead-lettered.
   */
  readonly decide?: DecisionTable | DecisionTableName | undefined;
  /** Returns the ref of a record; default: finds it in the raw event or the payload. */
  readonly identify?: Identify;
  /** The text of a scenario file, from a violation; only that run is made. */
  readonly scenario?: string | undefined;
  /** Returns the command that runs one seed again; default: a call of `checkProducer`. */
  readonly rerun?: (seed: number) => string;
  /**
   * The folder for the page of the run that breaks a guarantee, whose path the violation carries;
   * default: the one that the environment variable `FAULTLANE_REPORT` names, else none is written.
   */
  readonly reportFolder?: string | undefined;
  /** Called after each run with the number of finished runs and of all runs. */
  readonly onRun?: (done: number, of: number) => void;
  /**
   * Loads the module of `createProducer` anew. It is called only where two runs differ, to find out
   * whether the module keeps state.
   *
   * @internal
   */
  readonly loadAnew?: () => Promise<CreateProducer<Client>>;
  /**
   * Called with the first run that breaks a guarantee, before it is repeated and made smaller.
   *
   * @internal
   */
  readonly onBroken?: (
    run: Pick<PropertyViolation, "guarantee" | "promise" | "seed" | "scenario">,
  ) => void;
}

const OPTIONS: readonly (keyof ProducerSpec<never>)[] = [
  ...(["broker", "createProducer", "numRuns", "seed", "decide", "identify"] as const),
  ...(["scenario", "rerun", "reportFolder", "onRun", "loadAnew", "onBroken"] as const),
];
const NUM_RUNS_DEFAULT = 1_000;
/** How many more runs are made after the first broken one. */
const RUNS_AFTER_FIRST_MAX = 40;
/**
 * How many steps these runs take in all. Forty runs of a producer that makes progress take fewer
 * than 60,000; one that polls for ever in vain takes as many in a single run.
 */
const STEPS_AFTER_FIRST_MAX = 200_000;
const SEED_DEFAULT = 1;
/** How many seeds each drawn scenario has of its own, so that no two scenarios share one. */
const WORLDS_PER_SEED = 8;

/**
 * Checks a producer against a model of its broker, in generated runs with faults.
 *
 * Shape: in each run a real manager polls the producer, subscribers behave well and badly, and the
 * broker, the links and the process fail.
 * Holds: the same seed makes the same runs and finds the same counterexample. The first plans, and
 * every run that breaks a guarantee, are run twice: what does not repeat is no counterexample.
 *
 * @throws {TypeError} when there is another option, or the broker was made with one
 * @throws {PropertyViolation} with the guarantee, the smallest run that breaks it, and its seed
 * @throws {FactoryThrew} when `createProducer` throws although no fault has struck
 * @throws {NoProducer} when `createProducer` returns something that is not a producer
 * @throws {Unrecognisable} when the record of a raw event cannot be identified
 * @throws {NotVirtual} when the producer waits for real time or real hosts
 * @throws {NotDeterministic} when two runs from one seed differ, with what is the likely source
 *
 * @example
 * ```ts
 * import { brokers, checkProducer } from "faultlane/check";
 * import { OrdersProducer } from "./orders-producer.ts";
 *
 * const { runs, events, copies } = await checkProducer({
 *   broker: brokers.kafka({ partitions: 3 }),
 *   createProducer: ({ client }) => new OrdersProducer(client),
 *   numRuns: 20,
 * });
 * console.log(runs, copies > events); // => 20 true
 * ```
 */
export function checkProducer<Client>(spec: ProducerSpec<Client>): Promise<CheckReport> {
  return atCallSite(checkProducer, () => checkOnce(spec));
}

async function checkOnce<Client>(spec: ProducerSpec<Client>): Promise<CheckReport> {
  checkedOptions(spec, OPTIONS, "checkProducer");
  if (spec.scenario !== undefined) return await playScenario(spec, spec.scenario);
  const { numRuns = NUM_RUNS_DEFAULT, seed = SEED_DEFAULT, onRun } = spec;
  const parts = partsOf(spec);
  const tally = tallyOf(spec.broker);
  const found: Found[] = [];
  let until = numRuns;
  let stepsAfterFirst = 0;
  const firstEver = await runOf(drawnFrom(spec, seed), parts, { trace: true });
  const plans = plansToRepeat({ seed, numRuns }, (of) => drawnFrom(spec, of).faults.length);
  const control = new ControlRuns(
    plans.map((of) => repeatable(spec, drawnFrom(spec, of), of)),
    firstEver,
  );
  await control.begin();
  for (let at = 0; at < until; at += 1) {
    const scenario = drawnFrom(spec, seed + at);
    const report = await runOf(scenario, parts, { listen: (event) => tally.observe(event) });
    tally.add(report);
    const [violation] = report.violations.toSorted((a, b) => rankOf(a) - rankOf(b));
    if (violation === undefined && isRepeated(at)) {
      await assertSameAgain(repeatable(spec, scenario, seed + at), report);
    }
    if (violation !== undefined) {
      // One bug has different effects in different runs: a few more may show a graver one.
      if (found.length === 0) {
        until = Math.min(numRuns, at + 1 + RUNS_AFTER_FIRST_MAX);
        const { checker: guarantee, promise } = violation;
        const text = writeScenario(scenario);
        spec.onBroken?.({ guarantee, promise, seed: seed + at, scenario: text });
      }
      const rank = rankOf(violation);
      found.push({ scenario, seed: seed + at, violation, rank, runs: at + 1, report });
      if (rankOf(violation) === 0) break;
    }
    onRun?.(at + 1, numRuns);
    if (found.length > 0) stepsAfterFirst += report.stats.steps;
    if (stepsAfterFirst > STEPS_AFTER_FIRST_MAX) break;
  }
  const [first] = found;
  if (first === undefined) {
    await control.assertUnchanged();
    return tally.report(seed);
  }
  await control.assertUnchanged();
  throw await smallestOf(spec, found);
}

function tallyOf<Client>(broker: BrokerModel<Client>): Tally {
  return new Tally(disturbancesOf(broker), renewableMsOf(brokerSpecOf(broker)) > 0);
}

function partsOf<Client>(spec: ProducerSpec<Client>): WorldParts {
  const { broker, createProducer, identify, decide } = spec;
  // A table by its name is in the scenario, so that the scenario alone shows what was broken.
  const own = typeof decide === "function" ? { decide } : {};
  return { producer: { broker, createProducer, identify, ...own } };
}

function namedTable(
  decide: ProducerSpec<never>["decide"],
): Partial<Pick<ProducerScenario, "decide">> {
  return typeof decide === "string" ? { decide } : {};
}

/** Draws the scenario of one seed. */
function drawnFrom<Client>(
  { broker, decide }: ProducerSpec<Client>,
  seed: number,
): ProducerScenario {
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  const drawn = drawScenarioOn(broker, dice);
  const name = `${broker.name}-${seed}`;
  return { ...drawn, ...namedTable(decide), name, seed: seed * WORLDS_PER_SEED };
}

/** The run of a scenario that can be made again, for a user by the seed that it was drawn from. */
function repeatable<Client>(
  spec: ProducerSpec<Client>,
  scenario: ProducerScenario,
  seed: number,
): RepeatableRun {
  const { loadAnew } = spec;
  const again = (parts: WorldParts): Promise<RunReport> => runOf(scenario, parts, { trace: true });
  return {
    subject: "producer",
    createdIn: "createProducer",
    scenario: scenario.name,
    seed,
    again: () => again(partsOf(spec)),
    ...(loadAnew !== undefined && {
      afresh: async () => again(partsOf({ ...spec, createProducer: await loadAnew() })),
    }),
  };
}

/** Runs a scenario until a promise breaks. */
function runOf(
  scenario: ProducerScenario,
  parts: WorldParts,
  options: SimulateOptions = {},
): Promise<RunReport> {
  return simulate(scenario, { trace: false, endAt: () => true, ...parts, ...options });
}

/** Makes the one run of a scenario file, without shrinking it. */
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
  const scenario = { ...named, ...namedTable(spec.decide), expect: EXPECT_ALL };
  const tally = tallyOf(broker);
  const report = await runOf(scenario, partsOf(spec), {
    trace: true,
    listen: (event) => tally.observe(event),
  });
  await assertSameAgain(repeatable(spec, scenario, report.seed), report, { isFirstEver: true });
  const violation =
    report.violations.find(({ checker }) => wanted.includes(checker)) ?? report.violations[0];
  if (violation !== undefined) {
    throw await violationFrom(spec, { scenario, violation, runs: 1, seed: report.seed, text });
  }
  tally.add(report);
  return tally.report(report.seed, report.vacuous);
}

/** A counterexample with at most this many parts is not shrunk further. */
const PARTS_FEW = 8;
/** How many broken runs are shrunk in search of one that small. */
const SHRUNK_MAX = 3;

/** Returns the smallest of the gravest violations, or the first that is small enough. */
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
  return await violationFrom(spec, best);
}

function partCount(scenario: ProducerScenario): number {
  const { events, subscribers, conducts, faults } = sizeOf(scenario);
  return events + subscribers + conducts + faults;
}

/** A broken run and its rank in `GRAVITY`. */
interface Found extends Omit<Counterexample, "text"> {
  readonly rank: number;
  readonly report: RunReport;
}

/** The guarantees, gravest first: crashes and lost events, then repeated or stuck ones, then others. */
const GRAVITY = [
  ["uncaught", "contract", "G7", "G1", "G2", "G3"],
  ["order", "G5", "G4", "G9", "hot-loop", "G10"],
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
  found: Found,
): Promise<Counterexample> {
  const { scenario, seed, violation } = found;
  const parts = partsOf(spec);
  const { checker } = violation;
  const run = repeatable(spec, scenario, seed);
  await assertAccusation(run, found.report);
  try {
    const { scenario: small, text, report } = await shrinkScenario(scenario, { parts, checker });
    const shown = report.violations.find((one) => one.checker === checker) ?? violation;
    return { ...found, scenario: small as ProducerScenario, violation: shown, text };
  } catch (error) {
    if (!(error instanceof NothingToShrink) && !(error instanceof RunsDiffer)) throw error;
    await assertSameAgain(run, found.report);
    return { ...found, text: writeScenario(scenario) };
  }
}

async function violationFrom<Client>(
  spec: ProducerSpec<Client>,
  { scenario, seed, violation, runs, text }: Counterexample,
): Promise<PropertyViolation<CounterexampleSize>> {
  const { checker, promise, detail, story } = violation;
  const size = sizeOf(scenario);
  const rerun = spec.rerun?.(seed) ?? `checkProducer({ ..., seed: ${seed}, numRuns: 1 })`;
  const page = await writeViolationPage(spec.reportFolder, {
    name: `${spec.broker.name}.${checker}.seed-${seed}`,
    rerun,
    run: () => runOf(scenario, partsOf(spec), { trace: true }),
  });
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
    rerun,
    scenario: text,
    ...page,
  });
}
