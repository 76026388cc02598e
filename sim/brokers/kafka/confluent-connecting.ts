import type { ClientPort } from "../broker.ts";
import { stateError } from "./confluent-errors.ts";

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
