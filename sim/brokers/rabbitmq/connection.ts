import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { isTransportError, once } from "../library-call.ts";
import { IllegalOperationError } from "./amqp-error.ts";
import { AmqpChannel, type ChannelLine } from "./channel.ts";
import { Emitter } from "./emitter.ts";
import type { AmqpServer } from "./server.ts";

/** How long after a lost connection the node notices it. */
const NODE_NOTICES_MS = 2_000;

export interface AmqpParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: AmqpServer;
  /** The open connections of the client. */
  readonly connections: Set<AmqpConnection>;
}

/**
 * A connection to a RabbitMQ node, with the interface of amqplib's `ChannelModel`.
 *
 * Holds: frames arrive in the order in which they were sent, each once; a lost frame ends the
 * connection and its channels (`error`, then `close`), and the node requeues unacknowledged
 * messages when it notices.
 *
 * Source: amqplib 2, ChannelModel
 */
export class AmqpConnection extends Emitter {
  readonly connection: { readonly serverProperties: Readonly<Record<string, string>> } = {
    serverProperties: { product: "RabbitMQ", version: "4.1.0" },
  };
  readonly #parts: AmqpParts;
  readonly #channels = new Set<AmqpChannel>();
  #sent: Promise<unknown> = Promise.resolve();
  #state: "open" | "closing" | "closed" = "open";

  constructor(parts: AmqpParts) {
    super();
    this.#parts = parts;
    parts.connections.add(this);
    parts.port.onDeath(() => this.#end());
  }

  createChannel(): Promise<Omit<AmqpChannel, "waitForConfirms">> {
    return this.#adopt(new AmqpChannel(this.#line(), { hasConfirms: false }));
  }

  createConfirmChannel(): Promise<AmqpChannel> {
    return this.#adopt(new AmqpChannel(this.#line(), { hasConfirms: true }));
  }

  /** Closes the connection after all frames that were sent before. */
  async close(): Promise<void> {
    if (this.#state !== "open") throw new IllegalOperationError("Connection closed");
    this.#state = "closing";
    try {
      await this.#send("broker.session", () => this.#endChannels());
    } catch {
      return;
    }
    this.#shut();
  }

  /** Closes the connection from the server's side, as an operator or a restart does. */
  closeByServer(): void {
    this.#endChannels();
    this.#parts.port.after(1, () =>
      this.#lose(new Error("Connection closed: 320 (CONNECTION-FORCED)")),
    );
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
      send: (site, effect) => this.#send(site, effect),
      receive: (effect) => this.#call("broker.fetch", effect),
      lose: (error) => this.#lose(error),
      forget: (channel) => void this.#channels.delete(channel),
    };
  }

  #send<T>(site: SiteName, effect: () => T): Promise<T> {
    const reply = this.#sent.then(() => this.#call(site, effect));
    this.#sent = reply.then(
      () => undefined,
      () => undefined,
    );
    return reply;
  }

  async #call<T>(site: SiteName, effect: () => T): Promise<T> {
    if (this.#state === "closed") throw new IllegalOperationError("Connection closed");
    try {
      return await this.#parts.port.call(site, this.#parts.host, once(effect));
    } catch (error) {
      if (!isTransportError(error)) throw error;
      this.#lose(error);
      throw new Error("Channel ended, no reply will be forthcoming", { cause: error });
    }
  }

  #lose(cause: unknown): void {
    if (this.#state === "closed") return;
    const wasClosing = this.#state === "closing";
    const { world, name } = this.#parts.port;
    world.schedule(NODE_NOTICES_MS, { lane: name, hop: false }, () => this.#endChannels());
    const error = new Error("Unexpected close", { cause });
    this.#shut(wasClosing ? undefined : error);
  }

  #shut(error?: Error): void {
    this.#state = "closed";
    this.#parts.connections.delete(this);
    for (const channel of this.#channels) channel.lost();
    if (error !== undefined) this.emit("error", error);
    this.emit("close", error);
  }

  /** Closes the connection's channels on the server. */
  #endChannels(): void {
    for (const channel of this.#channels) channel.endAtServer();
  }

  #end(): void {
    const { world, name } = this.#parts.port;
    world.schedule(1, { lane: name, hop: false }, () => this.#endChannels());
  }

  #assertOpen(): void {
    if (this.#state !== "open") throw new IllegalOperationError("Connection closed");
  }
}
