import { NotModelled } from "../not-modelled.ts";
import { preconditionFailed } from "./amqp-error.ts";

/** The options of amqplib's `assertQueue`. */
export interface QueueOptions {
  readonly durable?: boolean | undefined;
  readonly exclusive?: boolean | undefined;
  readonly autoDelete?: boolean | undefined;
  readonly deadLetterExchange?: string | undefined;
  readonly deadLetterRoutingKey?: string | undefined;
  readonly messageTtl?: number | undefined;
  readonly expires?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly maxPriority?: number | undefined;
  readonly overflow?: string | undefined;
  readonly queueMode?: string | undefined;
  readonly arguments?: unknown;
}

/** What a queue was declared with. */
export interface Declaration {
  readonly durable: boolean;
  readonly exclusive: boolean;
  readonly autoDelete: boolean;
  /** The arguments by their names in the protocol. */
  readonly args: ReadonlyMap<string, unknown>;
}

/** The arguments that the model does not have, and what they would do. */
const NOT_MODELLED: ReadonlyMap<string, string> = new Map([
  ["x-message-ttl", "messages that expire"],
  ["x-expires", "queues that expire"],
  ["x-max-length", "queues with a maximal length"],
  ["x-max-length-bytes", "queues with a maximal size"],
  ["x-max-priority", "priorities"],
  ["x-single-active-consumer", "single active consumers"],
  ["x-delivery-limit", "a limit of deliveries"],
]);

/**
 * Reads the options of `assertQueue`.
 *
 * @throws {NotModelled} for an argument that the model does not have
 */
export function declarationFrom(options: QueueOptions): Declaration {
  const args = new Map(Object.entries((options.arguments ?? {}) as Record<string, unknown>));
  const named: readonly (readonly [string, unknown])[] = [
    ["x-expires", options.expires],
    ["x-message-ttl", options.messageTtl],
    ["x-dead-letter-exchange", options.deadLetterExchange],
    ["x-dead-letter-routing-key", options.deadLetterRoutingKey],
    ["x-max-length", options.maxLength],
    ["x-max-priority", options.maxPriority],
    ["x-overflow", options.overflow],
    ["x-queue-mode", options.queueMode],
  ];
  for (const [name, value] of named) if (value !== undefined) args.set(name, value);
  for (const name of args.keys()) {
    const what = NOT_MODELLED.get(name);
    if (what !== undefined) throw new NotModelled(`${name} (${what})`, "brokers.rabbitmq");
  }
  const { durable = true, exclusive = false, autoDelete = false } = options;
  return { durable, exclusive, autoDelete, args };
}

/** @throws {Refused} 406 when the queue was declared otherwise */
export function assertEquivalent(queue: string, current: Declaration, given: Declaration): void {
  const where = `for queue '${queue}' in vhost '/'`;
  for (const flag of ["durable", "autoDelete", "exclusive"] as const) {
    if (current[flag] === given[flag]) continue;
    const name = flag === "autoDelete" ? "auto_delete" : flag;
    const values = `received '${given[flag]}' but current is '${current[flag]}'`;
    throw preconditionFailed(`inequivalent arg '${name}' ${where}: ${values}`);
  }
  for (const name of [...given.args.keys(), ...current.args.keys()]) {
    const [received, is] = [given.args.get(name), current.args.get(name)];
    if (received === is) continue;
    const values = `received ${words(received)} but current is ${words(is)}`;
    throw preconditionFailed(`inequivalent arg '${name}' ${where}: ${values}`);
  }
}

function words(value: unknown): string {
  if (value === undefined) return "none";
  const type = typeof value === "string" ? "longstr" : "signedint";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `the value '${text}' of type '${type}'`;
}
