import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary, isTransportError, untilAborted } from "../library-call.ts";
import {
  assertModelled,
  NotModelled,
  type Refusing,
  refusing,
  refusingAll,
} from "../not-modelled.ts";
import { infoFrom, type NatsConsumerInfo } from "./consumer-info.ts";
import { InvalidArgumentError, TimeoutError } from "./errors.ts";
import { managerOf, type NatsManager } from "./manager.ts";
import { assertName } from "./names.ts";
import { headersFrom, outgoingFrom, publishing, type PublishOptions } from "./publishing.ts";
import { apiSubject, namesIn } from "./requests.ts";
import { type NatsStream, streamOf } from "./streams.ts";
import { NatsMessage } from "./message.ts";
import { NatsMessages } from "./messages.ts";
import type { NatsServer } from "./server.ts";
import type { Puller } from "./consumer-state.ts";

export interface NatsParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: NatsServer;
  readonly subscriptions: Set<NatsMessages>;
}

interface PullOptions {
  readonly max_messages?: number | undefined;
  readonly expires?: number | undefined;
  /** Refused by name. */
  readonly max_bytes?: number | undefined;
  /** At most half of `expires`. */
  readonly idle_heartbeat?: number | undefined;
  /** Changes nothing here: who pulls asks for no information of the consumer. */
  readonly bind?: boolean | undefined;
}

interface ConsumeOptions extends PullOptions {
  readonly abort_on_missing_resource?: boolean | undefined;
  readonly callback?: ((message: NatsMessage) => void | Promise<never>) | undefined;
  /** More is asked for once no more than so many have yet to come; default: three quarters. */
  readonly threshold_messages?: number | undefined;
}

/** An acknowledgement that was sent. */
interface Frame {
  /** Returns whether there is a consumer that takes it. */
  readonly effect: () => boolean;
  state: "flying" | "landed" | "lost";
  isTaken: boolean;
}

interface PubAck {
  readonly stream: string;
  readonly seq: number;
  readonly duplicate: boolean;
}

const MESSAGES_MAX = 100;
/** Source: @nats-io/jetstream, PullConsumerMessagesImpl, parseOptions */
const REFILL_RATIO = 0.75;
const ONCE = { mode: "once", threshold: 0 } as const;
const EXPIRES_MS = 30_000;
const EXPIRES_MIN_MS = 1_000;
const HEARTBEAT_MS = { min: 500, max: 30_000 };
const SEE = "brokers.nats";
const READING = [
  "max_messages",
  "expires",
  "idle_heartbeat",
  "bind",
  "abort_on_missing_resource",
  "callback",
  "threshold_messages",
];
const OPTIONS = { next: ["expires", "bind"], fetch: READING, consume: READING };
/** The library's defaults. Source: @nats-io/jetstream, jsbaseclient_api */
const CLIENT_OPTIONS = { apiPrefix: "$JS.API", timeout: 5_000, watcherPrefix: undefined };
type NotModelledConsumer = "getPushConsumer" | "getBoundPushConsumer" | "getOrderedPushConsumer";

const NOT_MODELLED: readonly NotModelledConsumer[] = [
  ...(["getPushConsumer", "getBoundPushConsumer", "getOrderedPushConsumer"] as const),
];

/**
 * The client of a NATS server, with the interface of `JetStreamClient` of `@nats-io/jetstream`.
 *
 * - `consumers.get()`: `consume`, `fetch`, `next`, `info`; their messages have `ack`, `nak`,
 *   `term`, `working` and `ackAck`.
 * - `publish()`: stores a message. Other subjects than the workload's are for dead letters.
 * - `jetstreamManager()`: `consumers` with `add`, `update`, `info`, `list` and `delete`; `streams`
 *   with `add`, `info`, `get`, `getMessage`, `find`, `list` and `names`.
 *
 * What else the library publishes is refused by name, as are options that would be ignored.
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
  readonly consumers: NatsConsumers;
  /** @internal */
  readonly streams: { get(stream: string): Promise<NatsStream> } = {
    get: (stream) => this.#streamNamed(stream),
  };
  /** @internal */
  readonly startBatch: Refusing = refusing("JetStreamClient.startBatch()", SEE);
  /** @internal */
  readonly apiPrefix: string = CLIENT_OPTIONS.apiPrefix;
  readonly #parts: NatsParts;
  readonly #frames: Frame[] = [];

  /** @internal */
  constructor(parts: NatsParts) {
    this.#parts = parts;
    this.consumers = {
      get: (stream, name) => this.#consumerNamed(stream, name),
      getConsumerFromInfo: (info) => this.#consumer(info),
      ...refusingAll("consumers", NOT_MODELLED, SEE),
    };
  }

  /**
   * Stores a message; resolves when it is durable.
   *
   * @internal
   */
  async publish(
    subject: string,
    payload?: string | Uint8Array,
    options: PublishOptions = {},
  ): Promise<PubAck> {
    const { server, port } = this.#parts;
    const headers = headersFrom(options);
    return await publishing(port, options, () => {
      const { subject: sent, data } = outgoingFrom(subject, payload, options);
      const reply = this.#request("broker.produce", () => server.publish(sent, data, headers));
      return this.#within(options.timeout || undefined, reply);
    });
  }

  /**
   * Resolves with the administration of consumers.
   *
   * @internal
   */
  jetstreamManager(_checkApi?: boolean): Promise<NatsManager<NatsClient>> {
    const { server } = this.#parts;
    const request = <T>(effect: () => T): Promise<T> => this.#request("broker.session", effect);
    return Promise.resolve(managerOf({ client: this, server, request }));
  }

  async #streamNamed(name: string): Promise<NatsStream> {
    const { server } = this.#parts;
    const request = <T>(effect: () => T): Promise<T> => this.#request("broker.session", effect);
    return await streamOf({ client: this, server, request }, name);
  }

  /**
   * The connection, which key-value and object stores take from their client.
   *
   * @internal
   */
  get nc(): never {
    throw new NotModelled("the connection of a JetStreamClient", SEE);
  }

  /** @internal */
  getOptions(): object {
    return { ...CLIENT_OPTIONS };
  }

  async #consumerNamed(stream: string, name?: string | object): Promise<NatsConsumer> {
    assertName("stream", stream);
    if (typeof name !== "string") throw new NotModelled("an ordered consumer", SEE);
    assertName("durable", name);
    const { server } = this.#parts;
    const subject = apiSubject("CONSUMER.INFO", stream, name);
    return this.#consumer(
      await this.#request("broker.session", () => infoFrom(server, ...namesIn(subject))),
    );
  }

  #consumer(info: NatsConsumerInfo): NatsConsumer {
    const { stream_name: stream, name } = info;
    const { server, port, subscriptions } = this.#parts;
    const read = (): Promise<NatsConsumerInfo> =>
      this.#request("broker.session", () => infoFrom(server, stream, name));
    let known = info;
    const who = `${port.name}/${name}`;
    const line = {
      stream,
      consumer: name,
      epochMs: server.epochMs,
      send: (
        delivery: Parameters<NatsServer["acknowledge"]>[2],
        ack: Parameters<NatsServer["acknowledge"]>[4],
        timeoutMs?: number,
      ) =>
        this.#within(
          timeoutMs,
          this.#inOrder(() => {
            server.acknowledge(stream, name, delivery, who, ack);
            return server.takesAcks(stream, name);
          }),
        ),
    };
    const source = {
      port,
      names: { name, stream },
      subscriptions,
      pull: async (count: number, reader: Puller, isAsked: boolean) => {
        const { deliveries, version } = await this.#request("broker.fetch", () => ({
          deliveries: server.pull(stream, name, { who, count, reader, isAsked }),
          version: server.arrivals.version,
        }));
        return { messages: deliveries.map((delivery) => new NatsMessage(line, delivery)), version };
      },
      news: (ms: number, since: number, signal: AbortSignal) =>
        server.arrivals.wait(port, ms, signal, since),
    };
    return {
      isPullConsumer: () => true,
      isPushConsumer: () => false,
      info: async (cached = false) => (cached ? known : (known = await read())),
      // Unlike the others it throws at once what it has against the options.
      consume: (options = {}) => {
        const { callback, abort_on_missing_resource: abortsOnMissing } = options;
        const limits = limitsFrom("consume", options);
        const threshold = numberOr(
          Math.round(limits.messagesMax * REFILL_RATIO) || 1,
          options.threshold_messages,
        );
        const plan = { ...limits, threshold, mode: "always" as const };
        return Promise.resolve(new NatsMessages(source, { ...plan, callback, abortsOnMissing }));
      },
      fetch: async (options = {}) =>
        new NatsMessages(source, {
          ...limitsFrom("fetch", options),
          ...ONCE,
          callback: options.callback,
        }),
      next: async (options = {}) => {
        const limits = { ...limitsFrom("next", options), messagesMax: 1 };
        for await (const message of new NatsMessages(source, { ...limits, ...ONCE })) {
          return message;
        }
        return null;
      },
      delete: () => this.#request("broker.session", () => server.deleteConsumer(stream, name)),
    };
  }

  /**
   * Sends at once; takes effect after all frames that were sent before and were not lost. Resolves
   * with whether somebody took it.
   */
  async #inOrder(effect: () => boolean): Promise<boolean> {
    const frame: Frame = { effect, state: "flying", isTaken: true };
    this.#frames.push(frame);
    try {
      await this.#request("broker.settle", () => this.#end(frame, "landed"));
    } catch (error) {
      if (frame.state === "flying") this.#end(frame, "lost");
      throw error;
    }
    return frame.isTaken;
  }

  #end(frame: Frame, state: "landed" | "lost"): void {
    frame.state = state;
    while (this.#frames.length > 0 && this.#frames[0]?.state !== "flying") {
      const first = this.#frames.shift();
      if (first?.state === "landed") first.isTaken = first.effect();
    }
  }

  /** @throws {TimeoutError} when no reply arrives in time; by default the network decides */
  async #within<T>(timeoutMs: number | undefined, reply: Promise<T>): Promise<T> {
    if (timeoutMs === undefined) return reply;
    const { clock } = this.#parts.port;
    const late = new AbortController();
    const timer = clock.setTimer(timeoutMs, () => late.abort());
    try {
      return await untilAborted(reply, late.signal, () => new TimeoutError(undefined));
    } finally {
      clock.clearTimer(timer);
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

/** The `consumers` of a `JetStreamClient`: pull consumers that exist, by their names. */
interface NatsConsumers extends Readonly<Record<NotModelledConsumer, Refusing>> {
  /** @throws {NotModelled} for an ordered consumer: one without a name */
  get(stream: string, name?: string | object): Promise<NatsConsumer>;
  /** Without a request. */
  getConsumerFromInfo(info: NatsConsumerInfo): NatsConsumer;
}

/** A pull consumer with the interface of `Consumer`. */
export interface NatsConsumer {
  isPullConsumer(): boolean;
  isPushConsumer(): boolean;
  next(options?: Pick<PullOptions, "expires" | "bind">): Promise<NatsMessage | null>;
  /** Of what only `consume` needs, `callback` has an effect: one fetch asks once, and then ends. */
  fetch(options?: ConsumeOptions): Promise<NatsMessages>;
  consume(options?: ConsumeOptions): Promise<NatsMessages>;
  /** `cached`: what was read last, without a request. */
  info(cached?: boolean): Promise<NatsConsumerInfo>;
  delete(): Promise<boolean>;
}

/**
 * Completes the limits of a pull as the library does.
 *
 * @throws {InvalidArgumentError} when the time is under a second
 * @throws {NotModelled} for an option that the model would have to ignore
 */
function limitsFrom(
  call: "consume" | "fetch" | "next",
  options: ConsumeOptions,
): { readonly messagesMax: number; readonly expiresMs: number; readonly heartbeatMs: number } {
  const { max_messages, max_bytes } = options;
  if (max_messages !== undefined && max_messages !== 0 && max_bytes !== undefined) {
    throw new InvalidArgumentError("'max_messages','max_bytes' are mutually exclusive");
  }
  assertModelled(`${call}()`, options, OPTIONS[call], SEE);
  const expiresMs = numberOr(EXPIRES_MS, options.expires);
  if (expiresMs < EXPIRES_MIN_MS) {
    throw new InvalidArgumentError("'expires' must be at least 1000ms");
  }
  const messagesMax = numberOr(MESSAGES_MAX, options.max_messages);
  if (!Number.isInteger(messagesMax) || messagesMax < 0) {
    throw new NotModelled(`${call}() with max_messages that is no number of messages`, SEE);
  }
  if (!(expiresMs >= EXPIRES_MIN_MS)) {
    throw new NotModelled(`${call}() with expires that is no time`, SEE);
  }
  const { min, max } = HEARTBEAT_MS;
  const heartbeatMs = Math.max(
    min,
    Math.min(max, numberOr(Math.ceil(expiresMs / 2), options.idle_heartbeat)),
  );
  if (heartbeatMs > Math.ceil(expiresMs / 2)) {
    throw new NotModelled(`${call}() with an idle_heartbeat of over half of expires`, SEE);
  }
  return { messagesMax, expiresMs, heartbeatMs };
}

/** The library takes 0 and an empty text for nothing, too. */
function numberOr(preset: number, given: number | null | undefined): number {
  return given || preset;
}
