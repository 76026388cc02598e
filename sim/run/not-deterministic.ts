/**
 * What most likely makes two runs differ that should be equal.
 *
 * - `state-outlives-run`: a counter or a cache, which one run leaves to the next: in the module,
 *   in another of the user's that it imports, or on a global or built-in object.
 * - `real-time-or-chance`: a clock, random numbers or ids of the runtime, past the virtual ones; or
 *   state that is kept where it is not made anew with the module, such as in a package.
 * - `choices-differ`: the code asks for other choices than those that were recorded.
 * - `unknown`: the experiments did not decide it.
 */
export type LikelySource =
  | "state-outlives-run"
  | "real-time-or-chance"
  | "choices-differ"
  | "unknown";

/** Where two runs begin to differ. */
export interface Difference {
  /** The virtual time of it, in milliseconds. */
  readonly atMs: number;
  /** The same place in words: "at 1,204 ms". */
  readonly place: string;
  /** The last events that both runs have. */
  readonly before: readonly string[];
  /** The events of the first run from there on, at most three; none if it had ended. */
  readonly first: readonly string[];
  /** The same of the second run. */
  readonly second: readonly string[];
  /** The first recorded choice of each run that differs; undefined where none does. */
  readonly choices?: readonly [first: string, second: string] | undefined;
}

/** What a `NotDeterministic` is made from. */
export interface NotDeterministicParts {
  /** What was run: "producer", "job". */
  readonly subject: string;
  /** The function in which such code creates its state: "createProducer". */
  readonly createdIn: string;
  readonly scenario: string;
  readonly seed: number;
  readonly difference: Difference;
  readonly likely: LikelySource;
  readonly isCertain: boolean;
  /** The names of state that was seen to change in a run. */
  readonly state: readonly string[];
}

/**
 * Two runs of the same scenario, seed and choices differ, so that no run of the code under test
 * proves anything. The first line of the message says where, how, and what is the likely source.
 *
 * @example
 * ```ts
 * import { brokers, checkProducer, NotDeterministic } from "faultlane/check";
 * import { OrdersProducer } from "./orders-producer.ts";
 *
 * let opened = 0;
 * class Hesitant extends OrdersProducer {
 *   override async *openStream(signal: AbortSignal) {
 *     opened += 1;
 *     await new Promise<void>((resolve) => void setTimeout(resolve, opened * 10));
 *     yield* super.openStream(signal);
 *   }
 * }
 * const check = checkProducer({
 *   broker: brokers.kafka(),
 *   createProducer: ({ client }) => new Hesitant(client),
 *   numRuns: 20,
 * });
 * const error = await check.catch((thrown: unknown) => thrown);
 * console.log(error instanceof NotDeterministic && error.likely); // => state-outlives-run
 * ```
 */
export class NotDeterministic extends Error {
  /** Always "NotDeterministic". */
  override readonly name = "NotDeterministic";
  /** What was run: "producer", "job", "manager", "state backend". */
  readonly subject: string;
  /** The name of the scenario; of a state backend the law. */
  readonly scenario: string;
  /** The seed of the two runs. */
  readonly seed: number;
  /** The virtual time at which they begin to differ, in milliseconds; 0 without a world. */
  readonly atMs: number;
  /** What the first run does from there on, at most three events; empty if it had ended. */
  readonly first: readonly string[];
  /** What the second run does from there on, at most three events; empty if it had ended. */
  readonly second: readonly string[];
  /** What most likely makes them differ. */
  readonly likely: LikelySource;
  /** Whether `likely` was proven, by loading the module and those that it imports anew. */
  readonly isCertain: boolean;
  /**
   * State that was seen to change in a run: `"calls" of counter.ts`, "Map.cache". The command line
   * sees members of globals and exported values, and on Node all variables of the user's modules.
   */
  readonly state: readonly string[];

  /** @internal */
  constructor(parts: NotDeterministicParts) {
    super(messageFrom(parts));
    const { subject, scenario, seed, difference, likely, isCertain, state } = parts;
    this.subject = subject;
    this.scenario = scenario;
    this.seed = seed;
    this.atMs = difference.atMs;
    this.first = difference.first;
    this.second = difference.second;
    this.likely = likely;
    this.isCertain = isCertain;
    this.state = state;
  }
}

function messageFrom(parts: NotDeterministicParts): string {
  const { subject, scenario, seed, difference, likely, isCertain } = parts;
  const { place, before, first, second, choices } = difference;
  const source = `${isCertain ? "" : "likely "}source: ${sourceWords(likely, parts)}`;
  return [
    `Cannot judge the ${subject}: two runs from seed ${seed} differ ${place}: first run ${headOf(first)}, second run ${headOf(second)}; ${source}`,
    `  scenario: ${scenario}`,
    ...sectionOf("both runs before it", before),
    ...sectionOf("the first run", first),
    ...sectionOf("the second run", second),
    ...(choices === undefined
      ? []
      : sectionOf("the first choice that differs", [`"${choices[0]}" and "${choices[1]}"`])),
  ].join("\n");
}

function sourceWords(likely: LikelySource, parts: NotDeterministicParts): string {
  const { subject, createdIn, state } = parts;
  const seen = state.length === 0 ? "" : `; state that a run changes: ${listOf(state)}`;
  switch (likely) {
    case "state-outlives-run": {
      const named =
        state.length === 0
          ? " (a counter or a cache, of the module or of one that it imports)"
          : `: ${listOf(state)}`;
      return `state that outlives a run${named}; create it in ${createdIn}`;
    }
    case "real-time-or-chance":
      return `real time or chance, or state that outlives a run in a package; use the global Date, performance, Math.random and crypto when the ${subject} runs, not references to them that were taken at import${seen}`;
    case "choices-differ":
      return `the ${subject} does not ask for the choices that it asked for before; it has changed, or depends on real time or chance`;
    case "unknown":
      return `not found; usual ones are state that outlives a run, real time, and chance${seen}`;
    default:
      return likely satisfies never;
  }
}

/** How many names a sentence has. */
const NAMED_MAX = 5;

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).join(", ");
  return names.length > NAMED_MAX ? `${shown} and ${names.length - NAMED_MAX} more` : shown;
}

function headOf([line]: readonly string[]): string {
  return line === undefined ? "has ended" : `"${line}"`;
}

function sectionOf(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}:`, ...lines.map((line) => `    ${line}`)];
}
