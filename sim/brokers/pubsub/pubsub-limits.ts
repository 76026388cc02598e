import { bytesFrom } from "../text-bytes.ts";
import { PubSubServiceError } from "./pubsub-error.ts";
import type { PubSubPublication } from "./pubsub-publisher.ts";

const ATTRIBUTES_MAX = 100;
const KEY_BYTES_MAX = 256;
const VALUE_BYTES_MAX = 1_024;
const ORDERING_KEY_BYTES_MAX = 1_024;
const REQUEST_BYTES_MAX = 10_485_760;
const MORE = "Refer to https://cloud.google.com/pubsub/quotas for more information.";
const EMPTY =
  "One or more messages in the publish request is empty. Each message must contain either non-empty data, or at least one attribute.";

/**
 * Refuses a batch as a whole when one of its messages cannot be published.
 *
 * Source: Pub/Sub, "Quotas and limits", resource limits, and the reference of PubsubMessage; the
 * texts are in java-pubsub issue 2312, snowplow/enrich issue 485 and snowplow/snowbridge issue 34.
 *
 * @throws {PubSubServiceError} for a message that is empty or too large, or has too much beside it
 */
export function assertPublishable(batch: readonly PubSubPublication[]): void {
  let bytes = 0;
  for (const { data, attributes, orderingKey } of batch) {
    const entries = Object.entries(attributes);
    if (data.length === 0 && entries.length === 0) throw refused(EMPTY);
    if (entries.length > ATTRIBUTES_MAX) {
      const most = `the maximum allowed is ${ATTRIBUTES_MAX}`;
      throw refused(`A message has ${entries.length} attributes, but ${most}. ${MORE}`);
    }
    bytes += data.length;
    for (const [key, value] of entries) {
      // The service does not name the attribute here.
      bytes += sizeOf('The attribute "" in the request has a key', key, KEY_BYTES_MAX);
      const what = `The attribute "${key}" in the request has a value`;
      bytes += sizeOf(what, value, VALUE_BYTES_MAX);
    }
    bytes += sizeOf("A message has an ordering key", orderingKey, ORDERING_KEY_BYTES_MAX);
  }
  if (bytes <= REQUEST_BYTES_MAX) return;
  throw refused(`Request payload size exceeds the limit: ${REQUEST_BYTES_MAX} bytes.`);
}

/** Returns the bytes of a text. */
function sizeOf(what: string, text: string, bytesMax: number): number {
  const { length } = bytesFrom(text);
  if (length <= bytesMax) return length;
  const size = `The length is ${length} characters, but the maximum allowed is ${bytesMax}.`;
  throw refused(`${what} that is too long. ${size} ${MORE}`);
}

function refused(details: string): PubSubServiceError {
  return new PubSubServiceError("INVALID_ARGUMENT", details);
}
