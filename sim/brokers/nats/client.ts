import type { SiteName } from "../../faults/site.ts";
import { EPOCH_MS } from "../../realm/epoch.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary, isTransportError } from "../library-call.ts";
import { NoRespondersError, RequestError, TimeoutError } from "./errors.ts";
import { NatsMessage } from "./message.ts";
import { NatsMessages } from "./messages.ts";
import type { ConsumerSettings, NatsServer } from "./server.ts";
import { bytesFrom } from "../text-bytes.ts";

export interface NatsParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: NatsServer;
  readonly subscriptions: Set<NatsMessages>;
}

interface PullOptions {
  readonly max_messages?: number | undefined;
  readonly expires?: number | undefined;
}

interface ConsumeOptions extends PullOptions {
  readonly callback?: ((message: NatsMessage) => void | Promise<never>) | undefined;
}

/** The part of a consumer's configuration that the model supports. */
export interface NatsConsumerConfig {
  readonly durable_name?: string | undefined;
  readonly name?: string | undefined;
  readonly ack_policy?: "none" | "all" | "explicit" | "not_set" | "flow_control" | undefined;
  readonly ack_wait?: number | undefined;
  readonly max_deliver?: number | undefined;
  readonly max_ack_pending?: number | undefined;
}

interface NatsConsumerInfo {
  readonly stream_name: string;
  readonly name: string;
  readonly config: NatsConsumerConfig;
  readonly num_ack_pending: number;
  readonly num_pending: number;
}

/** An acknowledgement that was sent. */
interface Frame {
  readonly effect: () => void;
  state: "flying" | "landed" | "lost";
}

interface PubAck {
  readonly stream: string;
  readonly seq: number;
  readonly duplicate: boolean;
}

const MESSAGES_MAX = 100;
const EXPIRES_MS = 30_000;
const NANOS_PER_MS = 1_000_000;
/** A consumer's defaults. Source: nats-server, server/consumer.go */
const ACK_WAIT_MS = 30_000;
const MAX_ACK_PENDING = 1_000;

/**
 * The client of a NATS server, with the interface of `JetStreamClient` of `@nats-io/jetstream`.
 *
 * - `consumers.get()`: `consume`, `fetch`, `next`, `info`; their messages have `ack`, `nak`,
 *   `term`, `working` and `ackAck`.
 * - `publish()`: stores a message. Other subjects than the workload's are for dead letters.
 * - `jetstreamManager()`: `consumers` with `add`, `info` and `delete`.
 *
 * Holds: acknowledgements arrive in the order in which they were sent, each once; a request without
 * a reply rejects with a `TimeoutError`.
 *
 * @example A producer gets it from `checkProducer`
 * ```ts
 * import type { NatsClient } from "faultlane/check";
 *
 * async function read(client: NatsClient) {
 *   const consumer = await client.consumers.get("ORDERS", "triggerer");
 *   return await consumer.consume({ max_messages: 10 });
 * }
 * console.log(read.length); // => 1
 * ```
 *
 * Source: @nats-io/jetstream 3, JetStreamClient
 */
export class NatsClient {
  /**
   * The pull consumers of the server.
   *
   * @internal
   */
  readonly consumers: { get(stream: string, name: string): Promise<NatsConsumer> };
  readonly #parts: NatsParts;
  readonly #frames: Frame[] = [];

  /** @internal */
  constructor(parts: NatsParts) {
    this.#parts = parts;
    this.consumers = { get: (stream, name) => this.#consumer(stream, name) };
  }

  /**
   * Stores a message; resolves when it is durable.
   *
   * @internal
   */
  async publish(
    subject: string,
    payload: string | Uint8Array = "",
    options: { readonly msgID?: string | undefined } = {},
  ): Promise<PubAck> {
    const data = typeof payload === "string" ? bytesFrom(payload) : payload;
    try {
      return await this.#request("broker.produce", () =>
        this.#parts.server.publish(subject, data, options.msgID),
      );
    } catch (error) {
      if (!(error instanceof NoRespondersError)) throw error;
      throw new RequestError(error.message, { cause: error });
    }
  }

  /**
   * Resolves with the administration of consumers.
   *
   * @internal
   */
  async jetstreamManager(_checkApi?: boolean): Promise<{ readonly consumers: NatsConsumerAdmin }> {
    const { server } = this.#parts;
    const info = (stream: string, name: string): Promise<NatsConsumerInfo> =>
      this.#request("broker.session", () => infoFrom(server, stream, name));
    return {
      consumers: {
        info,
        add: async (stream, config) => {
          const settings = settingsFrom(config);
          await this.#request("broker.session", () => server.addConsumer(stream, settings));
          return info(stream, settings.name);
        },
        delete: (stream, name) =>
          this.#request("broker.session", () => server.deleteConsumer(stream, name)),
      },
    };
  }

  async #consumer(stream: string, name: string): Promise<NatsConsumer> {
    const { server, port, subscriptions } = this.#parts;
    await this.#request("broker.session", () => infoFrom(server, stream, name));
    const who = `${port.name}/${name}`;
    const line = {
      stream,
      consumer: name,
      epochMs: EPOCH_MS,
      send: (
        delivery: Parameters<NatsServer["acknowledge"]>[2],
        ack: Parameters<NatsServer["acknowledge"]>[4],
      ) => this.#inOrder(() => server.acknowledge(stream, name, delivery, who, ack)),
    };
    const source = {
      port,
      subscriptions,
      pull: async (count: number) => {
        const { deliveries, version } = await this.#request("broker.fetch", () => ({
          deliveries: server.take(stream, name, who, count),
          version: server.arrivals.version,
        }));
        return { messages: deliveries.map((delivery) => new NatsMessage(line, delivery)), version };
      },
      news: (ms: number, since: number, signal: AbortSignal) =>
        server.arrivals.wait(port, ms, signal, since),
    };
    return {
      info: () => this.#request("broker.session", () => infoFrom(server, stream, name)),
      consume: async ({ max_messages = MESSAGES_MAX, expires = EXPIRES_MS, callback } = {}) => {
        const plan = { messagesMax: max_messages, expiresMs: expires, mode: "always" } as const;
        return new NatsMessages(source, { ...plan, callback });
      },
      fetch: async ({ max_messages = MESSAGES_MAX, expires = EXPIRES_MS } = {}) => {
        const plan = { messagesMax: max_messages, expiresMs: expires, mode: "once" } as const;
        return new NatsMessages(source, plan);
      },
      next: async ({ expires = EXPIRES_MS } = {}) => {
        const plan = { messagesMax: 1, expiresMs: expires, mode: "once" } as const;
        for await (const message of new NatsMessages(source, plan)) return message;
        return null;
      },
    };
  }

  /** Sends at once; takes effect after all frames that were sent before and were not lost. */
  async #inOrder(effect: () => void): Promise<void> {
    const frame: Frame = { effect, state: "flying" };
    this.#frames.push(frame);
    try {
      await this.#request("broker.settle", () => this.#end(frame, "landed"));
    } catch (error) {
      if (frame.state === "flying") this.#end(frame, "lost");
      throw error;
    }
  }

  #end(frame: Frame, state: "landed" | "lost"): void {
    frame.state = state;
    while (this.#frames.length > 0 && this.#frames[0]?.state !== "flying") {
      const first = this.#frames.shift();
      if (first?.state === "landed") first.effect();
    }
  }

  async #request<T>(site: SiteName, effect: () => T): Promise<T> {
    const { port, host: to } = this.#parts;
    try {
      return await callAsLibrary(port, { site, to, effect, isRepeatable: false }, ONE_TRY);
    } catch (error) {
      throw isTransportError(error) ? new TimeoutError(error) : error;
    }
  }
}

const ONE_TRY = { attemptsMax: 1, firstDelayMs: 0 };

/** A pull consumer with the interface of `Consumer`. */
export interface NatsConsumer {
  next(options?: Pick<PullOptions, "expires">): Promise<NatsMessage | null>;
  fetch(options?: PullOptions): Promise<NatsMessages>;
  consume(options?: ConsumeOptions): Promise<NatsMessages>;
  info(cached?: boolean): Promise<NatsConsumerInfo>;
}

/** The `consumers` of a `JetStreamManager`. */
export interface NatsConsumerAdmin {
  add(stream: string, config: NatsConsumerConfig): Promise<NatsConsumerInfo>;
  info(stream: string, consumer: string): Promise<NatsConsumerInfo>;
  delete(stream: string, consumer: string): Promise<boolean>;
}

/** Completes a configuration with the server's defaults. */
function settingsFrom(config: NatsConsumerConfig): ConsumerSettings {
  const { ack_policy: policy } = config;
  return {
    name: config.durable_name ?? config.name ?? "",
    ackPolicy: policy === "all" || policy === "explicit" ? policy : "none",
    ackWaitMs: config.ack_wait === undefined ? ACK_WAIT_MS : config.ack_wait / NANOS_PER_MS,
    maxDeliver: config.max_deliver ?? -1,
    maxAckPending: config.max_ack_pending ?? MAX_ACK_PENDING,
  };
}

function infoFrom(server: NatsServer, stream: string, name: string): NatsConsumerInfo {
  const { settings, ackPending, unread } = server.infoOf(stream, name);
  const { ackPolicy, ackWaitMs, maxDeliver, maxAckPending } = settings;
  return {
    stream_name: stream,
    name,
    num_ack_pending: ackPending,
    num_pending: unread,
    config: {
      durable_name: name,
      ack_policy: ackPolicy,
      ack_wait: ackWaitMs * NANOS_PER_MS,
      max_deliver: maxDeliver,
      max_ack_pending: maxAckPending,
    },
  };
}
