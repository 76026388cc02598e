import { isBytes } from "../aws-shape.ts";
import { ValidationException } from "./errors.ts";
import type { KinesisCommand } from "./inputs.ts";

/** What a field of a request may be. */
interface FieldRule {
  readonly isNeeded?: boolean;
  readonly pattern?: string;
  /** What is taken for the pattern, where that is more than it says. */
  readonly taken?: RegExp;
  readonly least?: number;
  readonly most?: number;
  /** What is counted: the value itself, or how long it is, by default. */
  readonly counts?: "value";
  readonly oneOf?: readonly string[];
  readonly members?: Rules;
}

/** The rules of a request, in the order in which the service tells what is against them. */
type Rules = Readonly<Record<string, FieldRule>>;

/** Source: Kinesis API, the constraints of each action's fields */
const NAME = { pattern: "[a-zA-Z0-9_.-]+", least: 1, most: 128 };
const STREAM = { StreamName: { isNeeded: true, ...NAME } };
const NUMBER = String.raw`0|([1-9]\d{0,128})`;
const ENTRY: Rules = {
  PartitionKey: { isNeeded: true, least: 1, most: 256 },
  // A number below nought is refused later, as one above the range is.
  ExplicitHashKey: { pattern: String.raw`0|([1-9]\d{0,38})`, taken: /^-?\d+$/ },
  Data: { isNeeded: true, most: 1_048_576 },
};
const RULES: Readonly<Record<KinesisCommand, Rules>> = {
  PutRecord: { SequenceNumberForOrdering: { pattern: NUMBER }, ...ENTRY, ...STREAM },
  PutRecords: { Records: { isNeeded: true, least: 1, most: 500, members: ENTRY }, ...STREAM },
  GetShardIterator: {
    ShardId: { isNeeded: true, ...NAME },
    ShardIteratorType: {
      isNeeded: true,
      oneOf: [
        ...["AFTER_SEQUENCE_NUMBER", "LATEST", "AT_TIMESTAMP"],
        ...["AT_SEQUENCE_NUMBER", "TRIM_HORIZON"],
      ],
    },
    StartingSequenceNumber: { pattern: NUMBER },
    ...STREAM,
  },
  GetRecords: {
    Limit: { counts: "value", least: 1, most: 10_000 },
    ShardIterator: { isNeeded: true, least: 1, most: 512 },
  },
  ListShards: {
    ExclusiveStartShardId: NAME,
    MaxResults: { counts: "value", least: 1, most: 10_000 },
    NextToken: { least: 1 },
    StreamName: NAME,
  },
  // These may name the stream by its ARN.
  DescribeStream: {
    Limit: { counts: "value", least: 1, most: 10_000 },
    ExclusiveStartShardId: NAME,
    StreamName: NAME,
  },
  DescribeStreamSummary: { StreamName: NAME },
};

/** The service tells no more of them at once. */
const TOLD_MAX = 10;

/**
 * Checks the fields of a request, ahead of what the request is about.
 *
 * @throws {ValidationException} that tells all that is against the rules
 */
export function assertValid(command: KinesisCommand, input: object): void {
  const told = [...violations(RULES[command], input, "")].slice(0, TOLD_MAX);
  if (told.length > 0) throw new ValidationException(told);
}

function* violations(rules: Rules, input: object, prefix: string): Generator<string> {
  for (const [name, rule] of Object.entries(rules)) {
    const value: unknown = Reflect.get(input, name);
    const field = `${prefix}${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
    if (value !== undefined) yield* violationsOf(field, rule, value);
    else if (rule.isNeeded === true) yield toldOf(field, "null", "Member must not be null");
  }
}

function* violationsOf(field: string, rule: FieldRule, value: unknown): Generator<string> {
  const { pattern, least, most, counts, oneOf, members } = rule;
  const shown = shownIn(value);
  const taken = rule.taken ?? new RegExp(`^(?:${pattern})$`);
  if (pattern !== undefined && !taken.test(String(value))) {
    yield toldOf(field, shown, `Member must satisfy regular expression pattern: ${pattern}`);
  }
  if (oneOf !== undefined && !oneOf.includes(String(value))) {
    yield toldOf(field, shown, `Member must satisfy enum value set: [${oneOf.join(", ")}]`);
  }
  const [what, count] = counts === "value" ? ["value", Number(value)] : ["length", lengthOf(value)];
  const bound = `Member must have ${what}`;
  if (least !== undefined && count < least) {
    yield toldOf(field, shown, `${bound} greater than or equal to ${least}`);
  }
  if (most !== undefined && count > most) {
    yield toldOf(field, shown, `${bound} less than or equal to ${most}`);
  }
  if (members === undefined) return;
  for (const [at, member] of (value as readonly object[]).entries()) {
    yield* violations(members, member, `${field}.${at + 1}.member.`);
  }
}

function toldOf(field: string, shown: string, constraint: string): string {
  return `Value ${shown} at '${field}' failed to satisfy constraint: ${constraint}`;
}

function lengthOf(value: unknown): number {
  return (value as { readonly length: number }).length;
}

function shownIn(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "'[]'" : "'[...]'";
  if (!isBytes(value)) return `'${String(value)}'`;
  const { length } = value;
  return `'java.nio.HeapByteBuffer[pos=0 lim=${length} cap=${length}]'`;
}
