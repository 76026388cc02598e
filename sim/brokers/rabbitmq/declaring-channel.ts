import type { ChannelFrames } from "./channel-frames.ts";
import type { MethodName } from "./amqp-method.ts";
import { declarationFrom, type QueueOptions } from "./declaration.ts";
import { type ExchangeOptions, exchangeDeclarationFrom } from "./exchange.ts";
import { Emitter } from "../emitter.ts";
import { assertShortTexts } from "./method-fields.ts";
import type { ServerChannel } from "./server-channel.ts";
import type { Topology } from "./topology.ts";

interface DeleteOptions {
  readonly ifUnused?: boolean | undefined;
  readonly ifEmpty?: boolean | undefined;
}

type Empty = Record<string, never>;

/** The methods of a channel that declare, delete and bind queues and exchanges. */
export class DeclaringChannel extends Emitter {
  readonly frames: ChannelFrames;

  constructor(frames: ChannelFrames) {
    super();
    this.frames = frames;
  }

  async assertQueue(
    name?: string | null,
    options: QueueOptions = {},
  ): Promise<{ queue: string; messageCount: number; consumerCount: number }> {
    // Whatever is no name asks the server for one, as the library has it.
    const queue = name || "";
    const declared = declarationFrom(options);
    return this.frames.rpc(
      "QueueDeclare",
      ({ connection }) => this.frames.line.server.assertQueue(queue, declared, connection),
      () => assertShortTexts({ queue }),
    );
  }

  checkQueue(
    queue: string,
  ): Promise<{ queue: string; messageCount: number; consumerCount: number }> {
    return this.frames.rpc(
      "QueueDeclare",
      ({ connection }) => this.frames.line.server.checkQueue(queue, connection),
      () => assertShortTexts({ queue }),
    );
  }

  deleteQueue(queue: string, options: DeleteOptions = {}): Promise<{ messageCount: number }> {
    const { ifUnused = false, ifEmpty = false } = options;
    return this.frames.rpc(
      "QueueDelete",
      (channel) => this.frames.line.server.deleteQueue(queue, { ifUnused, ifEmpty }, channel),
      () => assertShortTexts({ queue }),
    );
  }

  purgeQueue(queue: string): Promise<{ messageCount: number }> {
    return this.frames.rpc(
      "QueuePurge",
      (channel) => this.frames.line.server.purgeQueue(queue, channel),
      () => assertShortTexts({ queue }),
    );
  }

  bindQueue(queue: string, source: string, pattern: string, args: object = {}): Promise<Empty> {
    return this.#topology(
      "QueueBind",
      { queue, exchange: source, routingKey: pattern },
      (topology, connection) =>
        topology.bind("queue", queue, { source, pattern, args: { ...args } }, connection),
    );
  }

  unbindQueue(queue: string, source: string, pattern: string, args: object = {}): Promise<Empty> {
    const names = { queue, exchange: source, routingKey: pattern };
    return this.#topology("QueueUnbind", names, (topology) =>
      topology.unbind("queue", queue, { source, pattern, args: { ...args } }),
    );
  }

  async assertExchange(
    exchange: string,
    type: string,
    options: ExchangeOptions = {},
  ): Promise<{ exchange: string }> {
    const declared = exchangeDeclarationFrom(type, options);
    await this.#topology("ExchangeDeclare", { exchange, type }, (topology) =>
      topology.declareExchange(exchange, declared),
    );
    return { exchange };
  }

  checkExchange(exchange: string): Promise<Empty> {
    return this.#topology(
      "ExchangeDeclare",
      { exchange },
      (topology) => void topology.exchangeOf(exchange),
    );
  }

  deleteExchange(exchange: string, options: { ifUnused?: boolean } = {}): Promise<Empty> {
    return this.#topology("ExchangeDelete", { exchange }, (topology) =>
      topology.removeExchange(exchange, options.ifUnused ?? false),
    );
  }

  bindExchange(
    destination: string,
    source: string,
    pattern: string,
    args: object = {},
  ): Promise<Empty> {
    return this.#topology(
      "ExchangeBind",
      { destination, source, routingKey: pattern },
      (topology, connection) =>
        topology.bind("exchange", destination, { source, pattern, args: { ...args } }, connection),
    );
  }

  unbindExchange(
    destination: string,
    source: string,
    pattern: string,
    args: object = {},
  ): Promise<Empty> {
    const names = { destination, source, routingKey: pattern };
    return this.#topology("ExchangeUnbind", names, (topology) =>
      topology.unbind("exchange", destination, { source, pattern, args: { ...args } }),
    );
  }

  #topology(
    name: MethodName,
    names: Readonly<Record<string, unknown>>,
    effect: (topology: Topology, connection: object) => void,
  ): Promise<Empty> {
    const onServer = ({ connection }: ServerChannel): Empty => {
      effect(this.frames.line.server.topology, connection);
      return {};
    };
    return this.frames.rpc(name, onServer, () => assertShortTexts(names));
  }
}
