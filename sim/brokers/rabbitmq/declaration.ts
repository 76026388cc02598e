import { preconditionFailed } from "./amqp-error.ts";
import { toldApart } from "./queue-arguments.ts";

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

/** The arguments that are compared with those of the first declaration, in this order. */
const COMPARED = [
  ...["x-expires", "x-message-ttl", "x-dead-letter-exchange", "x-dead-letter-routing-key"],
  ...["x-max-length", "x-max-length-bytes", "x-max-priority", "x-overflow", "x-queue-mode"],
  ...["x-single-active-consumer", "x-queue-type", "x-delivery-limit"],
];

/** Reads the options of `assertQueue`. */
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
  // What the server does not know it does not compare either.
  for (const name of COMPARED) {
    const [received, is] = [given.args.get(name), current.args.get(name)];
    if (received === is) continue;
    throw preconditionFailed(`inequivalent arg '${name}' ${where}: ${toldApart(received, is)}`);
  }
}
