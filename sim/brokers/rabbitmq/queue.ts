import type { Declaration } from "./declaration.ts";
import type { QueuedMessage } from "./message.ts";
import { type QueueRules, rulesFrom } from "./queue-arguments.ts";

/** The delivery mode of messages that are written to disk. */
const PERSISTENT = 2;

/** A queue with its messages. */
export interface Queue {
  readonly name: string;
  /** Those that are ready, the next one first. */
  readonly messages: QueuedMessage[];
  /** Undefined until a client declares a queue that the node had before. */
  declared: Declaration | undefined;
  rules: QueueRules;
  /** The dead-letter exchange of a policy of the node, which no declaration names. */
  readonly policyExchange: string | undefined;
  /** The connection that an exclusive queue belongs to. */
  readonly owner: object | undefined;
  /** When somebody last declared, read or consumed it, in virtual milliseconds. */
  usedAt: number;
  /** When its messages are looked at next, because one expires. */
  watchedUntil: number | undefined;
}

/** Creates an empty queue. */
export function queueFrom(
  parts: Pick<Queue, "name" | "declared" | "policyExchange" | "owner">,
): Queue {
  const rules = rulesFrom(parts.declared?.args ?? new Map());
  return { ...parts, messages: [], rules, usedAt: 0, watchedUntil: undefined };
}

/** Puts a message that has arrived behind those of its priority. */
export function append({ messages, rules }: Queue, message: QueuedMessage): void {
  if (rules.priorityMax === 0) {
    messages.push(message);
    return;
  }
  const at = messages.findIndex(({ priority }) => priority < message.priority);
  messages.splice(at === -1 ? messages.length : at, 0, message);
}

/**
 * Puts a message back that was delivered: into its old place, or in a quorum queue behind those
 * that came back before it.
 */
export function putBack({ messages, rules }: Queue, message: QueuedMessage): void {
  const isBehind = (one: QueuedMessage): boolean =>
    rules.isQuorum
      ? one.returns === 0
      : one.priority < message.priority ||
        (one.priority === message.priority && one.sequence > message.sequence);
  const at = messages.findIndex(isBehind);
  messages.splice(at === -1 ? messages.length : at, 0, message);
}

/** Whether a message outlives a restart of the node. */
export function isDurable(queue: Queue, message: Pick<QueuedMessage, "properties">): boolean {
  return isWritten(queue, message) && queue.declared?.durable !== false;
}

/** Whether a message of a durable queue is written to disk; a quorum queue writes all. */
export function isWritten(
  { rules }: Queue,
  { properties }: Pick<QueuedMessage, "properties">,
): boolean {
  return rules.isQuorum || properties.deliveryMode === PERSISTENT;
}

/** Whether the queue holds more than it may. */
export function isOverfull({ messages, rules }: Queue): boolean {
  if (messages.length > rules.lengthMax) return true;
  if (rules.bytesMax === Number.POSITIVE_INFINITY) return false;
  return messages.reduce((sum, { content }) => sum + content.length, 0) > rules.bytesMax;
}

/** Whether the queue has no room for another message. */
export function isFull({ messages, rules }: Queue): boolean {
  if (messages.length >= rules.lengthMax) return true;
  if (rules.bytesMax === Number.POSITIVE_INFINITY) return false;
  return messages.reduce((sum, { content }) => sum + content.length, 0) >= rules.bytesMax;
}

/** The first message of each priority: what is behind does not expire ahead of it. */
export function headsOf({ messages }: Queue): readonly QueuedMessage[] {
  const seen = new Set<number>();
  return messages.filter(({ priority }) => {
    const isHead = !seen.has(priority);
    seen.add(priority);
    return isHead;
  });
}
