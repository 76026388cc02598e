import { NotModelled } from "../not-modelled.ts";
import { preconditionFailed, type Refused } from "./amqp-error.ts";

/** What the arguments of a queue make it do. */
export interface QueueRules {
  readonly isQuorum: boolean;
  readonly ttlMs: number | undefined;
  /** How long the queue may be unused, in virtual milliseconds. */
  readonly expiresMs: number | undefined;
  readonly lengthMax: number;
  readonly bytesMax: number;
  readonly overflow: "drop-head" | "reject-publish" | "reject-publish-dlx";
  readonly priorityMax: number;
  /** How often a message of a quorum queue may be given back. */
  readonly returnsMax: number;
  readonly hasSingleActive: boolean;
  readonly deadLetterExchange: string | undefined;
  readonly deadLetterRoutingKey: string | undefined;
}

type Arguments = ReadonlyMap<string, unknown>;

const PRIORITY_MAX = 255;
/** Arguments that are whole numbers, and the smallest that each may be. */
const INTEGERS: ReadonlyMap<string, number> = new Map([
  ["x-message-ttl", 0],
  ["x-expires", 1],
  ["x-max-length", 0],
  ["x-max-length-bytes", 0],
  ["x-max-priority", 0],
]);
/** What a queue of either type does not take. */
const NOT_CLASSIC = ["x-delivery-limit", "x-quorum-initial-group-size"];
const NOT_QUORUM = ["x-max-priority", "x-queue-mode"];
const OVERFLOWS: readonly unknown[] = [
  ...[undefined, "drop-head", "reject-publish", "reject-publish-dlx"],
];
const MODES: readonly unknown[] = [undefined, "default", "lazy"];
const LOCATORS: readonly unknown[] = [undefined, "min-masters", "client-local", "random"];

/**
 * Checks what a queue is declared with.
 *
 * @throws {Refused} 406
 * @throws {NotModelled} for a stream, and for messages that expire at once
 *
 * Source: rabbitmq-server 3.10, rabbit_amqqueue, declare_args
 */
export function assertDeclarable(
  queue: string,
  flags: { readonly durable: boolean; readonly exclusive: boolean; readonly autoDelete: boolean },
  args: Arguments,
): void {
  const where = `for queue '${queue}' in vhost '/'`;
  const given = args.get("x-queue-type");
  const type = given === undefined ? "classic" : given;
  if (type === "stream") throw new NotModelled("x-queue-type stream", "brokers.rabbitmq");
  if (type !== "classic" && type !== "quorum") {
    const says = (text: string): string => `"unsupported queue type '${text}'"`;
    throw invalid("x-queue-type", where, wrongText(type, says));
  }
  if (type === "quorum") {
    if (!flags.durable) throw preconditionFailed(`invalid property 'non-durable' ${where}`);
    if (flags.autoDelete) throw preconditionFailed(`invalid property 'auto-delete' ${where}`);
    if (flags.exclusive) throw preconditionFailed(`invalid property 'exclusive-owner' ${where}`);
  }
  for (const name of type === "quorum" ? NOT_QUORUM : NOT_CLASSIC) {
    if (!args.has(name)) continue;
    const ofType = `of queue type rabbit_${type}_queue`;
    throw preconditionFailed(`invalid arg '${name}' ${where} ${ofType}`);
  }
  for (const [name, value] of args) {
    const wrong = wrongIn(name, value, args);
    if (wrong !== undefined) throw invalid(name, where, wrong);
  }
  assertExchange(queue, args);
  // The server fails within, which costs the connection.
  if (!LOCATORS.includes(args.get("x-queue-master-locator"))) {
    throw new NotModelled("an x-queue-master-locator that is none", "brokers.rabbitmq");
  }
  if (args.get("x-message-ttl") === 0) {
    throw new NotModelled("an x-message-ttl of 0", "brokers.rabbitmq");
  }
}

export function rulesFrom(args: Arguments): QueueRules {
  const number = (name: string): number | undefined => args.get(name) as number | undefined;
  const text = (name: string): string | undefined => args.get(name) as string | undefined;
  return {
    isQuorum: text("x-queue-type") === "quorum",
    ttlMs: number("x-message-ttl"),
    expiresMs: number("x-expires"),
    lengthMax: number("x-max-length") ?? Number.POSITIVE_INFINITY,
    bytesMax: number("x-max-length-bytes") ?? Number.POSITIVE_INFINITY,
    overflow: (text("x-overflow") ?? "drop-head") as QueueRules["overflow"],
    priorityMax: number("x-max-priority") ?? 0,
    returnsMax: number("x-delivery-limit") ?? Number.POSITIVE_INFINITY,
    hasSingleActive: args.get("x-single-active-consumer") === true,
    deadLetterExchange: text("x-dead-letter-exchange"),
    deadLetterRoutingKey: text("x-dead-letter-routing-key"),
  };
}

/** Tells an argument from that of the declaration before; where either is none, with its type. */
export function toldApart(received: unknown, is: unknown): string {
  const areBoth = received !== undefined && is !== undefined;
  const [now, then] = [received, is].map((value) => {
    if (value === undefined) return "none";
    const text = `'${typeof value === "string" ? value : JSON.stringify(value)}'`;
    return areBoth ? text : `the value ${text} of type '${fieldTypeOf(value)}'`;
  });
  return `received ${now} but current is ${then}`;
}

/** Names the type as which amqplib sends a value. */
export function fieldTypeOf(value: unknown): string {
  if (value === null) return "void";
  if (typeof value === "string") return "longstr";
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "number") return "table";
  if (!Number.isInteger(value)) return "double";
  if (value >= -0x80 && value < 0x80) return "byte";
  if (value >= -0x8000 && value < 0x8000) return "short";
  return value >= -0x80000000 && value < 0x80000000 ? "signedint" : "long";
}

function wrongIn(name: string, value: unknown, args: Arguments): string | undefined {
  const smallest = INTEGERS.get(name);
  if (smallest !== undefined) {
    if (!Number.isInteger(value)) return `"expected integer, got ${fieldTypeOf(value)}"`;
    if (Number(value) < 0) return `{value_negative,${String(value)}}`;
    if (Number(value) < smallest) return "{value_zero,0}";
    if (name !== "x-max-priority" || Number(value) <= PRIORITY_MAX) return undefined;
    return `{max_value_exceeded,${String(value)}}`;
  }
  if (name === "x-overflow") {
    return OVERFLOWS.includes(value) ? undefined : wrongText(value, () => "invalid_overflow");
  }
  if (name === "x-queue-mode") {
    const says = (text: string): string => `"unsupported queue mode '${text}'"`;
    return MODES.includes(value) ? undefined : wrongText(value, says);
  }
  if (name === "x-single-active-consumer" && typeof value !== "boolean") {
    return `{unacceptable_type,${fieldTypeOf(value)}}`;
  }
  if (name !== "x-dead-letter-routing-key") return undefined;
  if (typeof value !== "string") return `{unacceptable_type,${fieldTypeOf(value)}}`;
  return args.has("x-dead-letter-exchange") ? undefined : "routing_key_but_no_dlx_defined";
}

/** What is wrong with an argument that should be one of some texts. */
function wrongText(value: unknown, says: (text: string) => string): string {
  return typeof value === "string" ? says(value) : `{unacceptable_type,${fieldTypeOf(value)}}`;
}

function assertExchange(queue: string, args: Arguments): void {
  const value = args.get("x-dead-letter-exchange");
  if (value === undefined || typeof value === "string") return;
  const where = `for arg 'x-dead-letter-exchange' in queue '${queue}' in vhost '/'`;
  throw preconditionFailed(`invalid type '${fieldTypeOf(value)}' ${where}`);
}

function invalid(name: string, where: string, wrong: string): Refused {
  return preconditionFailed(`invalid arg '${name}' ${where}: ${wrong}`);
}
