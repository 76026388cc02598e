import { NotModelled } from "../not-modelled.ts";

/** Source: amqplib 2, Channel.consume */
export interface ConsumeOptions {
  readonly consumerTag?: string | undefined;
  readonly noAck?: boolean | undefined;
  readonly exclusive?: boolean | undefined;
  /** Consumers with a higher one are served first; default 0. */
  readonly priority?: number | undefined;
  readonly arguments?: object | undefined;
}

/**
 * Returns the priority of a consumer.
 *
 * @throws {NotModelled} for another argument, and for the queue of direct replies
 */
export function priorityIn(
  queue: string | undefined,
  { priority, arguments: given = {} }: ConsumeOptions,
): number {
  const { "x-priority": own = 0, ...others } = given as Readonly<Record<string, unknown>>;
  const [name] = Object.keys(others);
  if (name !== undefined) throw new NotModelled(`consume() with ${name}`, "brokers.rabbitmq");
  if (queue === "amq.rabbitmq.reply-to") {
    throw new NotModelled("direct replies", "brokers.rabbitmq");
  }
  const asked = priority ?? own;
  if (Number.isInteger(asked)) return Number(asked);
  throw new NotModelled("consume() with a priority that is no integer", "brokers.rabbitmq");
}
