import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { isTransportError, once } from "../library-call.ts";
import { connectionClosed, connectionReset, illegalOperation, Refused } from "./amqp-error.ts";
import { type ChannelLine, type Endable, NO_REPLY } from "./channel-frames.ts";
import { AmqpChannel } from "./channel.ts";
import { Emitter } from "../emitter.ts";
import { NotModelled } from "../not-modelled.ts";
import type { AmqpServer } from "./server.ts";

/** How long after a lost connection the node notices it. */
const NODE_NOTICES_MS = 2_000;
/** The code of a close that an operator or a shutdown of the node has forced. */
const CONNECTION_FORCED = 320;

const CAPABILITIES = {
  publisher_confirms: true,
  exchange_exchange_bindings: true,
  "basic.nack": true,
  consumer_cancel_notify: true,
  "connection.blocked": true,
  consumer_priorities: true,
  authentication_failure_close: true,
  per_consumer_qos: true,
  direct_reply_to: true,
};

export interface AmqpParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: AmqpServer;
  readonly user: string;
  /** The open connections of the client. */
  readonly connections: Set<AmqpConnection>;
}

// Authors log a channel by the name of its class, which is that of the library.
class Channel extends AmqpChannel {}
class ConfirmChannel extends AmqpChannel {}

/**
 * A connection to a RabbitMQ node, with the interface of amqplib's `ChannelModel`.
 *
 * Holds: frames arrive in the order in which they were sent, each once, but `close` overtakes the
 * frames that the channels were given in the same turn of the event loop, and these are lost; a
 * lost frame ends the connection and its channels (`error`, then `close`), and the node requeues
 * unacknowledged messages when it notices; a crash of the node ends all connections; a close that
 * an operator forces is reported by `close` alone; an error that nobody listens to is thrown.
 *
 * Source: amqplib 2, ChannelModel; mux.js, which sends a channel's frames one turn later
 */
export class AmqpConnection extends Emitter {
  static {
    Object.defineProperty(this, "name", { value: "ChannelModel" });
  }

  readonly connection: { readonly serverProperties: Readonly<Record<string, unknown>> } = {
    serverProperties: {
      ...{ product: "RabbitMQ", version: "3.10.8", platform: "Erlang/OTP 25.2.3" },
      copyright: "Copyright (c) 2007-2022 VMware, Inc. or its affiliates.",
      information: "Licensed under the MPL 2.0. Website: https://rabbitmq.com",
      ...{ cluster_name: "rabbit@broker", capabilities: CAPABILITIES },
    },
  };
  readonly #parts: AmqpParts;
  readonly #channels = new Set<Endable>();
  #sent: Promise<unknown> = Promise.resolve();
  #state: "open" | "closing" | "closed" = "open";
  /** The step of the world in which `close` was called. */
  #closedInStep: number | undefined;
  #closedFor = "by client";
  /** Whether the node does not know it any more: it answers the next frame with a reset. */
  #isForgotten = false;

  constructor(parts: AmqpParts) {
    super();
    this.#parts = parts;
    parts.connections.add(this);
    parts.port.onDeath(() => this.#die());
  }

  createChannel(): Promise<Omit<AmqpChannel, "waitForConfirms">> {
    return this.#adopt(new Channel(this.#line(), { hasConfirms: false }));
  }

  createConfirmChannel(): Promise<AmqpChannel> {
    return this.#adopt(new ConfirmChannel(this.#line(), { hasConfirms: true }));
  }

  /**
   * Is not modelled.
   *
   * @internal
   */
  updateSecret(_newSecret: Buffer, _reason: string): Promise<never> {
    return Promise.reject(new NotModelled("connection.updateSecret()", "brokers.rabbitmq"));
  }

  /** Closes the connection; frames of its channels that have not left yet are lost. */
  async close(): Promise<void> {
    this.#assertOpen();
    this.#state = "closing";
    this.#closedInStep = this.#parts.port.world.steps;
    try {
      await this.#send("broker.session", () => this.#endAtServer(), { isOfChannel: false });
    } catch {
      return;
    }
    this.#shut();
  }

  /** Closes the connection from the server's side, as an operator or a restart does. */
  closeByServer(): void {
    this.#endAtServer();
    const refusal = new Refused(CONNECTION_FORCED, "Closed via management plugin");
    this.#parts.port.after(1, () => this.#closed(refusal));
  }

  /** The node has crashed: what was unacknowledged is in its queues again. */
  crashOfNode(isHalfOpen: boolean): void {
    this.#isForgotten = true;
    this.#endAtServer();
    if (isHalfOpen) return;
    this.#parts.port.after(1, () => this.#lose(connectionReset()));
  }

  async #adopt(channel: AmqpChannel): Promise<AmqpChannel> {
    this.#assertOpen();
    this.#channels.add(channel);
    await channel.open();
    return channel;
  }

  #line(): ChannelLine {
    return {
      port: this.#parts.port,
      server: this.#parts.server,
      user: this.#parts.user,
      connection: this.connection,
      assertSending: () => this.#assertOpen(),
      isReceiving: () => this.#state === "open",
      send: (site, effect) => this.#send(site, effect, { isOfChannel: true }),
      receive: (effect) => this.#call("broker.fetch", effect),
      refused: (refusal) => {
        this.#endAtServer();
        this.#closed(refusal);
      },
      lose: (error) => this.#lose(error),
      forget: (channel) => void this.#channels.delete(channel),
    };
  }

  #send<T>(site: SiteName, effect: () => T, { isOfChannel }: { isOfChannel: boolean }): Promise<T> {
    const step = this.#parts.port.world.steps;
    const run = (): T => {
      if (isOfChannel && step === this.#closedInStep) throw new Error(NO_REPLY);
      return effect();
    };
    const reply = this.#sent.then(() => this.#call(site, run));
    this.#sent = reply.then(
      () => undefined,
      () => undefined,
    );
    return reply;
  }

  async #call<T>(site: SiteName, effect: () => T): Promise<T> {
    if (this.#state === "closed") throw this.#illegal();
    // A node that has restarted does not know the connection.
    const reset = connectionReset();
    const run = once(() => {
      if (this.#isForgotten) throw reset;
      return effect();
    });
    try {
      return await this.#parts.port.call(site, this.#parts.host, run);
    } catch (error) {
      if (!isTransportError(error) && error !== reset) throw error;
      this.#lose(error === reset ? reset : new Error("Unexpected close", { cause: error }));
      throw new Error(NO_REPLY, { cause: error });
    }
  }

  /** The connection broke; the node notices later. */
  #lose(error: Error): void {
    if (this.#state === "closed") return;
    const { world, name } = this.#parts.port;
    const channels = [...this.#channels];
    const endAtServer = (): void => this.#endAtServer(channels);
    world.schedule(NODE_NOTICES_MS, { lane: name, hop: false }, endAtServer);
    if (this.#state === "closing") this.#shut();
    else this.#shut(error, { isFatal: true });
  }

  /** The node has closed the connection. */
  #closed(refusal: Refused): void {
    if (this.#state !== "open") return;
    this.#shut(connectionClosed(refusal), { isFatal: refusal.code !== CONNECTION_FORCED });
  }

  #shut(error?: Error, { isFatal }: { isFatal: boolean } = { isFatal: false }): void {
    this.#state = "closed";
    if (error !== undefined) this.#closedFor = String(error);
    this.#parts.connections.delete(this);
    if (isFatal && !this.emit("error", error)) this.#throwUnheard(error);
    for (const channel of this.#channels) channel.lost();
    this.emit("close", error);
  }

  /** An event emitter throws an error that nobody listens to. */
  #throwUnheard(error: unknown): void {
    this.#parts.port.after(0, () => {
      throw error;
    });
  }

  /** Closes the connection's channels on the server. */
  #endAtServer(channels: Iterable<Endable> = this.#channels): void {
    for (const channel of channels) channel.endAtServer();
    this.#parts.server.endConnection(this.connection);
  }

  #die(): void {
    const { world, name } = this.#parts.port;
    world.schedule(1, { lane: name, hop: false }, () => this.#endAtServer());
  }

  /** @throws {IllegalOperationError} */
  #assertOpen(): void {
    if (this.#state !== "open") throw this.#illegal();
  }

  #illegal(): Error {
    return illegalOperation(
      this.#state === "closing" ? "Connection closing" : `Connection closed (${this.#closedFor})`,
    );
  }
}
