import type { AmqpConnection } from "../../../sim/brokers/rabbitmq/connection.ts";
import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import { type Observation, outcomeOf } from "./observation.ts";

type Channel = Awaited<ReturnType<AmqpConnection["createChannel"]>>;
type Call = readonly [method: string, ...args: readonly unknown[]];

/** Calls one after the other on the same node, and what came of each. */
const ANSWERS: readonly (readonly [call: Call, answer: unknown])[] = [
  [["assertQueue", "q", { durable: false }], { queue: "q", messageCount: 0, consumerCount: 0 }],
  [
    ["assertQueue", "q", { durable: true }],
    "inequivalent arg 'durable' for queue 'q' in vhost '/': received 'true' but current is 'false'",
  ],
  [
    ["assertQueue", "q", { durable: false, autoDelete: true }],
    "inequivalent arg 'auto_delete' for queue 'q' in vhost '/': received 'true' but current is 'false'",
  ],
  [
    ["assertQueue", "q", { durable: false, exclusive: true }],
    "cannot obtain exclusive access to locked queue 'q' in vhost '/'. It could be originally declared on another connection or the exclusive property value does not match that of the original declaration.",
  ],
  [["assertQueue", "q", { durable: false }], { queue: "q", messageCount: 0, consumerCount: 0 }],
  [["deleteQueue", "q"], { messageCount: 0 }],
  [["deleteQueue", "q"], { messageCount: 0 }],
  [
    ["assertQueue", "q", { messageTtl: 100, arguments: { "x-overflow": "reject-publish" } }],
    { queue: "q", messageCount: 0, consumerCount: 0 },
  ],
  [
    ["assertQueue", "q", { messageTtl: 100 }],
    "inequivalent arg 'x-overflow' for queue 'q' in vhost '/': received none but current is the value 'reject-publish' of type 'longstr'",
  ],
  [
    ["assertQueue", "q", { messageTtl: 127 }],
    "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '127' but current is '100'",
  ],
  [
    ["assertQueue", "q", { messageTtl: 128 }],
    "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '128' but current is '100'",
  ],
  [
    ["assertQueue", "q", { messageTtl: 32767 }],
    "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '32767' but current is '100'",
  ],
  [
    ["assertQueue", "q", { messageTtl: 32768 }],
    "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '32768' but current is '100'",
  ],
  [
    ["assertQueue", "q", { messageTtl: 2147483647 }],
    "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '2147483647' but current is '100'",
  ],
  [
    ["assertQueue", "q", { messageTtl: 2147483648 }],
    "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '2147483648' but current is '100'",
  ],
  [
    ["assertQueue", "q", { messageTtl: 100, arguments: { "x-overflow": "drop-head" } }],
    "inequivalent arg 'x-overflow' for queue 'q' in vhost '/': received 'drop-head' but current is 'reject-publish'",
  ],
  [
    ["assertQueue", "q", { arguments: { "x-overflow": "reject-publish" } }],
    "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received none but current is the value '100' of type 'byte'",
  ],
  [
    ["assertQueue", "q", { messageTtl: 100, arguments: { "x-overflow": "reject-publish" } }],
    { queue: "q", messageCount: 0, consumerCount: 0 },
  ],
  [
    [
      "assertQueue",
      "q",
      { messageTtl: 100, deadLetterExchange: "a", arguments: { "x-overflow": "reject-publish" } },
    ],
    "inequivalent arg 'x-dead-letter-exchange' for queue 'q' in vhost '/': received the value 'a' of type 'longstr' but current is none",
  ],
  [["checkQueue", "q"], { queue: "q", messageCount: 0, consumerCount: 0 }],
  [["checkQueue", "none"], "no queue 'none' in vhost '/'"],
  [["deleteQueue", "q", { ifUnused: true, ifEmpty: true }], { messageCount: 0 }],
  [
    ["assertQueue", "r", { arguments: { "x-message-ttl": "text" } }],
    "invalid arg 'x-message-ttl' for queue 'r' in vhost '/': \"expected integer, got longstr\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-message-ttl": true } }],
    "invalid arg 'x-message-ttl' for queue 'r' in vhost '/': \"expected integer, got bool\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-message-ttl": 1.5 } }],
    "invalid arg 'x-message-ttl' for queue 'r' in vhost '/': \"expected integer, got double\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-message-ttl": { a: 1 } } }],
    "invalid arg 'x-message-ttl' for queue 'r' in vhost '/': \"expected integer, got table\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-message-ttl": -1 } }],
    "invalid arg 'x-message-ttl' for queue 'r' in vhost '/': {value_negative,-1}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-message-ttl": -300 } }],
    "invalid arg 'x-message-ttl' for queue 'r' in vhost '/': {value_negative,-300}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-expires": "text" } }],
    "invalid arg 'x-expires' for queue 'r' in vhost '/': \"expected integer, got longstr\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-expires": true } }],
    "invalid arg 'x-expires' for queue 'r' in vhost '/': \"expected integer, got bool\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-expires": 1.5 } }],
    "invalid arg 'x-expires' for queue 'r' in vhost '/': \"expected integer, got double\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-expires": { a: 1 } } }],
    "invalid arg 'x-expires' for queue 'r' in vhost '/': \"expected integer, got table\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-expires": -1 } }],
    "invalid arg 'x-expires' for queue 'r' in vhost '/': {value_negative,-1}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-expires": -300 } }],
    "invalid arg 'x-expires' for queue 'r' in vhost '/': {value_negative,-300}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length": "text" } }],
    "invalid arg 'x-max-length' for queue 'r' in vhost '/': \"expected integer, got longstr\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length": true } }],
    "invalid arg 'x-max-length' for queue 'r' in vhost '/': \"expected integer, got bool\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length": 1.5 } }],
    "invalid arg 'x-max-length' for queue 'r' in vhost '/': \"expected integer, got double\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length": { a: 1 } } }],
    "invalid arg 'x-max-length' for queue 'r' in vhost '/': \"expected integer, got table\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length": -1 } }],
    "invalid arg 'x-max-length' for queue 'r' in vhost '/': {value_negative,-1}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length": -300 } }],
    "invalid arg 'x-max-length' for queue 'r' in vhost '/': {value_negative,-300}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length-bytes": "text" } }],
    "invalid arg 'x-max-length-bytes' for queue 'r' in vhost '/': \"expected integer, got longstr\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length-bytes": true } }],
    "invalid arg 'x-max-length-bytes' for queue 'r' in vhost '/': \"expected integer, got bool\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length-bytes": 1.5 } }],
    "invalid arg 'x-max-length-bytes' for queue 'r' in vhost '/': \"expected integer, got double\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length-bytes": { a: 1 } } }],
    "invalid arg 'x-max-length-bytes' for queue 'r' in vhost '/': \"expected integer, got table\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length-bytes": -1 } }],
    "invalid arg 'x-max-length-bytes' for queue 'r' in vhost '/': {value_negative,-1}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-length-bytes": -300 } }],
    "invalid arg 'x-max-length-bytes' for queue 'r' in vhost '/': {value_negative,-300}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-priority": "text" } }],
    "invalid arg 'x-max-priority' for queue 'r' in vhost '/': \"expected integer, got longstr\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-priority": true } }],
    "invalid arg 'x-max-priority' for queue 'r' in vhost '/': \"expected integer, got bool\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-priority": 1.5 } }],
    "invalid arg 'x-max-priority' for queue 'r' in vhost '/': \"expected integer, got double\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-priority": { a: 1 } } }],
    "invalid arg 'x-max-priority' for queue 'r' in vhost '/': \"expected integer, got table\"",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-priority": -1 } }],
    "invalid arg 'x-max-priority' for queue 'r' in vhost '/': {value_negative,-1}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-priority": -300 } }],
    "invalid arg 'x-max-priority' for queue 'r' in vhost '/': {value_negative,-300}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-expires": 0 } }],
    "invalid arg 'x-expires' for queue 'r' in vhost '/': {value_zero,0}",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-max-priority": 256 } }],
    "invalid arg 'x-max-priority' for queue 'r' in vhost '/': {max_value_exceeded,256}",
  ],
  [
    ["assertQueue", "r1", { arguments: { "x-max-priority": 255 } }],
    { queue: "r1", messageCount: 0, consumerCount: 0 },
  ],
  [
    ["assertQueue", "r2", { arguments: { "x-max-length": 0 } }],
    { queue: "r2", messageCount: 0, consumerCount: 0 },
  ],
  [
    ["assertQueue", "r3", { arguments: { "x-max-length-bytes": 0 } }],
    { queue: "r3", messageCount: 0, consumerCount: 0 },
  ],
  [
    ["assertQueue", "r", { arguments: { "x-overflow": "x" } }],
    "invalid arg 'x-overflow' for queue 'r' in vhost '/': invalid_overflow",
  ],
  [
    ["assertQueue", "r", { arguments: { "x-overflow": "reject-publish-dlx" } }],
    { queue: "r", messageCount: 0, consumerCount: 0 },
  ],
  [
    ["assertQueue", "s", { arguments: { "x-single-active-consumer": "yes" } }],
    "invalid arg 'x-single-active-consumer' for queue 's' in vhost '/': {unacceptable_type,longstr}",
  ],
  [
    ["assertQueue", "s", { arguments: { "x-single-active-consumer": 1 } }],
    "invalid arg 'x-single-active-consumer' for queue 's' in vhost '/': {unacceptable_type,byte}",
  ],
  [
    ["assertQueue", "s", { arguments: { "x-single-active-consumer": false } }],
    { queue: "s", messageCount: 0, consumerCount: 0 },
  ],
  [
    ["assertQueue", "t", { arguments: { "x-dead-letter-exchange": 5 } }],
    "invalid type 'byte' for arg 'x-dead-letter-exchange' in queue 't' in vhost '/'",
  ],
  [
    ["assertQueue", "t", { arguments: { "x-dead-letter-exchange": true } }],
    "invalid type 'bool' for arg 'x-dead-letter-exchange' in queue 't' in vhost '/'",
  ],
  [
    [
      "assertQueue",
      "t",
      { arguments: { "x-dead-letter-exchange": "a", "x-dead-letter-routing-key": 5 } },
    ],
    "invalid arg 'x-dead-letter-routing-key' for queue 't' in vhost '/': {unacceptable_type,byte}",
  ],
  [
    ["assertQueue", "t", { arguments: { "x-dead-letter-routing-key": "a" } }],
    "invalid arg 'x-dead-letter-routing-key' for queue 't' in vhost '/': routing_key_but_no_dlx_defined",
  ],
  [
    [
      "assertQueue",
      "t",
      { arguments: { "x-dead-letter-exchange": "a", "x-dead-letter-routing-key": "b" } },
    ],
    { queue: "t", messageCount: 0, consumerCount: 0 },
  ],
  [
    ["assertQueue", "u", { arguments: { "x-queue-type": "nope" } }],
    "invalid arg 'x-queue-type' for queue 'u' in vhost '/': \"unsupported queue type 'nope'\"",
  ],
  [
    ["assertQueue", "u", { durable: false, arguments: { "x-queue-type": "quorum" } }],
    "invalid property 'non-durable' for queue 'u' in vhost '/'",
  ],
  [
    ["assertQueue", "u", { autoDelete: true, arguments: { "x-queue-type": "quorum" } }],
    "invalid property 'auto-delete' for queue 'u' in vhost '/'",
  ],
  [
    ["assertQueue", "u", { exclusive: true, arguments: { "x-queue-type": "quorum" } }],
    "invalid property 'exclusive-owner' for queue 'u' in vhost '/'",
  ],
  [
    ["assertQueue", "u", { arguments: { "x-queue-type": "quorum", "x-max-priority": 3 } }],
    "invalid arg 'x-max-priority' for queue 'u' in vhost '/' of queue type rabbit_quorum_queue",
  ],
  [
    ["assertQueue", "u", { arguments: { "x-queue-type": "quorum", "x-delivery-limit": -1 } }],
    { queue: "u", messageCount: 0, consumerCount: 0 },
  ],
  [
    ["assertQueue", "u", { arguments: { "x-queue-type": "quorum", "x-delivery-limit": "x" } }],
    "inequivalent arg 'x-delivery-limit' for queue 'u' in vhost '/': received 'x' but current is '-1'",
  ],
  [
    [
      "assertQueue",
      "u",
      { arguments: { "x-queue-type": "quorum", "x-delivery-limit": 2, "x-expires": 100000 } },
    ],
    "inequivalent arg 'x-expires' for queue 'u' in vhost '/': received the value '100000' of type 'signedint' but current is none",
  ],
  [
    ["assertQueue", "u", { arguments: { "x-queue-type": "quorum" } }],
    "inequivalent arg 'x-delivery-limit' for queue 'u' in vhost '/': received none but current is the value '-1' of type 'byte'",
  ],
  [
    [
      "assertQueue",
      "u",
      { arguments: { "x-queue-type": "quorum", "x-delivery-limit": 2, "x-expires": 100000 } },
    ],
    "inequivalent arg 'x-expires' for queue 'u' in vhost '/': received the value '100000' of type 'signedint' but current is none",
  ],
  [
    ["assertQueue", "v", { arguments: { "x-delivery-limit": 2 } }],
    "invalid arg 'x-delivery-limit' for queue 'v' in vhost '/' of queue type rabbit_classic_queue",
  ],
  [["assertQueue", "amq.mine"], "queue name 'amq.mine' contains reserved prefix 'amq.*'"],
  [["assertQueue", "orders"], { queue: "orders", messageCount: 0, consumerCount: 0 }],
  [["checkQueue", "orders"], { queue: "orders", messageCount: 0, consumerCount: 0 }],
  [["assertExchange", "d", "direct"], { exchange: "d" }],
  [["assertExchange", "d", "direct"], { exchange: "d" }],
  [
    ["assertExchange", "d", "fanout"],
    "inequivalent arg 'type' for exchange 'd' in vhost '/': received 'fanout' but current is 'direct'",
  ],
  [
    ["assertExchange", "d", "direct", { durable: false }],
    "inequivalent arg 'durable' for exchange 'd' in vhost '/': received 'false' but current is 'true'",
  ],
  [
    ["assertExchange", "d", "direct", { autoDelete: true }],
    "inequivalent arg 'auto_delete' for exchange 'd' in vhost '/': received 'true' but current is 'false'",
  ],
  [
    ["assertExchange", "d", "direct", { internal: true }],
    "inequivalent arg 'internal' for exchange 'd' in vhost '/': received 'true' but current is 'false'",
  ],
  [
    ["assertExchange", "d", "direct", { alternateExchange: "f" }],
    "inequivalent arg 'alternate-exchange' for exchange 'd' in vhost '/': received the value 'f' of type 'longstr' but current is none",
  ],
  [
    ["assertExchange", "d", "direct", { arguments: { "alternate-exchange": "f" } }],
    "inequivalent arg 'alternate-exchange' for exchange 'd' in vhost '/': received the value 'f' of type 'longstr' but current is none",
  ],
  [["assertExchange", "d", "direct", { arguments: { other: 1 } }], { exchange: "d" }],
  [["assertExchange", "e", "topic", { alternateExchange: "d" }], { exchange: "e" }],
  [
    ["assertExchange", "e", "topic"],
    "inequivalent arg 'alternate-exchange' for exchange 'e' in vhost '/': received none but current is the value 'd' of type 'longstr'",
  ],
  [
    ["assertExchange", "e", "topic", { alternateExchange: "f" }],
    "inequivalent arg 'alternate-exchange' for exchange 'e' in vhost '/': received 'f' but current is 'd'",
  ],
  [["assertExchange", "e", "topic", { alternateExchange: "d" }], { exchange: "e" }],
  [
    ["assertExchange", "f", "fanout", { durable: false, autoDelete: true, internal: true }],
    { exchange: "f" },
  ],
  [
    ["assertExchange", "f", "fanout", { durable: true, autoDelete: true, internal: true }],
    "inequivalent arg 'durable' for exchange 'f' in vhost '/': received 'true' but current is 'false'",
  ],
  [
    ["assertExchange", "f", "fanout", { durable: false, internal: true }],
    "inequivalent arg 'auto_delete' for exchange 'f' in vhost '/': received 'false' but current is 'true'",
  ],
  [
    ["assertExchange", "f", "fanout", { durable: false, autoDelete: true }],
    "inequivalent arg 'internal' for exchange 'f' in vhost '/': received 'false' but current is 'true'",
  ],
  [
    ["assertExchange", "amq.mine", "direct"],
    "exchange name 'amq.mine' contains reserved prefix 'amq.*'",
  ],
  [["assertExchange", "", "direct"], "operation not permitted on the default exchange"],
  [["assertExchange", "amq.direct", "direct"], { exchange: "amq.direct" }],
  [
    ["assertExchange", "amq.direct", "fanout"],
    "inequivalent arg 'type' for exchange 'amq.direct' in vhost '/': received 'fanout' but current is 'direct'",
  ],
  [["checkExchange", "amq.topic"], {}],
  [["checkExchange", ""], "operation not permitted on the default exchange"],
  [["checkExchange", "none"], "no exchange 'none' in vhost '/'"],
  [["checkExchange", "d"], {}],
  [["bindQueue", "orders", "none", "k"], "no exchange 'none' in vhost '/'"],
  [["bindQueue", "none", "d", "k"], "no queue 'none' in vhost '/'"],
  [["bindQueue", "orders", "", "k"], "operation not permitted on the default exchange"],
  [["bindQueue", "orders", "d", "k"], {}],
  [["bindQueue", "orders", "d", "k"], {}],
  [["unbindQueue", "orders", "d", "other"], {}],
  [["unbindQueue", "none", "d", "k"], {}],
  [["unbindQueue", "orders", "none", "k"], {}],
  [["unbindQueue", "orders", "", "k"], "operation not permitted on the default exchange"],
  [["bindExchange", "e", "d", "k"], {}],
  [["bindExchange", "e", "none", "k"], "no exchange 'none' in vhost '/'"],
  [["bindExchange", "none", "d", "k"], "no exchange 'none' in vhost '/'"],
  [["bindExchange", "", "d", "k"], "operation not permitted on the default exchange"],
  [["bindExchange", "e", "", "k"], "operation not permitted on the default exchange"],
  [["unbindExchange", "e", "none", "k"], {}],
  [["unbindExchange", "none", "d", "k"], {}],
  [["unbindExchange", "e", "d", "other"], {}],
  [["unbindExchange", "e", "", "k"], "operation not permitted on the default exchange"],
  [["unbindExchange", "", "d", "k"], "operation not permitted on the default exchange"],
  [["deleteExchange", "d", { ifUnused: true }], "exchange 'd' in vhost '/' in use"],
  [["deleteExchange", "e", { ifUnused: true }], {}],
  [["deleteExchange", "e", { ifUnused: true }], {}],
  [["unbindQueue", "orders", "d", "k"], {}],
  [["deleteExchange", "d", { ifUnused: true }], {}],
  [["deleteExchange", "none"], {}],
  [["deleteExchange", ""], "operation not permitted on the default exchange"],
  [
    ["deleteExchange", "amq.direct"],
    "deletion of system exchange 'amq.direct' in vhost '/' not allowed",
  ],
  [["publish"], "published"],
  [["deleteQueue", "orders", { ifEmpty: true }], "queue 'orders' in vhost '/' not empty"],
  [
    ["deleteQueue", "orders", { ifUnused: true, ifEmpty: true }],
    "queue 'orders' in vhost '/' not empty",
  ],
  [["purgeQueue", "orders"], { messageCount: 1 }],
  [["purgeQueue", "none"], "no queue 'none' in vhost '/'"],
  [["deleteQueue", "orders", { ifEmpty: true }], { messageCount: 0 }],
  [["get", "none"], "no queue 'none' in vhost '/'"],
  [["get", "orders"], "no queue 'orders' in vhost '/'"],
  [["consume", "none"], "no queue 'none' in vhost '/'"],
  [["assertExchange", "x", "x-none"], "Channel ended, no reply will be forthcoming"],
  [["checkQueue", "r1"], { queue: "r1", messageCount: 0, consumerCount: 0 }],
];

/** What the server says of a failed call; what else it says is the same for each. */
function answerFrom(outcome: unknown): unknown {
  const { message } = outcome as { readonly message?: string };
  if (message === undefined) return outcome;
  return /with message "[A-Z_]+ - (.*)"$/s.exec(message)?.[1] ?? message;
}

async function answered(channel: Channel, [method, ...args]: Call): Promise<unknown> {
  const calls = channel as unknown as Record<string, (...given: unknown[]) => unknown>;
  if (method === "publish") {
    channel.publish("", "orders", Buffer.from("a"));
    return "published";
  }
  const more = method === "consume" ? [() => undefined] : [];
  return answerFrom(await outcomeOf(() => calls[method]?.(...args, ...more)));
}

/** What queues, exchanges and bindings are declared with, changed to, and deleted with. */
export const TOPOLOGY: Observation<AmqpClient> = {
  name: "what declarations, bindings and deletions are answered with",
  async play({ client, pass }) {
    let connection: AmqpConnection | undefined;
    let channel: Channel | undefined;
    const opened = async (): Promise<AmqpConnection> => {
      const made = await client.connect("amqp://localhost");
      made.on("error", () => undefined);
      made.on("close", () => {
        connection = undefined;
        channel = undefined;
      });
      return made;
    };
    const seen: unknown[] = [];
    for (const [call] of ANSWERS) {
      connection ??= await opened();
      if (channel === undefined) {
        channel = await connection.createChannel();
        channel.on("error", () => undefined);
        channel.on("close", () => (channel = undefined));
      }
      seen.push([call, await answered(channel, call)]);
      // A channel or connection that the call has cost is closed a moment later.
      await pass(20);
    }
    await connection?.close().catch(() => undefined);
    return structuredClone(seen);
  },
  real: ANSWERS,
};
