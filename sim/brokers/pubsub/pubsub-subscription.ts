import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import type { LeasedDelivery } from "../lease.ts";
import { adoptClientClass } from "../library-clients.ts";
import { callAsLibrary, type LibraryRetries } from "../library-call.ts";
import { assertModelled, NotModelled, type Refusing, refusing } from "../not-modelled.ts";
import {
  type PubSubAckResponse,
  pubsubErrorFrom,
  PubSubStreamEnd,
  streamStatus,
} from "./pubsub-error.ts";
import { iamOf, type PubSubIam } from "./pubsub-iam.ts";
import { PubSubLeases } from "./pubsub-leases.ts";
import { type MessageKeeper, PubSubMessage } from "./pubsub-message.ts";
import {
  PubSubNamedSubscription,
  type PubSubSubscriptionOptions,
  type SubscriptionNames,
} from "./pubsub-named-subscription.ts";
import type { PubSubQueue } from "./pubsub-queue.ts";
import type { PubSubServer } from "./pubsub-server.ts";

type RefusedCall = "createSnapshot" | "modifyPushConfig" | "request" | "seek" | "snapshot";

const SEE = "brokers.pubsub";
const OPTIONS = ["minAckDeadline", "maxExtensionTime", "flowControl", "closeOptions"];
const DEADLINE_MS = 10_000;
const EXACTLY_ONCE_DEADLINE_MS = 60_000;
const EXTENSION_MS_MAX = 3_600_000;
/** So long before its timeout `close` stops waiting for messages, to give back what is left. */
const FINAL_NACK_MS = 1_000;
const MESSAGES_MAX = 1_000;
const PULL_MAX = 100;
const KEEP_ALIVE_MS = 30_000;
const RECONNECT_MS = 1_000;
/**
 * The library goes on for ten minutes while the service is out of reach.
 *
 * Source: @google-cloud/pubsub, v1/subscriber_client_config.json, `total_timeout_millis`
 */
const RETRIES: LibraryRetries = { attemptsMax: 13, firstDelayMs: 100 };

/**
 * A `Subscription` of `@google-cloud/pubsub`: a streaming pull with flow control, which begins with
 * the first listener for messages; the library extends the deadlines of the messages.
 *
 * Holds: the stream reconnects after a failure; `close` nacks the leased messages by default, and
 * resolves when all requests of this subscription have ended; where leases are never extended it
 * only stops, as the library does. An error of a listener for messages is an event `debug`. What
 * else the library publishes is refused by name.
 */
export class PubSubSubscription
  extends PubSubNamedSubscription
  implements MessageKeeper, Readonly<Record<RefusedCall, Refusing>>
{
  static {
    Object.defineProperty(this, "name", { value: "Subscription" });
  }

  readonly iam: PubSubIam = iamOf("subscription");
  readonly createSnapshot: Refusing = refusing("subscription.createSnapshot()", SEE);
  readonly modifyPushConfig: Refusing = refusing("subscription.modifyPushConfig()", SEE);
  readonly request: Refusing = refusing("subscription.request()", SEE);
  readonly seek: Refusing = refusing("subscription.seek()", SEE);
  readonly snapshot: Refusing = refusing("subscription.snapshot()", SEE);
  readonly #shortName: string;
  readonly #port: ClientPort;
  readonly #host: string;
  readonly #consumer: string;
  #options: PubSubSubscriptionOptions;
  readonly #leases: PubSubLeases;
  readonly #deadlineMs: number;
  readonly #extensionMsMax: number;
  readonly #pending = new Set<Promise<unknown>>();
  #freed: (() => void) | undefined;
  #closing: AbortController | undefined;

  constructor(
    port: ClientPort,
    server: PubSubServer,
    names: SubscriptionNames,
    options: PubSubSubscriptionOptions,
  ) {
    super(names, server, {
      added: (event) => {
        if (event === "message") this.open();
      },
      removed: () => {
        if (this.isOpen && this.listenerCount("message") === 0) void this.close();
      },
    });
    assertSupported(options);
    this.#shortName = names.name;
    this.#port = port;
    this.#host = names.host;
    this.#consumer = names.consumer;
    this.#options = options;
    const isExactlyOnce =
      server.hasSubscription(this.name) && server.queue(this.name).delivers.isExactlyOnce;
    const floorMs = isExactlyOnce ? EXACTLY_ONCE_DEADLINE_MS : DEADLINE_MS;
    const deadlineMs = Math.max(
      DEADLINE_MS,
      options.minAckDeadline?.totalOf("millisecond") ?? floorMs,
    );
    // As in the library: what counts as false is the default.
    const extension = options.maxExtensionTime || undefined;
    const extensionMsMax = extension?.totalOf("millisecond") ?? EXTENSION_MS_MAX;
    this.#deadlineMs = deadlineMs;
    this.#extensionMsMax = extensionMsMax;
    this.#leases = new PubSubLeases(port, { deadlineMs, extensionMsMax }, (handles, seconds) => {
      this.modAck(handles, seconds).catch(() => undefined);
    });
    adoptClientClass(this, "@google-cloud/pubsub", "Subscription");
  }

  get isOpen(): boolean {
    return this.#closing !== undefined && !this.#closing.signal.aborted;
  }

  /** The wall time at which the world begins, in milliseconds since the Unix epoch. */
  get epochMs(): number {
    return this.server.epochMs;
  }

  get projectId(): string {
    return this.pubsub.projectId;
  }

  override on(event: "message", listener: (message: PubSubMessage) => void): this;
  override on(event: "error", listener: (error: Error) => void): this;
  override on(event: "close", listener: () => void): this;
  override on(event: string, listener: (value: never) => void): this;
  override on(event: string, listener: (value: never) => void): this {
    return super.on(event, listener);
  }

  open(): void {
    if (this.isOpen) return;
    const closing = new AbortController();
    this.#closing = closing;
    void this.#tracked(this.#pullForever(closing.signal));
  }

  /** Calls `done`, if there is one, when it is closed. */
  async close(done?: (error?: Error) => void): Promise<void> {
    await this.#close();
    done?.();
  }

  async #close(): Promise<void> {
    const closing = this.#closing;
    if (closing === undefined || closing.signal.aborted) return;
    closing.abort();
    // The library hears of the end of its stream a moment later, and closes whatever is open then.
    this.#port.after(0, () => void this.#close());
    const { behavior = "NACK", timeout } = this.#options.closeOptions ?? {};
    const askedMs = timeout?.totalOf("millisecond") ?? this.#extensionMsMax;
    const timeoutMs = Math.min(askedMs, this.#extensionMsMax);
    if (timeoutMs === 0) {
      this.#leases.clear();
      return;
    }
    if (behavior === "WAIT") await this.#emptied(timeoutMs - FINAL_NACK_MS);
    for (const message of this.#leases.clear()) message.nack();
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    this.emit("close");
  }

  /** In place of those that it was made with; flow control stays unless it is among them. */
  setOptions(options: PubSubSubscriptionOptions): void {
    assertModelled("subscription.setOptions()", options, ["flowControl", "closeOptions"], SEE);
    assertSupported(options);
    this.#options = { flowControl: this.#options.flowControl ?? {}, ...options };
    this.#freed?.();
  }

  async settle(message: PubSubMessage, act: "ack" | "nack"): Promise<PubSubAckResponse> {
    const settle = (): PubSubAckResponse =>
      this.server.queue(this.name).settle(this.#consumer, message.ackId, act);
    try {
      return await this.#call("broker.settle", settle);
    } finally {
      this.#leases.remove(message);
      this.#freed?.();
    }
  }

  modAck(handles: readonly string[], seconds: number): Promise<PubSubAckResponse> {
    return this.#call(seconds === 0 ? "broker.settle" : "broker.session", () =>
      this.server.queue(this.name).modAck(this.#consumer, handles, seconds),
    );
  }

  /** Describes what this subscription has open. */
  openResources(): readonly string[] {
    const what =
      this.#pending.size > 0 || this.isOpen ? [`the subscription ${this.#shortName}`] : [];
    return this.#leases.size > 0 ? [...what, `${this.#leases.size} leased messages`] : what;
  }

  async #pullForever(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const room = (this.#options.flowControl?.maxMessages || MESSAGES_MAX) - this.#leases.size;
      if (room <= 0) {
        await this.#room(signal);
        continue;
      }
      let version = -1;
      let queue: PubSubQueue | undefined;
      const pull = (lies: boolean): readonly LeasedDelivery[] => {
        queue = this.server.consumed(this.name);
        const countMax = Math.min(room, PULL_MAX);
        const limits = { countMax, deadlineMs: this.#deadlineMs };
        const pulled = queue.pull(this.#consumer, limits, lies);
        version = queue.leases.version;
        return pulled;
      };
      const deliveries = await this.#pulled(pull, signal);
      if (signal.aborted) return;
      const messages = (deliveries ?? []).map((delivery) => this.#leased(delivery, queue));
      for (const message of messages) this.#dispatch(message);
      if (deliveries?.length === 0) {
        await queue?.leases.changed(this.#port, version, KEEP_ALIVE_MS, signal);
      }
    }
  }

  /** Returns undefined when the stream broke: the library reconnects a little later. */
  async #pulled(
    effect: (lies: boolean) => readonly LeasedDelivery[],
    signal: AbortSignal,
  ): Promise<readonly LeasedDelivery[] | undefined> {
    try {
      return await this.#port.call("broker.fetch", this.#host, effect);
    } catch (error) {
      if (error instanceof PubSubStreamEnd) this.#failed(streamStatus(error));
      else await this.#pause(RECONNECT_MS, signal);
      return undefined;
    }
  }

  /** What the library does not try again ends the subscription. */
  #failed(error: Error): void {
    if (!this.emit("error", error)) {
      this.#port.after(0, () => {
        throw error;
      });
    }
    void this.#close();
  }

  #leased(delivery: LeasedDelivery, queue: PubSubQueue | undefined): PubSubMessage {
    const { isOrdered } = this.server.options;
    const { isExactlyOnce = false, maxDeliveryAttempts } = queue?.delivers ?? {};
    const message = new PubSubMessage(this, delivery, {
      received: this.#port.clock.wallNow(),
      isOrdered,
      isExactlyOnce,
      countsAttempts: maxDeliveryAttempts !== undefined,
    });
    this.#leases.add(message);
    return message;
  }

  /** What came in one response is leased at once: a close by the first listener gives all back. */
  #dispatch(message: PubSubMessage): void {
    message.dispatched();
    try {
      this.emit("message", message);
    } catch (error) {
      this.emit("debug", { message: "error during user callback", error });
    }
  }

  #call<T>(site: SiteName, effect: () => T): Promise<T> {
    const request = { site, to: this.#host, effect, isRepeatable: true };
    return this.#tracked(
      callAsLibrary(this.#port, request, RETRIES).catch((error: unknown) => {
        throw pubsubErrorFrom(error);
      }),
    );
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const done = (): void => void this.#pending.delete(work);
    work.then(done, done);
    return work;
  }

  /** Resolves when flow control allows more messages, or when `signal` aborts. */
  #room(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#freed = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  async #emptied(timeoutMs: number): Promise<void> {
    const { clock } = this.#port;
    const until = clock.now() + timeoutMs;
    while (this.#leases.size > 0 && clock.now() < until) await this.#pause(100, undefined);
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#port;
    return new Promise((resolve) => {
      const timer = clock.setTimer(ms, done);
      function done(): void {
        clock.clearTimer(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
      signal?.addEventListener("abort", done, { once: true });
    });
  }
}

/** @throws {NotModelled} for an option that the model would have to ignore */
function assertSupported(options: PubSubSubscriptionOptions): void {
  const { flowControl = {}, closeOptions = {} } = options;
  assertModelled("subscription()", options, OPTIONS, SEE);
  const flow = ["maxMessages", "allowExcessMessages"];
  assertModelled("subscription() with flowControl", flowControl, flow, SEE);
  assertModelled("subscription() with closeOptions", closeOptions, ["behavior", "timeout"], SEE);
  for (const name of ["minAckDeadline", "maxExtensionTime"] as const) {
    const given = options[name] as { readonly totalOf?: unknown } | undefined;
    if (!given || typeof given.totalOf === "function") continue;
    throw new NotModelled(`subscription() with a ${name} that is no Duration`, SEE);
  }
  if (flowControl.allowExcessMessages !== true) return;
  throw new NotModelled("subscription() with allowExcessMessages", SEE);
}
