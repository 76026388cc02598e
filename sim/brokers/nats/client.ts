import type { SiteName } from "../../faults/site.ts";
import { EPOCH_MS } from "../../realm/epoch.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary, isTransportError } from "../library-call.ts";
import { NotModelled } from "../not-modelled.ts";
import { InvalidArgumentError, JetStreamNotEnabled, RequestError, TimeoutError } from "./errors.ts";
import { NatsMessage } from "./message.ts";
import { NatsMessages } from "./messages.ts";
import type { ConsumerSettings, NatsServer, Reached } from "./server.ts";
import { storedDate } from "./stored-date.ts";
import { bytesFrom } from "../text-bytes.ts";

export interface NatsParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: NatsServer;
  readonly subscriptions: Set<NatsMessages>;
}

interface PublishOptions {
  readonly msgID?: string | undefined;
  readonly headers?: { keys(): string[]; values(name: string): string[] } | undefined;
}

interface PullOptions {
  readonly max_messages?: number | undefined;
  readonly expires?: number | undefined;
}

interface ConsumeOptions extends PullOptions {
  readonly abort_on_missing_resource?: boolean | undefined;
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
  /** When the consumer was added, as an ISO date. */
  readonly created: string;
  readonly delivered: NatsSequences;
  readonly ack_floor: NatsSequences;
  readonly num_ack_pending: number;
  readonly num_redelivered: number;
  /** Always 0: the server of the model keeps no waiting pulls. */
  readonly num_waiting: number;
  readonly num_pending: number;
}

/** How far a consumer has come: in its own deliveries, and in the stream. */
interface NatsSequences {
  readonly consumer_seq: number;
  readonly stream_seq: number;
  /** In the form of ISO 8601; left out where nothing has happened yet. */
  readonly last_active?: string;
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
const EXPIRES_MIN_MS = 1_000;
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
 * - `jetstreamManager()`: `consumers` with `add`, `update`, `info`, `list` and `delete`; not modelled,
 *   and refused by name: `pause`, `resume`, `unpin`.
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
    options: PublishOptions = {},
  ): Promise<PubAck> {
    const data = typeof payload === "string" ? bytesFrom(payload) : payload;
    try {
      return await this.#request("broker.produce", () =>
        this.#parts.server.publish(subject, data, options.msgID, headersFrom(options)),
      );
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "NoResponders") throw error;
      const cause = new RequestError(error.message, { cause: error });
      throw new JetStreamNotEnabled("jetstream is not enabled", { cause });
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
        update: async (stream, name, config) => {
          const before = await info(stream, name);
          const settings = settingsFrom({ ...before.config, ...config, durable_name: name });
          await this.#request("broker.session", () => server.updateConsumer(stream, settings));
          return info(stream, name);
        },
        delete: (stream, name) =>
          this.#request("broker.session", () => server.deleteConsumer(stream, name)),
        list: (stream) => this.#consumersOf(stream),
        pause: () => notModelled("pause"),
        resume: () => notModelled("resume"),
        unpin: () => notModelled("unpin"),
      },
    };
  }

  async *#consumersOf(stream: string): AsyncGenerator<NatsConsumerInfo, void, void> {
    const { server } = this.#parts;
    yield* await this.#request("broker.session", () =>
      server.consumersOf(stream).map((name) => infoFrom(server, stream, name)),
    );
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
      consume: (options = {}) => {
        const { callback, abort_on_missing_resource: abortsOnMissing } = options;
        const plan = { ...limitsFrom(options), mode: "always", callback, abortsOnMissing } as const;
        return Promise.resolve(new NatsMessages(source, plan));
      },
      fetch: async (options = {}) =>
        new NatsMessages(source, { ...limitsFrom(options), mode: "once" }),
      next: async ({ expires } = {}) => {
        const plan = { ...limitsFrom({ max_messages: 1, expires }), mode: "once" } as const;
        for await (const message of new NatsMessages(source, plan)) return message;
        return null;
      },
      delete: () => this.#request("broker.session", () => server.deleteConsumer(stream, name)),
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
  delete(): Promise<boolean>;
}

/** The `consumers` of a `JetStreamManager`. */
export interface NatsConsumerAdmin {
  add(stream: string, config: NatsConsumerConfig): Promise<NatsConsumerInfo>;
  info(stream: string, consumer: string): Promise<NatsConsumerInfo>;
  update(
    stream: string,
    consumer: string,
    config: Partial<NatsConsumerConfig>,
  ): Promise<NatsConsumerInfo>;
  delete(stream: string, consumer: string): Promise<boolean>;
  list(stream: string): AsyncIterable<NatsConsumerInfo>;
  /** Not modelled, as the two that follow. */
  pause(): never;
  resume(): never;
  unpin(): never;
}

function notModelled(name: string): never {
  throw new NotModelled(`JetStreamManager.consumers.${name}()`, "brokers.nats");
}

function headersFrom({ headers }: PublishOptions): readonly (readonly [string, string])[] {
  const names = headers?.keys() ?? [];
  return names.flatMap(
    (name) => headers?.values(name).map((value) => [name, value] as const) ?? [],
  );
}

/**
 * Completes the limits of a pull as the library does.
 *
 * @throws {InvalidArgumentError} when the time is under a second
 */
function limitsFrom({ max_messages, expires }: PullOptions): {
  readonly messagesMax: number;
  readonly expiresMs: number;
} {
  const expiresMs = expires === undefined || expires === 0 ? EXPIRES_MS : expires;
  if (expiresMs < EXPIRES_MIN_MS) {
    throw new InvalidArgumentError("'expires' must be at least 1000ms");
  }
  const messagesMax =
    max_messages === undefined || max_messages === 0 ? MESSAGES_MAX : max_messages;
  return { messagesMax, expiresMs };
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

function sequencesFrom({ consumer, stream, activeAt }: Reached): NatsSequences {
  const sequences = { consumer_seq: consumer, stream_seq: stream };
  if (activeAt === undefined) return sequences;
  return { ...sequences, last_active: storedDate(EPOCH_MS + activeAt).toISOString() };
}

function infoFrom(server: NatsServer, stream: string, name: string): NatsConsumerInfo {
  const facts = server.infoOf(stream, name);
  const { ackPolicy, ackWaitMs, maxDeliver, maxAckPending } = facts.settings;
  const { delivered, ackFloor } = facts;
  const waits =
    ackPolicy === "none"
      ? {}
      : { ack_wait: ackWaitMs * NANOS_PER_MS, max_ack_pending: maxAckPending };
  return {
    stream_name: stream,
    name,
    created: storedDate(EPOCH_MS + facts.createdAt).toISOString(),
    delivered: sequencesFrom(delivered),
    ack_floor: sequencesFrom(ackFloor),
    num_ack_pending: facts.ackPending,
    num_redelivered: facts.redelivered,
    num_waiting: 0,
    num_pending: facts.unread,
    config: { durable_name: name, ack_policy: ackPolicy, max_deliver: maxDeliver, ...waits },
  };
}
