/** A guarantee that a producer breaks, with the smallest run that shows it, in words. */
export class PropertyViolation extends Error {
  override readonly name = "PropertyViolation";
  /** "G1" to "G10", "progress", "hot-loop" or "contract". */
  readonly guarantee: string;
  /** The guarantee as a sentence. */
  readonly promise: string;
  /** What was seen, in one sentence. */
  readonly detail: string;
  readonly story: readonly string[];
  readonly seed: number;
  /** How many runs it took until one broke. */
  readonly runs: number;
  /** How small the counterexample is. */
  readonly size: CounterexampleSize;
  /** The line that runs it again. */
  readonly rerun: string;

  constructor(parts: ViolationParts) {
    super(messageFrom(parts));
    this.guarantee = parts.guarantee;
    this.promise = parts.promise;
    this.detail = parts.detail;
    this.story = parts.story;
    this.seed = parts.seed;
    this.runs = parts.runs;
    this.size = parts.size;
    this.rerun = parts.rerun;
  }
}

export interface CounterexampleSize {
  readonly events: number;
  readonly subscribers: number;
  /** What subscribers do other than accepting. */
  readonly conducts: number;
  readonly faults: number;
}

export interface ViolationParts {
  readonly guarantee: string;
  readonly promise: string;
  readonly detail: string;
  readonly story: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly size: CounterexampleSize;
  readonly rerun: string;
}

function messageFrom({ guarantee, promise, detail, story, size, rerun }: ViolationParts): string {
  const { events, subscribers, conducts, faults } = size;
  const shrunk = [
    counted(events, "event"),
    counted(subscribers, "subscriber"),
    counted(conducts, "misbehaviour"),
    counted(faults, "fault"),
  ].join(", ");
  return [
    `The producer breaks ${guarantee}: ${promise}`,
    `  seen: ${detail}`,
    `  story (${shrunk}):`,
    ...story.map((line) => `    ${line}`),
    `  rerun: ${rerun}`,
  ].join("\n");
}

function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
