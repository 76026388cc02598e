import { isBuffer } from "../library-buffer.ts";
import { MessageNacked, nacked } from "./amqp-error.ts";
import type { MethodName } from "./amqp-method.ts";
import { ChannelFrames, type ChannelLine, NO_REPLY } from "./channel-frames.ts";
import { type ConsumeOptions, priorityIn } from "./consume-options.ts";
import { DeclaringChannel } from "./declaring-channel.ts";
import {
  type AmqpGetMessage,
  type AmqpMessage,
  assertLasting,
  assertUser,
  contentOf,
} from "./message.ts";
import { assertGiven, assertLong, assertPrefetch, assertShortTexts } from "./method-fields.ts";
import { propertiesFrom } from "./published-properties.ts";
import {
  type Delivery,
  queueMeant,
  type ServerChannel,
  type Settlement,
} from "./server-channel.ts";

export type OnMessage = (message: AmqpMessage | null) => void;

/** A message that is settled; only its delivery tag matters. */
interface Tagged {
  readonly fields: { readonly deliveryTag: number };
}

/** A settlement as it is asked for. */
type Given = Omit<Settlement, "tag"> & { readonly tag: number | undefined };

type OnConfirm = (error: Error | null, ok: never) => void;

/** A message that the server has not confirmed. */
interface Confirmation {
  /** Settles it, and tells its callback. */
  readonly settle: (error: Error | null) => void;
  readonly settled: Promise<void>;
}

/** Has one listener that throws cost the channel alone; another one costs the connection. */
const ABOUT_MESSAGES = ["delivery", "return"];
type Empty = Record<string, never>;

/** How long the client waits for a push before it polls the server again. */
const IDLE_MS = 15_000;
/** The code of a channel that closes because a consumer's callback has thrown. */
const INTERNAL_ERROR = 541;

/**
 * A channel with the interface of amqplib's.
 *
 * Holds: `ack`, `nack` and `reject` get no reply; if the server refuses them it closes the channel,
 * with the events `error` and `close`; every method of a closed channel throws or rejects with an
 * `IllegalOperationError`; a consumer that the server cancels is called with null; one that throws
 * costs the channel.
 *
 * Source: amqplib 2, Channel
 */
export class AmqpChannel extends DeclaringChannel {
  readonly #hasConfirms: boolean;
  readonly #unconfirmed = new Set<Confirmation>();
  readonly #consumers = new Map<string, OnMessage>();
  /** Consumers that the server has cancelled before the reply that names them was here. */
  readonly #cancelledAhead = new Set<string>();
  #publishedCount = 0;
  #hasLostConfirms = false;
  #isPumping = false;

  constructor(line: ChannelLine, options: { readonly hasConfirms: boolean }) {
    super(new ChannelFrames(line));
    this.#hasConfirms = options.hasConfirms;
    // In the library it is a method of another class.
    if (!options.hasConfirms) Object.defineProperty(this, "waitForConfirms", { value: undefined });
  }

  /** The connection below, with the properties of the server. */
  get connection(): object {
    return this.frames.line.connection;
  }

  open(): Promise<void> {
    return this.frames.open({
      closed: (error) => this.#fail(error),
      cancelled: (consumerTag) => this.#cancelled(consumerTag),
    });
  }

  endAtServer(): void {
    this.frames.endAtServer();
  }

  lost(): void {
    this.#end();
  }

  /** Never settles if the connection closes before the reply, as in amqplib. */
  async close(): Promise<void> {
    this.frames.assertOpen();
    try {
      await this.frames.close();
    } catch {
      return new Promise<void>(() => undefined);
    }
    this.#end();
  }

  async prefetch(count?: number | null, isOfChannel = false): Promise<Empty> {
    // Whatever is no number of messages is no limit, as the library has it.
    const limit = count || 0;
    const effect = (channel: ServerChannel): Empty => {
      this.frames.line.server.limit(channel, Math.floor(limit), isOfChannel);
      return {};
    };
    return this.frames.rpc("BasicQos", effect, () => assertPrefetch(limit));
  }

  async consume(
    queue: string | undefined,
    onMessage: OnMessage,
    options?: ConsumeOptions | null,
  ): Promise<{ consumerTag: string }> {
    const { consumerTag = "", noAck = false, exclusive = false } = options ?? {};
    const priority = priorityIn(queue, options ?? {});
    const request = { consumerTag, noAck, exclusive, priority };
    const { server } = this.frames.line;
    const { given, waiting } = await this.frames.rpc(
      "BasicConsume",
      (channel) => ({
        given: server.consume(channel, { ...request, queue: queueMeant(channel, queue) }),
        waiting: server.take(channel),
      }),
      () => assertShortTexts({ queue, consumerTag }),
    );
    this.#consumers.set(given, onMessage);
    // What waits comes right behind the reply, so the callback has it ahead of the caller.
    for (const delivery of waiting) this.#dispatch(delivery);
    if (this.#cancelledAhead.delete(given)) this.#cancelled(given);
    void this.#pump();
    return { consumerTag: given };
  }

  async cancel(consumerTag: string): Promise<{ consumerTag: string }> {
    const { server } = this.frames.line;
    await this.frames.rpc(
      "BasicCancel",
      (channel) => server.cancel(channel, consumerTag),
      () => {
        assertGiven({ consumerTag });
        assertShortTexts({ consumerTag });
      },
    );
    this.#consumers.delete(consumerTag);
    return { consumerTag };
  }

  /** Resolves with the next message, or with false if there is none. */
  async get(
    queue?: string,
    options?: { readonly noAck?: boolean | undefined } | null,
  ): Promise<AmqpGetMessage | false> {
    const { server } = this.frames.line;
    const got = await this.frames.rpc(
      "BasicGet",
      (channel) => server.get(channel, queueMeant(channel, queue), options?.noAck ?? false),
      () => assertShortTexts({ queue }),
    );
    if (got === undefined) return false;
    const { tag, isRedelivered, message, messageCount, returns } = got;
    const { content, properties, ...from } = contentOf(message, returns);
    const fields = { deliveryTag: tag, redelivered: isRedelivered, ...from, messageCount };
    return { content, fields, properties };
  }

  recover(): Promise<Empty> {
    return this.frames.rpc("BasicRecover", (channel) => {
      this.frames.line.server.recover(channel);
      return {};
    });
  }

  /**
   * On a confirm channel, `callback` is called when the server has accepted the message.
   *
   * @throws {TypeError} when the content is no `Buffer`, or a field cannot be written
   */
  publish(
    exchange = "",
    routingKey = "",
    content: Buffer,
    options?: object | null,
    callback?: OnConfirm,
  ): boolean {
    this.frames.assertOpen();
    if (!isBuffer(content)) throw new TypeError("content is not a buffer");
    assertShortTexts({ exchange, routingKey });
    const given = (options ?? {}) as Readonly<Record<string, unknown>>;
    const properties = propertiesFrom(given);
    assertLasting(properties);
    const sent = this.frames.send("BasicPublish", "broker.produce", (channel) => {
      if (!channel.isOpen) throw new Error(NO_REPLY);
      const { server, user } = this.frames.line;
      assertUser(properties, user);
      const isRouted = server.publish(exchange, routingKey, content, properties);
      if (isRouted || given["mandatory"] !== true) return;
      const fields = { replyCode: 312, replyText: "NO_ROUTE", exchange, routingKey };
      const returned = { fields, properties, content };
      this.frames.later(() => this.#tell("return", () => void this.emit("return", returned)));
    });
    if (this.#hasConfirms) this.#awaitConfirm(sent, callback);
    else sent.catch(() => undefined);
    return true;
  }

  sendToQueue(
    queue: string,
    content: Buffer,
    options?: object | null,
    callback?: OnConfirm,
  ): boolean {
    return this.publish("", queue, content, options, callback);
  }

  /**
   * On a confirm channel: rejects if a message was refused, or the channel closed before; resolves
   * with nothing for each message that was confirmed meanwhile.
   */
  async waitForConfirms(): Promise<void> {
    if (this.#hasLostConfirms) throw new Error("channel closed");
    const all = [...this.#unconfirmed].map(({ settled }) => settled);
    // The library's type has no value, its promise has.
    return (await Promise.all(all)) as unknown as undefined;
  }

  ack(message: Tagged, allUpTo = false): void {
    this.#settle("BasicAck", { tag: message.fields.deliveryTag, multiple: allUpTo, act: "ack" });
  }

  ackAll(): void {
    this.#settle("BasicAck", { tag: 0, multiple: true, act: "ack" });
  }

  nack(message: Tagged, allUpTo = false, requeue = true): void {
    const act = requeue ? "requeue" : "discard";
    this.#settle("BasicNack", { tag: message.fields.deliveryTag, multiple: allUpTo, act });
  }

  nackAll(requeue = true): void {
    this.#settle("BasicNack", { tag: 0, multiple: true, act: requeue ? "requeue" : "discard" });
  }

  reject(message: Tagged, requeue = true): void {
    const act = requeue ? "requeue" : "discard";
    this.#settle("BasicReject", { tag: message.fields.deliveryTag, multiple: false, act });
  }

  #settle(name: MethodName, { tag: given, ...how }: Given): void {
    this.frames.assertOpen();
    if (name === "BasicReject") assertGiven({ deliveryTag: given });
    const tag = given === undefined ? 0 : given;
    assertLong("deliveryTag", tag);
    const { server } = this.frames.line;
    this.frames
      .send(name, "broker.settle", (channel) => server.settle(channel, { tag, ...how }))
      .catch(() => undefined);
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    const { signal, line } = this.frames;
    const { server, port } = line;
    try {
      // A callback may have closed the channel by now.
      const channel = this.frames.assertOpen();
      while (!signal.aborted && this.#consumers.size > 0) {
        const { deliveries, version } = await line.receive(() => ({
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

  #dispatch({ tag, consumerTag, message, isRedelivered, returns }: Delivery): void {
    if (this.frames.signal.aborted || !this.frames.line.isReceiving()) return;
    const { content, properties, ...from } = contentOf(message, returns);
    const fields = { consumerTag, deliveryTag: tag, redelivered: isRedelivered, ...from };
    const onMessage = this.#consumers.get(consumerTag);
    this.#tell("delivery", () => onMessage?.({ content, fields, properties }));
  }

  /**
   * Calls callbacks and listeners. One that throws costs the channel or the whole connection,
   * unless somebody listens to `handler-error`.
   */
  #tell(event: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      if (this.listenerCount("handler-error") > 0) {
        this.frames.later(() => void this.emit("handler-error", error, event));
      } else if (ABOUT_MESSAGES.includes(event)) {
        void this.#closeFor(error as Error);
      } else {
        this.frames.line.lose(error as Error);
      }
    }
  }

  /** A callback has thrown at a message: the channel closes, with that error. */
  async #closeFor(error: Error): Promise<void> {
    try {
      await this.frames.close();
    } catch {
      return;
    }
    this.#fail(Object.assign(error, { code: INTERNAL_ERROR }));
  }

  /** Without a listener for its error, a channel costs the connection. */
  #fail(error: Error): void {
    this.#tell("error", () => {
      if (!this.emit("error", error)) throw error;
    });
    this.#end();
  }

  #cancelled(consumerTag: string): void {
    const onMessage = this.#consumers.get(consumerTag);
    if (onMessage === undefined) {
      this.#cancelledAhead.add(consumerTag);
      return;
    }
    this.#consumers.delete(consumerTag);
    this.#tell("cancel", () => {
      onMessage(null);
      this.emit("cancel", { consumerTag, nowait: true });
    });
  }

  #awaitConfirm(sent: Promise<void>, callback: OnConfirm | undefined): void {
    let settle: Confirmation["settle"] = () => undefined;
    const settled = new Promise<void>((resolve, reject) => {
      settle = (error) => {
        callback?.(error, undefined as never);
        if (error === null) resolve();
        else reject(error);
      };
    });
    settled.catch(() => undefined);
    const confirmation: Confirmation = { settle, settled };
    this.#unconfirmed.add(confirmation);
    const deliveryTag = (this.#publishedCount += 1);
    sent.then(
      () => this.#answered(confirmation, "ack", { deliveryTag, multiple: false }),
      (error: unknown) => {
        // What the end of the channel leaves unconfirmed is reported by that end.
        if (!(error instanceof MessageNacked)) return;
        const [oldest] = this.#unconfirmed;
        const multiple = oldest === confirmation;
        this.#answered(confirmation, "nack", { deliveryTag, multiple, requeue: true });
      },
    );
  }

  /**
   * The server has taken or refused a message. Who listens hears of it behind the callback. What
   * comes once a close was sent is not looked at.
   */
  #answered(confirmation: Confirmation, event: "ack" | "nack", fields: object): void {
    if (this.frames.signal.aborted || !this.#unconfirmed.delete(confirmation)) return;
    this.#tell(event, () => {
      confirmation.settle(event === "ack" ? null : nacked());
      this.emit(event, fields);
    });
  }

  /** What has no confirmation by now will have none. */
  #end(): void {
    if (!this.frames.end()) return;
    this.frames.line.forget(this);
    const lost = [...this.#unconfirmed];
    this.#unconfirmed.clear();
    this.#hasLostConfirms = lost.length > 0;
    this.#tell("close", () => {
      for (const { settle } of lost) settle(new Error("channel closed"));
      this.emit("close");
    });
  }
}
