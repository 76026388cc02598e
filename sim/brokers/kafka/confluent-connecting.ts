import type { ClientPort } from "../broker.ts";
import { ConfluentError, stateError } from "./confluent-errors.ts";
import type { ConfluentConfig } from "./confluent-settings.ts";

/**
 * Throws where nobody can catch it, as the library does when a client is connected that has been
 * disconnected meanwhile: the process ends. Never resolves.
 *
 * Source: `@confluentinc/kafka-javascript` 1.10.1, `#readyCb` of lib/kafkajs/_consumer.js and
 * _producer.js
 */
export function throwsUncaught(port: ClientPort): Promise<never> {
  port.after(0, () => {
    throw stateError("Ready callback called in invalid state");
  });
  return new Promise<never>(() => undefined);
}

/**
 * What settings are refused for: one that the library does not have, a value that librdkafka
 * refuses as it is set, or values that do not go together, at which it looks last.
 */
type Why = "a setting" | "a value" | "values together";

/**
 * Reads the settings of a client that connects.
 *
 * @throws why they are refused, once `refused` was told: what the client then is depends on it
 */
export function settingsToConnect<Settings>(
  read: (config: ConfluentConfig) => Settings,
  config: ConfluentConfig,
  refused: (why: Why) => void,
): Settings {
  try {
    return read(config);
  } catch (error) {
    refused(whyOf(error));
    throw error;
  }
}

function whyOf(error: unknown): Why {
  if (!ConfluentError.isOne(error)) return "a value";
  const isTogether = error.type === "ERR_UNKNOWN" || error.type === "ERR__STATE";
  return isTogether ? "values together" : "a setting";
}

/** What the engine says where the library calls a client that it never got. */
export function withoutClient(method: string): TypeError {
  return new TypeError(`Cannot read properties of null (reading '${method}')`);
}
