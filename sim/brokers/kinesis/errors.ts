import { type AwsMetadata, showMessage } from "../aws-request.ts";
import { adoptLibraryClass } from "../library-errors.ts";

/** The worker does not hold the lease of the shard. Source: KCL 3, exceptions.ShutdownException */
export class ShutdownException extends Error {
  override readonly name = "ShutdownException";

  constructor(shardId: string) {
    super(`Can't update checkpoint - instance doesn't hold the lease of ${shardId}`);
  }
}

/**
 * A position that was not delivered to this worker.
 *
 * Source: KCL 3, ShardRecordProcessorCheckpointer
 */
export class IllegalArgumentException extends Error {
  override readonly name = "IllegalArgumentException";
}

/** The lease table did not reply. Source: KCL 3, exceptions */
export class KinesisClientLibDependencyException extends Error {
  override readonly name = "KinesisClientLibDependencyException";
}

/**
 * The service refused a request.
 *
 * Source: @aws-sdk/client-kinesis 3, KinesisServiceException
 */
class KinesisServiceException extends Error {
  override readonly name: string;
  readonly $fault = "client";
  $metadata: AwsMetadata = { httpStatusCode: 400 };

  constructor(name: string, message: string) {
    super(message);
    showMessage(this);
    this.name = name;
    adoptLibraryClass(this, "@aws-sdk/client-kinesis", name, "KinesisServiceException");
  }
}

/** The iterator is older than five minutes. Source: Kinesis API, GetRecords */
export class ExpiredIteratorException extends KinesisServiceException {
  constructor() {
    super(
      "ExpiredIteratorException",
      "Iterator expired. The iterator was created more than 300000 ms ago",
    );
  }
}

/** The account has no right to read the stream. Source: Kinesis API, GetRecords */
export class AccessDeniedException extends KinesisServiceException {
  constructor(stream: string) {
    super(
      "AccessDeniedException",
      `The account is not authorized to perform: kinesis:GetRecords on resource: ${stream}`,
    );
  }
}

/** The stream accepts no more records at the moment. Source: Kinesis API, PutRecord */
export class ProvisionedThroughputExceededException extends KinesisServiceException {
  constructor(stream: string) {
    const message = `Rate exceeded for a shard in stream ${stream}`;
    super("ProvisionedThroughputExceededException", message);
  }
}

/** Fields of a request are missing, or out of their ranges. Source: Kinesis API, common errors */
export class ValidationException extends KinesisServiceException {
  constructor(told: readonly string[]) {
    const errors = told.length === 1 ? "error" : "errors";
    super(
      "ValidationException",
      `${told.length} validation ${errors} detected: ${told.join("; ")}`,
    );
  }
}

/** A field of a request is of another type. Source: Kinesis API, common errors */
export class SerializationException extends KinesisServiceException {
  constructor(message: string) {
    super("SerializationException", message);
  }
}

/** Whose stream it is. */
const ACCOUNT = "000000000000";

const SHARD_NUMBER_MAX = 2_147_483_647;
const SHARD_NUMBER_DIGITS = 12;

/**
 * Returns the whole id of the shard that a request names; undefined for what names none. What
 * stands behind the first dash is the shard's number, and so is a number alone.
 */
export function wholeShardId(given: string): string | undefined {
  const [, behind = ""] = given.split("-");
  const text = behind === "" ? given : behind;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= SHARD_NUMBER_MAX)) return undefined;
  return `shardId-${String(number).padStart(SHARD_NUMBER_DIGITS, "0")}`;
}

/** There is no such shard. Source: Kinesis API, GetShardIterator */
export class ResourceNotFoundException extends KinesisServiceException {
  constructor(given: string, stream: string) {
    const shardId = wholeShardId(given);
    super(
      "ResourceNotFoundException",
      shardId === undefined
        ? `Could not find shard ${given} in stream ${stream} under account ${ACCOUNT}.`
        : `Shard ${shardId} in stream ${stream} under account ${ACCOUNT} does not exist`,
    );
  }
}

/** There is no such stream. Source: Kinesis API, PutRecord */
export class StreamNotFoundException extends KinesisServiceException {
  constructor(stream: string) {
    const message = `Stream ${stream} under account ${ACCOUNT} not found.`;
    super("ResourceNotFoundException", message);
  }
}

/** Fields of a request contradict each other. Source: Kinesis API, GetShardIterator */
export class InvalidArgumentException extends KinesisServiceException {
  constructor(message: string) {
    super("InvalidArgumentException", message);
  }
}

/** No record of a shard has this number. Source: Kinesis API, GetShardIterator */
export class SequenceNumberOfOther extends InvalidArgumentException {
  constructor(
    number: string,
    { stream, shardId }: { readonly stream: string; readonly shardId: string },
    owner: string | undefined,
  ) {
    const where = `used in GetShardIterator on shard ${shardId} in stream ${stream}`;
    super(
      owner === undefined
        ? `StartingSequenceNumber ${number} ${where} under account ${ACCOUNT} is invalid.`
        : `Invalid StartingSequenceNumber. It encodes ${owner}, while it was used in a call to a shard with ${shardId}`,
    );
  }
}

/** No record has this number. Source: Kinesis API, PutRecord */
export class SequenceNumberOfNone extends InvalidArgumentException {
  constructor(number: string, stream: string) {
    const where = `used in PutRecord on stream ${stream} under account ${ACCOUNT}`;
    super(`ExclusiveMinimumSequenceNumber ${number} ${where} is invalid.`);
  }
}

/** No reply arrived after all retries. Source: AWS SDK for JavaScript 3 */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}
