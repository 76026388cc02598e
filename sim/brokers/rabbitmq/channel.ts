import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { TextBytes } from "../text-bytes.ts";
import { ChannelError, IllegalOperationError, MessageNacked } from "./amqp-error.ts";
import { Emitter } from "./emitter.ts";
import type { AmqpServer, Delivery, QueueArguments, ServerChannel, Settlement } from "./server.ts";

/** What a channel needs from its connection. */
export interface ChannelLine {
  readonly port: ClientPort;
  readonly server: AmqpServer;
  /** Sends a frame after all frames before it; rejects when the connection broke. */
  send<T>(site: SiteName, effect: () => T): Promise<T>;
  /** Fetches what the server pushes, independent of the frames that are sent. */
  receive<T>(effect: () => T): Promise<T>;
  /** Closes the connection with the error of a channel that had no error listener. */
  lose(error: unknown): void;
  forget(channel: AmqpChannel): void;
}

/** A message as a consumer gets it. */
export interface AmqpMessage {
  readonly content: Buffer;
  readonly fields: {
    readonly deliveryTag: number;
    readonly redelivered: boolean;
    readonly exchange: string;
    readonly routingKey: string;
    readonly consumerTag: string;
  };
  readonly properties: AmqpProperties;
}

/** The properties of a message; each is present, but may be undefined. */
export type AmqpProperties = Record<PropertyName, unknown> & {
  readonly headers: Record<string, unknown> | undefined;
};

type PropertyName =
  | "contentType"
  | "contentEncoding"
  | "deliveryMode"
  | "priority"
  | "correlationId"
  | "replyTo"
  | "expiration"
  | "messageId"
  | "timestamp"
  | "type"
  | "userId"
  | "appId"
  | "clusterId";

export type OnMessage = (message: AmqpMessage | null) => void;

/** A message that is settled; only its delivery tag matters. */
interface Tagged {
  readonly fields: { readonly deliveryTag: number };
}

interface ConsumeOptions {
  readonly consumerTag?: string | undefined;
  readonly noAck?: boolean | undefined;
}

type OnConfirm = (error: Error | null, ok: never) => void;

const NO_REPLY = "Channel ended, no reply will be forthcoming";
/** How long the client waits for a push before it polls the server again. */
const IDLE_MS = 15_000;

/**
 * A channel with the interface of amqplib's.
 *
 * Holds: `ack`, `nack` and `reject` get no reply; if the server refuses them it closes the channel,
 * with the events `error` and `close`; every method of a closed channel throws or rejects with an
 * `IllegalOperationError`; a consumer that the server cancels is called with null.
 *
 * Source: amqplib 2, Channel
 */
export class AmqpChannel extends Emitter {
  readonly #line: ChannelLine;
  readonly #hasConfirms: boolean;
  readonly #unconfirmed = new Set<Promise<void>>();
  readonly #consumers = new Map<string, OnMessage>();
  readonly #closing = new AbortController();
  #server: ServerChannel | undefined;
  #isPumping = false;

  constructor(line: ChannelLine, options: { readonly hasConfirms: boolean }) {
    super();
    this.#line = line;
    this.#hasConfirms = options.hasConfirms;
  }

  async open(): Promise<void> {
    this.#server = await this.#line.send("broker.session", () =>
      this.#line.server.openChannel(this.#line.port.name, {
        onClosed: (error) => this.#later(() => this.#closed(error)),
        onCancelled: (tag) => this.#later(() => this.#cancelled(tag)),
      }),
    );
  }

  /** Closes the channel on the server, because the connection has ended. */
  endAtServer(): void {
    if (this.#server !== undefined) this.#line.server.closeChannel(this.#server);
  }

  /** Closes the channel on the client, because the connection was lost. */
  lost(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.emit("close");
  }

  async close(): Promise<void> {
    const channel = this.#open();
    this.#closing.abort();
    await this.#line.send("broker.session", () => this.#line.server.closeChannel(channel));
    this.#line.forget(this);
    this.emit("close");
  }

  assertQueue(
    queue: string,
    options: QueueArguments & { readonly arguments?: unknown } = {},
  ): Promise<{ queue: string; messageCount: number; consumerCount: number }> {
    return this.#rpc(() => this.#line.server.assertQueue(queue, options));
  }

  checkQueue(
    queue: string,
  ): Promise<{ queue: string; messageCount: number; consumerCount: number }> {
    return this.#rpc(() => this.#line.server.checkQueue(queue));
  }

  assertExchange(exchange: string, _type: string): Promise<{ exchange: string }> {
    return this.#rpc(() => {
      this.#line.server.assertExchange(exchange);
      return { exchange };
    });
  }

  bindQueue(queue: string, source: string, pattern: string): Promise<Record<string, never>> {
    return this.#rpc(() => {
      this.#line.server.bindQueue(queue, source, pattern);
      return {};
    });
  }

  prefetch(count: number): Promise<Record<string, never>> {
    return this.#rpc((channel) => {
      channel.prefetch = count;
      return {};
    });
  }

  async consume(
    queue: string,
    onMessage: OnMessage,
    options: ConsumeOptions = {},
  ): Promise<{ consumerTag: string }> {
    const { consumerTag = `amq.ctag-${this.#consumers.size + 1}`, noAck = false } = options;
    // Set first: deliveries may follow directly after the server's reply.
    this.#consumers.set(consumerTag, onMessage);
    await this.#rpc((channel) => this.#line.server.consume(channel, queue, consumerTag, noAck));
    void this.#pump();
    return { consumerTag };
  }

  async cancel(consumerTag: string): Promise<Record<string, never>> {
    await this.#rpc((channel) => this.#line.server.cancel(channel, consumerTag));
    this.#consumers.delete(consumerTag);
    return {};
  }

  /** On a confirm channel, `callback` is called when the server has accepted the message. */
  publish(
    exchange: string,
    routingKey: string,
    content: Uint8Array,
    options: object = {},
    callback?: OnConfirm,
  ): boolean {
    this.#open();
    const sent = this.#frame("broker.produce", (channel) => {
      if (!channel.isOpen) throw new Error("channel closed");
      const properties = options as Readonly<Record<string, unknown>>;
      this.#line.server.publish(exchange, routingKey, content, properties);
    });
    this.#unconfirmed.add(sent);
    const confirm = (error: Error | null): void => {
      this.#unconfirmed.delete(sent);
      if (this.#hasConfirms) callback?.(error, undefined as never);
    };
    sent.then(
      () => confirm(null),
      (error: unknown) =>
        confirm(error instanceof MessageNacked ? error : new Error("channel closed")),
    );
    return true;
  }

  sendToQueue(
    queue: string,
    content: Uint8Array,
    options: object = {},
    callback?: OnConfirm,
  ): boolean {
    return this.publish("", queue, content, options, callback);
  }

  /** On a confirm channel: rejects if a message was refused, or the channel closed before. */
  async waitForConfirms(): Promise<void> {
    if (!this.#hasConfirms) throw new TypeError("channel.waitForConfirms is not a function");
    await Promise.all([...this.#unconfirmed]);
  }

  ack(message: Tagged, allUpTo = false): void {
    this.#settle({ tag: message.fields.deliveryTag, multiple: allUpTo, act: "ack" });
  }

  ackAll(): void {
    this.#settle({ tag: 0, multiple: true, act: "ack" });
  }

  nack(message: Tagged, allUpTo = false, requeue = true): void {
    const act = requeue ? "requeue" : "discard";
    this.#settle({ tag: message.fields.deliveryTag, multiple: allUpTo, act });
  }

  nackAll(requeue = true): void {
    this.#settle({ tag: 0, multiple: true, act: requeue ? "requeue" : "discard" });
  }

  reject(message: Tagged, requeue = true): void {
    this.nack(message, false, requeue);
  }

  /** @throws {IllegalOperationError} when the channel is closed */
  #open(): ServerChannel {
    if (this.#server !== undefined && !this.#closing.signal.aborted) return this.#server;
    throw new IllegalOperationError("Channel closed");
  }

  async #rpc<T>(effect: (channel: ServerChannel) => T): Promise<T> {
    this.#open();
    const reply = await this.#frame("broker.session", (channel) => {
      if (!channel.isOpen) throw new Error(NO_REPLY);
      return effect(channel);
    });
    // The server may have closed the channel while its reply was on the way.
    if (this.#closing.signal.aborted) throw new Error(NO_REPLY);
    return reply;
  }

  #settle(settlement: Settlement): void {
    this.#open();
    this.#frame("broker.settle", (channel) => this.#line.server.settle(channel, settlement)).catch(
      () => undefined,
    );
  }

  async #frame<T>(
    site: "broker.session" | "broker.settle" | "broker.produce",
    effect: (channel: ServerChannel) => T,
  ): Promise<T> {
    const channel = this.#open();
    try {
      return await this.#line.send(site, () => effect(channel));
    } catch (error) {
      if (error instanceof ChannelError) {
        this.#line.server.closeChannel(channel);
        this.#closed(error);
      }
      throw error;
    }
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    const { signal } = this.#closing;
    const channel = this.#open();
    const { server, port } = this.#line;
    try {
      while (!signal.aborted && this.#consumers.size > 0) {
        const { deliveries, version } = await this.#line.receive(() => ({
          deliveries: server.take(channel),
          version: server.arrivals.version,
        }));
        for (const delivery of deliveries) this.#dispatch(delivery);
        if (deliveries.length === 0 && !signal.aborted) {
          await server.arrivals.wait(port, IDLE_MS, signal, version);
        }
      }
    } catch {
      // The connection was lost, which it has already reported.
    }
    this.#isPumping = false;
  }

  #dispatch({ tag, consumerTag, message, isRedelivered }: Delivery): void {
    if (this.#closing.signal.aborted) return;
    const { exchange, routingKey, content, properties } = message;
    this.#consumers.get(consumerTag)?.({
      content: new TextBytes(content) as unknown as Buffer,
      fields: { deliveryTag: tag, redelivered: isRedelivered, exchange, routingKey, consumerTag },
      properties: { headers: undefined, ...properties } as unknown as AmqpProperties,
    });
  }

  #later(notify: () => void): void {
    const { port } = this.#line;
    if (port.alive) port.after(1, notify);
  }

  #cancelled(consumerTag: string): void {
    const onMessage = this.#consumers.get(consumerTag);
    this.#consumers.delete(consumerTag);
    onMessage?.(null);
  }

  #closed(error: Error): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#line.forget(this);
    const hasListener = this.emit("error", error);
    this.emit("close");
    if (!hasListener) this.#line.lose(error);
  }
}
