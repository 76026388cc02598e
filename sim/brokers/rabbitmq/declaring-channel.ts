import type { ChannelFrames } from "./channel-frames.ts";
import type { MethodName } from "./amqp-method.ts";
import { declarationFrom, type QueueOptions } from "./declaration.ts";
import { type ExchangeOptions, exchangeDeclarationFrom } from "./exchange.ts";
import { Emitter } from "../emitter.ts";
import { assertGiven, assertShortTexts, assertTable } from "./method-fields.ts";
import { queueMeant, type ServerChannel } from "./server-channel.ts";
import type { Topology } from "./topology.ts";

interface DeleteOptions {
  readonly ifUnused?: boolean | undefined;
  readonly ifEmpty?: boolean | undefined;
}

type Empty = Record<string, never>;

/** What a method about exchanges and bindings is written with. */
interface Written {
  readonly names: Readonly<Record<string, unknown>>;
  readonly args?: object | null;
}

/** The methods of a channel that declare, delete and bind queues and exchanges. */
export class DeclaringChannel extends Emitter {
  readonly frames: ChannelFrames;

  constructor(frames: ChannelFrames) {
    super();
    this.frames = frames;
  }

  async assertQueue(
    name?: string | null,
    options?: QueueOptions | null,
  ): Promise<{ queue: string; messageCount: number; consumerCount: number }> {
    // Whatever is no name asks the server for one, as the library has it.
    const queue = name || "";
    const declared = declarationFrom(options ?? {});
    return this.frames.rpc(
      "QueueDeclare",
      (channel) =>
        remembered(
          channel,
          this.frames.line.server.assertQueue(queue, declared, channel.connection),
        ),
      () => assertShortTexts({ queue }),
    );
  }

  checkQueue(queue = ""): Promise<{ queue: string; messageCount: number; consumerCount: number }> {
    return this.frames.rpc(
      "QueueDeclare",
      (channel) =>
        remembered(channel, this.frames.line.server.checkQueue(queue, channel.connection)),
      () => assertShortTexts({ queue }),
    );
  }

  deleteQueue(queue?: string, options?: DeleteOptions | null): Promise<{ messageCount: number }> {
    const { ifUnused = false, ifEmpty = false } = options ?? {};
    const { server } = this.frames.line;
    return this.frames.rpc(
      "QueueDelete",
      (channel) => server.deleteQueue(queueMeant(channel, queue), { ifUnused, ifEmpty }, channel),
      () => assertShortTexts({ queue }),
    );
  }

  purgeQueue(queue?: string): Promise<{ messageCount: number }> {
    return this.frames.rpc(
      "QueuePurge",
      (channel) => this.frames.line.server.purgeQueue(queueMeant(channel, queue), channel),
      () => assertShortTexts({ queue }),
    );
  }

  bindQueue(
    queue: string | undefined,
    source: string,
    pattern?: string,
    args: object | null = {},
  ): Promise<Empty> {
    const names = { queue, exchange: source, routingKey: pattern };
    return this.#topology("QueueBind", { names, args }, (topology, channel) => {
      const meant = queueMeant(channel, queue);
      const key = keyOf(meant, queue, pattern);
      const from = { source, pattern: key, args: { ...args } };
      topology.bind("queue", meant, from, channel.connection);
    });
  }

  unbindQueue(
    queue: string | undefined,
    source: string,
    pattern?: string,
    args: object | null = {},
  ): Promise<Empty> {
    const names = { queue, exchange: source, routingKey: pattern };
    return this.#topology("QueueUnbind", { names, args }, (topology, channel) => {
      const meant = queueMeant(channel, queue);
      const key = keyOf(meant, queue, pattern);
      topology.unbind("queue", meant, { source, pattern: key, args: { ...args } });
    });
  }

  async assertExchange(
    exchange: string,
    type = "direct",
    options?: ExchangeOptions | null,
  ): Promise<{ exchange: string }> {
    const declared = exchangeDeclarationFrom(type, options);
    await this.#topology("ExchangeDeclare", { names: { exchange, type } }, (topology) =>
      topology.declareExchange(exchange, declared),
    );
    return { exchange };
  }

  checkExchange(exchange: string): Promise<Empty> {
    return this.#topology(
      "ExchangeDeclare",
      { names: { exchange } },
      (topology) => void topology.exchangeOf(exchange),
    );
  }

  deleteExchange(exchange: string, options?: { ifUnused?: boolean } | null): Promise<Empty> {
    return this.#topology("ExchangeDelete", { names: { exchange } }, (topology) =>
      topology.removeExchange(exchange, options?.ifUnused ?? false),
    );
  }

  bindExchange(
    destination: string,
    source: string,
    pattern = "",
    args: object | null = {},
  ): Promise<Empty> {
    const names = { destination, source, routingKey: pattern };
    return this.#topology("ExchangeBind", { names, args }, (topology, { connection }) =>
      topology.bind("exchange", destination, { source, pattern, args: { ...args } }, connection),
    );
  }

  unbindExchange(
    destination: string,
    source: string,
    pattern = "",
    args: object | null = {},
  ): Promise<Empty> {
    const names = { destination, source, routingKey: pattern };
    return this.#topology("ExchangeUnbind", { names, args }, (topology) =>
      topology.unbind("exchange", destination, { source, pattern, args: { ...args } }),
    );
  }

  #topology(
    name: MethodName,
    { names, args = {} }: Written,
    effect: (topology: Topology, channel: ServerChannel) => void,
  ): Promise<Empty> {
    const onServer = (channel: ServerChannel): Empty => {
      effect(this.frames.line.server.topology, channel);
      return {};
    };
    const { queue: _queue, routingKey: _routingKey, ...needed } = names;
    return this.frames.rpc(name, onServer, () => {
      assertGiven(needed);
      assertShortTexts(names);
      assertTable(args);
    });
  }
}

/** Keeps the queue that a channel has declared or looked at, for what names none. */
function remembered<Counts extends { readonly queue: string }>(
  channel: ServerChannel,
  counts: Counts,
): Counts {
  channel.lastQueue = counts.queue;
  return counts;
}

/**
 * Returns the routing key of a binding: that of a binding which names neither queue nor key is the
 * queue's name.
 *
 * Source: rabbitmq-server 3.10, rabbit_channel, expand_routing_key_shortcut
 */
function keyOf(meant: string, queue: string | undefined, pattern: string | undefined): string {
  if (pattern !== undefined && pattern !== "") return pattern;
  return queue === undefined || queue === "" ? meant : "";
}
