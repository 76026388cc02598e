import { NotModelled } from "../not-modelled.ts";
import type { AttributeValue, SendInput } from "./sqs-commands.ts";
import { SqsServiceError } from "./sqs-error.ts";
import { missing } from "./sqs-refusals.ts";

/** Source: Amazon SQS, SendMessage and "Amazon SQS message quotas" */
const SIZE_MAX = 1_048_576;
const DELAY_SECONDS_MAX = 900;
const ATTRIBUTES_MAX = 10;
const TYPE = /^(String|Number|Binary)(\..+)?$/;
/** Of attributes: how long a name may be, of what, and which are the service's own. */
const ATTRIBUTE_NAME_BYTES_MAX = 256;
const ATTRIBUTE_NAME = /^[\w.-]+$/;
const RESERVED_NAME = /^(aws\.|amazon\.|\.)|\.$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NUMBER_MAX = 1e126;
const NAME = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;
/** Characters that no message may have. */
const UNKNOWN_CHARACTER = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const WRONG_QUEUE = "Reason: The request include parameter that is not valid for this queue type.";

/** Returns why SQS refuses to take a message; undefined where it does not. */
export function sendRefusal(isFifo: boolean, input: SendInput): SqsServiceError | undefined {
  const { MessageBody: body = "", MessageAttributes: attributes = {} } = input;
  if (body === "") return missing("MessageBody");
  if (UNKNOWN_CHARACTER.test(body)) {
    const message =
      "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF";
    return new SqsServiceError("InvalidMessageContents", message);
  }
  return (
    queueRefusal(isFifo, input) ??
    attributesRefusal(Object.entries(attributes)) ??
    sizeRefusal(body, Object.entries(attributes))
  );
}

/** The error of a FIFO queue that makes no ids itself. */
export function noDeduplicationId(): SqsServiceError {
  const message =
    "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly";
  return new SqsServiceError("InvalidParameterValue", message);
}

/** What only one kind of queue takes. A FIFO queue may make its deduplication ids itself. */
function queueRefusal(isFifo: boolean, input: SendInput): SqsServiceError | undefined {
  const { MessageGroupId: group, MessageDeduplicationId: id, DelaySeconds: delay = 0 } = input;
  if (!(delay >= 0 && delay <= DELAY_SECONDS_MAX)) {
    const why = `DelaySeconds must be >= 0 and <= ${DELAY_SECONDS_MAX}.`;
    return invalid(`Value ${delay} for parameter DelaySeconds is invalid. Reason: ${why}`);
  }
  if (isFifo && group === undefined) return missing("MessageGroupId");
  if (isFifo && delay > 0) {
    return invalid(`Value ${delay} for parameter DelaySeconds is invalid. ${WRONG_QUEUE}`);
  }
  if (!isFifo && id !== undefined) {
    return invalid(`Value ${id} for parameter MessageDeduplicationId is invalid. ${WRONG_QUEUE}`);
  }
  return nameRefusal("MessageGroupId", group) ?? nameRefusal("MessageDeduplicationId", id);
}

function nameRefusal(parameter: string, name: string | undefined): SqsServiceError | undefined {
  if (name === undefined || NAME.test(name)) return undefined;
  const why = `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
  return invalid(`Value ${name} for parameter ${parameter} is invalid. Reason: ${why}`);
}

function attributesRefusal(
  attributes: readonly (readonly [string, AttributeValue])[],
): SqsServiceError | undefined {
  if (attributes.length > ATTRIBUTES_MAX) {
    return invalid(
      `Number of message attributes [${attributes.length}] exceeds the allowed maximum [${ATTRIBUTES_MAX}].`,
    );
  }
  for (const [name, { DataType: type = "", StringValue: text, BinaryValue: bytes }] of attributes) {
    const refusal = attributeNameRefusal(name);
    if (refusal !== undefined) return refusal;
    const what = `Message (user) attribute '${name}'`;
    if (type === "") return invalid(`${what} must contain a non-empty attribute type.`);
    if (!TYPE.test(type)) {
      const only =
        "You must use only the following supported type prefixes: Binary, Number, String.";
      return invalid(`The type of message (user) attribute '${name}' is invalid. ${only}`);
    }
    const value = type.startsWith("Binary") ? bytes : text;
    if (value === undefined || value.length === 0) {
      return invalid(`${what} must contain a non-empty value of type '${type}'.`);
    }
    if (typeof value !== "string" && !(value instanceof Uint8Array)) {
      throw new NotModelled("an attribute whose value is neither text nor bytes", "brokers.sqs");
    }
    if (type.startsWith("Number") && !isNumber(String(value))) {
      return invalid(`Can't cast the value of message (user) attribute '${name}' to a number.`);
    }
  }
  return undefined;
}

/** Source: Amazon SQS, "Message attribute components" */
function attributeNameRefusal(name: string): SqsServiceError | undefined {
  if (name.length === 0) {
    return invalid("The request must contain non-empty message (user) attribute names.");
  }
  if (new TextEncoder().encode(name).length >= ATTRIBUTE_NAME_BYTES_MAX) {
    const most = `must be shorter than ${ATTRIBUTE_NAME_BYTES_MAX} Bytes`;
    return invalid(`Message (user) attribute names ${most}`);
  }
  if (!ATTRIBUTE_NAME.test(name)) {
    const only = "upper and lower score characters, digits, periods, hyphens and underscores. ";
    return invalid(`Message (user) attributes name can only contain ${only}`);
  }
  if (RESERVED_NAME.test(name)) {
    const reserved =
      "You can't use message attribute names beginning with 'AWS.' or 'Amazon.'. These strings are reserved for internal use.";
    return invalid(`${reserved} Additionally, they cannot start or end with '.'.`);
  }
  if (!name.includes("..")) return undefined;
  return invalid("Message (user) attribute name must not have successive '.' characters.");
}

function isNumber(text: string): boolean {
  return NUMBER.test(text) && Math.abs(Number(text)) <= NUMBER_MAX;
}

/** A batch is refused as a whole when all of it is too long. */
export function batchRefusal(entries: readonly SendInput[]): SqsServiceError | undefined {
  const sizes = entries.map(({ MessageBody: body = "", MessageAttributes: attributes = {} }) =>
    sizeOf(body, Object.entries(attributes)),
  );
  const size = sizes.reduce((sum, one) => sum + one, 0);
  if (size <= SIZE_MAX) return undefined;
  const most = `Batch requests cannot be longer than ${SIZE_MAX} bytes.`;
  return new SqsServiceError("BatchRequestTooLong", `${most} You have sent ${size} bytes.`);
}

function sizeOf(body: string, attributes: readonly (readonly [string, AttributeValue])[]): number {
  const encoder = new TextEncoder();
  let size = encoder.encode(body).length;
  for (const [name, { DataType: type = "", StringValue: text = "", BinaryValue }] of attributes) {
    size += encoder.encode(name + type + text).length + (BinaryValue?.length ?? 0);
  }
  return size;
}

function sizeRefusal(
  body: string,
  attributes: readonly (readonly [string, AttributeValue])[],
): SqsServiceError | undefined {
  if (sizeOf(body, attributes) <= SIZE_MAX) return undefined;
  const why = `Message must be shorter than ${SIZE_MAX} bytes.`;
  return invalid(`One or more parameters are invalid. Reason: ${why}`);
}

function invalid(message: string): SqsServiceError {
  return new SqsServiceError("InvalidParameterValue", message);
}
