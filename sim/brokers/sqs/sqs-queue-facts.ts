import type { QueueCounts } from "../lease.ts";
import { SqsServiceError } from "./sqs-error.ts";

const HOST = "https://sqs.us-east-1.amazonaws.com";
const ACCOUNT = "000000000000";
const SIZE_MAX = "1048576";
const RETENTION_SECONDS = "345600";
const SECOND_MS = 1_000;

interface QueueFacts {
  readonly name: string;
  readonly isFifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly maxReceiveCount: number | undefined;
  readonly createdMs: number;
  readonly counts: QueueCounts;
}

/** Returns the URL of a queue; each has one, as a name alone does not say whether there is one. */
export function urlOf(name: string): string {
  return `${HOST}/${ACCOUNT}/${name}`;
}

/**
 * Returns the attributes of a queue that are asked for.
 *
 * @throws {SqsServiceError} `InvalidAttributeName` for one that no queue has
 *
 * Source: Amazon SQS, GetQueueAttributes
 */
export function attributesOf(
  facts: QueueFacts,
  asked: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const all = allOf(facts);
  const known = new Set([...Object.keys(all), ...OTHERS]);
  for (const name of asked) {
    if (name !== "All" && !known.has(name)) {
      throw new SqsServiceError("InvalidAttributeName", `Unknown Attribute ${name}.`);
    }
  }
  const names = Object.keys(all).filter((name) => asked.includes("All") || asked.includes(name));
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, all[name] ?? ""]));
}

/** Attributes that other queues have. */
const OTHERS = [
  ...["Policy", "RedrivePolicy", "RedriveAllowPolicy", "KmsMasterKeyId"],
  ...["KmsDataKeyReusePeriodSeconds", "FifoQueue", "ContentBasedDeduplication"],
  ...["DeduplicationScope", "FifoThroughputLimit"],
];

function allOf(facts: QueueFacts): Readonly<Record<string, string>> {
  const { name, isFifo, counts, visibilityTimeoutSeconds, maxReceiveCount, createdMs } = facts;
  const created = String(Math.floor(createdMs / SECOND_MS));
  const arn = `arn:aws:sqs:us-east-1:${ACCOUNT}:${name}`;
  const redrive = { deadLetterTargetArn: `${arn}-dead`, maxReceiveCount };
  return {
    QueueArn: arn,
    ApproximateNumberOfMessages: String(counts.ready),
    ApproximateNumberOfMessagesNotVisible: String(counts.inFlight),
    ApproximateNumberOfMessagesDelayed: String(counts.delayed),
    CreatedTimestamp: created,
    LastModifiedTimestamp: created,
    VisibilityTimeout: String(visibilityTimeoutSeconds),
    MaximumMessageSize: SIZE_MAX,
    MessageRetentionPeriod: RETENTION_SECONDS,
    DelaySeconds: "0",
    ReceiveMessageWaitTimeSeconds: "0",
    SqsManagedSseEnabled: "true",
    ...(maxReceiveCount === undefined ? {} : { RedrivePolicy: JSON.stringify(redrive) }),
    ...(isFifo ? { FifoQueue: "true", ContentBasedDeduplication: "false" } : {}),
    ...(isFifo ? { DeduplicationScope: "queue", FifoThroughputLimit: "perQueue" } : {}),
  };
}
