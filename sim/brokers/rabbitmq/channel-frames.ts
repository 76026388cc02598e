import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { channelClosed, illegalOperation, operationFailed, Refused } from "./amqp-error.ts";
import { type AmqpMethod, methodOf, type MethodName, NO_METHOD } from "./amqp-method.ts";
import type { ServerChannel } from "./server-channel.ts";
import type { AmqpServer } from "./server.ts";

/** A channel, as its connection ends it. */
export interface Endable {
  /** Closes the channel on the server, because the connection has ended. */
  endAtServer(): void;
  /** Closes the channel on the client, because the connection has ended. */
  lost(): void;
}

/** What a channel needs from its connection. */
export interface ChannelLine {
  readonly port: ClientPort;
  readonly server: AmqpServer;
  /** What the channel shows as its `connection`. */
  readonly connection: object;
  /** As whom the connection was opened. */
  readonly user: string;
  /** @throws {IllegalOperationError} when the connection is closing or closed */
  assertSending(): void;
  /** Whether the connection still accepts what the server pushes. */
  isReceiving(): boolean;
  /** Sends a frame after all frames before it; rejects when the connection broke. */
  send<T>(site: SiteName, effect: () => T): Promise<T>;
  /** Fetches what the server pushes, independent of the frames that are sent. */
  receive<T>(effect: () => T): Promise<T>;
  /** The server has refused a frame, at the cost of the connection. */
  refused(refusal: Refused): void;
  /** Breaks the connection with the error of a channel that had no error listener. */
  lose(error: Error): void;
  forget(channel: Endable): void;
}

/** Why a frame has no reply: the channel ended before it came. */
export const NO_REPLY = "Channel ended, no reply will be forthcoming";

/** What the frames of a channel report to it. */
interface FrameEvents {
  /** The server has closed the channel. */
  closed(error: Error): void;
  cancelled(consumerTag: string): void;
}

/**
 * The frames that a channel sends, and the replies that it waits for.
 *
 * Holds: a method that the server refuses rejects with "Operation failed", another one that waits
 * for its reply at that time with the reason of the close, and the rest with "no reply".
 *
 * Source: amqplib 2, channel.js
 */
export class ChannelFrames {
  readonly line: ChannelLine;
  readonly #closing = new AbortController();
  readonly #replies = new Set<(error: Error) => void>();
  #events: FrameEvents | undefined;
  #server: ServerChannel | undefined;
  #state: "open" | "closing" | "closed" = "open";
  /** Whether a method could not be written, so that all that follow wait behind it. */
  #isStuck = false;

  constructor(line: ChannelLine) {
    this.line = line;
  }

  /** Aborted when the channel is no longer open. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  async open(events: FrameEvents): Promise<void> {
    const { server, port, connection } = this.line;
    this.#events = events;
    const onClosed = (refusal: Refused): void =>
      this.later(() => this.#closedByServer(refusal, NO_METHOD, { isReply: false }));
    const onCancelled = (tag: string): void => this.later(() => events.cancelled(tag));
    const opened = async (): Promise<void> => {
      this.#server = await this.line.send("broker.session", () =>
        server.openChannel(port.name, { connection, onClosed, onCancelled }),
      );
    };
    await this.#replyTo(opened);
  }

  /** @throws {IllegalOperationError} when the channel or its connection is closing or closed */
  assertOpen(): ServerChannel {
    if (this.#server === undefined || this.#state !== "open") {
      throw illegalOperation(`Channel ${this.#state === "open" ? "closed" : this.#state}`);
    }
    this.line.assertSending();
    return this.#server;
  }

  endAtServer(): void {
    if (this.#server !== undefined) this.line.server.closeChannel(this.#server);
  }

  /** Sends no more, and asks the server to close; rejects when the connection ends before. */
  async close(): Promise<void> {
    const channel = this.assertOpen();
    this.#state = "closing";
    this.#closing.abort();
    await this.line.send("broker.session", () => this.line.server.closeChannel(channel));
  }

  /** Moves to the closed state; returns whether it was not there yet. */
  end(): boolean {
    if (this.#state === "closed") return false;
    this.#state = "closed";
    this.#closing.abort();
    for (const reject of this.#replies) reject(new Error(NO_REPLY));
    return true;
  }

  /**
   * Sends a method and waits for its reply.
   *
   * @param check - throws for fields that cannot be written; as in the library, the channel then
   *   waits for a reply to what it has not sent, and sends no further methods
   */
  rpc<T>(
    name: MethodName,
    effect: (channel: ServerChannel) => T,
    check: () => void = () => undefined,
  ): Promise<T> {
    return this.#replyTo(() => {
      this.assertOpen();
      if (this.#isStuck) return new Promise<never>(() => undefined);
      this.#written(check);
      return this.send(name, "broker.session", (channel) => {
        if (!channel.isOpen) throw new Error(NO_REPLY);
        return effect(channel);
      });
    });
  }

  /** Sends, and waits for the reply; rejects where the channel or its connection ends before. */
  async #replyTo<T>(send: () => Promise<T>): Promise<T> {
    let onEnd = (_error: Error): void => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      onEnd = reject;
    });
    const reply = send();
    this.#replies.add(onEnd);
    try {
      // A method that was lost waits until the channel has ended.
      const kept = reply.catch((error: Error) => {
        if (error.message === NO_REPLY) return ended;
        throw error;
      });
      const value = await Promise.race([ended, kept]);
      // Nothing that comes once a close was sent is looked at.
      return this.#state === "open" && this.line.isReceiving() ? value : await ended;
    } finally {
      this.#replies.delete(onEnd);
    }
  }

  #written(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#isStuck = true;
      throw error;
    }
  }

  /** Sends a frame; resolves when the server has processed it. */
  async send<T>(
    name: MethodName,
    site: "broker.session" | "broker.settle" | "broker.produce",
    effect: (channel: ServerChannel) => T,
  ): Promise<T> {
    const channel = this.assertOpen();
    try {
      return await this.line.send(site, () => effect(channel));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.costsConnection) {
        this.line.refused(error);
      } else {
        this.line.server.closeChannel(channel);
        this.#closedByServer(error, methodOf(name), { isReply: site === "broker.session" });
      }
      throw new Error(NO_REPLY, { cause: error });
    }
  }

  /** Calls `notify` on the client a moment later, as news from the server. */
  later(notify: () => void): void {
    const { port } = this.line;
    if (port.alive) port.after(1, notify);
  }

  /** The oldest method without a reply gets the reason: it may be the one that was refused. */
  #closedByServer(refusal: Refused, method: AmqpMethod, { isReply }: { isReply: boolean }): void {
    if (this.#state === "closed") return;
    const [oldest] = this.#replies;
    oldest?.((isReply ? operationFailed : channelClosed)(refusal, method));
    this.#events?.closed(channelClosed(refusal, method));
  }
}
