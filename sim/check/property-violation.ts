/** What a `PropertyViolation` is made from. */
export interface ViolationParts<Size> {
  /** What was checked: "producer", "job". */
  readonly subject: string;
  readonly guarantee: string;
  readonly promise: string;
  readonly detail: string;
  readonly story: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly size: Size;
  /** The size in words: "2 events, 1 fault". */
  readonly sizeInWords: string;
  readonly rerun: string;
  /** A scenario file that shows it, where there is such a thing. */
  readonly scenario?: string;
  /** The path of the run's page, where one was written. */
  readonly report?: string;
  /** Why the page could not be written. */
  readonly reportProblem?: string;
}

/**
 * A guarantee that the code under test breaks, with the smallest run that shows it. The message
 * contains all of it, one line for each event.
 *
 * @example
 * ```ts
 * import { brokers, checkProducer, PropertyViolation } from "faultlane/check";
 *
 * const createProducer = () => ({
 *   async *openStream() {},
 *   async advance() {},
 * });
 * try {
 *   await checkProducer({ broker: brokers.kafka(), createProducer, numRuns: 5 });
 * } catch (error) {
 *   console.log(error instanceof PropertyViolation && error.seed); // => 1
 * }
 * ```
 */
export class PropertyViolation<Size = unknown> extends Error {
  /** Always "PropertyViolation". */
  override readonly name = "PropertyViolation";
  /** The id of the guarantee: "G1" to "G10" of a producer, "R-I1" to "R-I20" of a job, others. */
  readonly guarantee: string;
  /** The guarantee as a sentence. */
  readonly promise: string;
  /** What was observed, in one sentence. */
  readonly detail: string;
  /** The events of the smallest run that matter, one line each. */
  readonly story: readonly string[];
  /** The seed of the check. */
  readonly seed: number;
  /** How many runs it took until the guarantee broke. */
  readonly runs: number;
  /** How small the counterexample is. */
  readonly size: Size;
  /** The command or options that run it again. */
  readonly rerun: string;
  /** The path of the page that shows the run; undefined where none was asked for, or written. */
  readonly report: string | undefined;
  readonly #scenario: string | undefined;

  /** @internal */
  constructor(parts: ViolationParts<Size>) {
    super(messageFrom(parts));
    this.guarantee = parts.guarantee;
    this.promise = parts.promise;
    this.detail = parts.detail;
    this.story = parts.story;
    this.seed = parts.seed;
    this.runs = parts.runs;
    this.size = parts.size;
    this.rerun = parts.rerun;
    this.report = parts.report;
    this.#scenario = parts.scenario;
  }

  /** The text of a scenario file with the smallest run; undefined where there is none. */
  get scenario(): string | undefined {
    return this.#scenario;
  }
}

function messageFrom(parts: ViolationParts<unknown>): string {
  const { subject, guarantee, promise, detail, story, sizeInWords, rerun } = parts;
  const { report, reportProblem } = parts;
  return [
    `The ${subject} breaks ${guarantee}: ${promise}`,
    `  seen: ${detail}`,
    `  story (${sizeInWords}):`,
    ...story.map((line) => `    ${line}`),
    `  rerun: ${rerun}`,
    ...(report === undefined ? [] : [`  report: ${report}`]),
    ...(reportProblem === undefined ? [] : [`  report: cannot be written: ${reportProblem}`]),
  ].join("\n");
}

/** "1 fault", "2 faults". */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
