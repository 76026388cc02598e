import { ServiceBusError } from "./service-bus-error.ts";
import type { ServiceBusLink } from "./service-bus-link.ts";
import type { AcceptedSession } from "./service-bus-queue.ts";
import {
  RENEWAL_MS_MAX,
  type ServiceBusAbortSignal,
  ServiceBusReceiver,
  type ServiceBusReceiverOptions,
} from "./service-bus-receiver.ts";

/** A message for `sendMessages`. */
export interface ServiceBusOutgoing {
  readonly body: unknown;
  readonly messageId?: unknown;
  readonly sessionId?: string;
  readonly subject?: string;
  readonly applicationProperties?: object;
}

export interface ServiceBusSender {
  readonly entityPath: string;
  sendMessages(messages: ServiceBusOutgoing | ServiceBusOutgoing[]): Promise<void>;
  close(): Promise<void>;
}

export interface ServiceBusSessionOptions extends ServiceBusReceiverOptions {
  readonly abortSignal?: ServiceBusAbortSignal;
}

/** How long `acceptNextSession` waits for a session with messages. */
const SESSION_WAIT_MS = 60_000;

/**
 * The client of a Service Bus queue, with the interface of `ServiceBusClient` of
 * `@azure/service-bus`.
 *
 * - Receivers: `receiveMessages`, `receiveDeferredMessages`, `subscribe`, `completeMessage`,
 *   `abandonMessage`, `deferMessage`, `deadLetterMessage`, `renewMessageLock`, `renewSessionLock`,
 *   `close`.
 * - Senders: `sendMessages`, `close`.
 *
 * All its receivers read the one queue of the model in peek-lock mode; all its senders send to
 * other queues, as dead letters. Types, defaults and errors are those of `@azure/service-bus` 7.
 *
 * @example A producer gets it from `checkProducer`
 * ```ts
 * import type { ServiceBusClient } from "faultlane/check";
 *
 * function receive(client: ServiceBusClient) {
 *   return client.createReceiver("orders").receiveMessages(10, { maxWaitTimeInMs: 5_000 });
 * }
 * console.log(receive.length); // => 1
 * ```
 */
export class ServiceBusClient {
  readonly #link: ServiceBusLink;
  readonly #receivers = new Set<ServiceBusReceiver>();
  #made = 0;
  #accepting = 0;
  readonly #closing = new AbortController();

  /** @internal */
  constructor(link: ServiceBusLink) {
    this.#link = link;
  }

  /**
   * Creates a receiver of the queue.
   *
   * @throws {TypeError} when the queue requires sessions, or for another mode than peek-lock
   *
   * @internal
   */
  createReceiver(queueName: string, options: ServiceBusReceiverOptions = {}): ServiceBusReceiver {
    assertModelled(options);
    if (this.#link.queue.options.requiresSession) {
      throw new TypeError(`Cannot receive from "${queueName}" without a session: it requires one`);
    }
    return this.#receiver(queueName, options);
  }

  /**
   * Resolves with a receiver of this session.
   *
   * @throws {ServiceBusError} `SessionCannotBeLocked` when another receiver has locked it
   *
   * @internal
   */
  acceptSession(
    queueName: string,
    sessionId: string,
    options: ServiceBusSessionOptions = {},
  ): Promise<ServiceBusReceiver> {
    return this.#accept(queueName, sessionId, options);
  }

  /**
   * Resolves with a receiver of a session that has messages.
   *
   * @throws {ServiceBusError} `ServiceTimeout` when no session has messages within a minute
   *
   * @internal
   */
  acceptNextSession(
    queueName: string,
    options: ServiceBusSessionOptions = {},
  ): Promise<ServiceBusReceiver> {
    return this.#accept(queueName, undefined, options);
  }

  /**
   * Creates a sender of dead letters.
   *
   * @internal
   */
  createSender(queueOrTopicName: string): ServiceBusSender {
    return {
      entityPath: queueOrTopicName,
      sendMessages: async (messages) => {
        const list = Array.isArray(messages) ? messages : [messages];
        await this.#link.call("broker.produce", () => {
          for (const message of list) this.#link.queue.leases.deadLettered(JSON.stringify(message));
        });
      },
      close: () => Promise.resolve(),
    };
  }

  /** Closes all receivers. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#receivers].map((receiver) => receiver.close()));
  }

  /** Describes what this client has open. */
  openResources(): readonly string[] {
    const open = [...this.#receivers].map(({ sessionId, entityPath }) =>
      sessionId === "" ? `a receiver of ${entityPath}` : `the session ${sessionId}`,
    );
    return this.#accepting > 0 ? [...open, "a call that waits for a session"] : open;
  }

  async #accept(
    queueName: string,
    wanted: string | undefined,
    options: ServiceBusSessionOptions,
  ): Promise<ServiceBusReceiver> {
    assertModelled(options);
    const { queue } = this.#link;
    const identifier = this.#identifier();
    const ending = new AbortController();
    const end = (): void => ending.abort();
    options.abortSignal?.addEventListener("abort", end);
    this.#closing.signal.addEventListener("abort", end, { once: true });
    if (options.abortSignal?.aborted === true) end();
    this.#accepting += 1;
    try {
      const session = await this.#link.waitFor(
        "broker.session",
        () => queue.acceptSession(identifier, wanted),
        SESSION_WAIT_MS,
        ending.signal,
      );
      if (session !== undefined) return this.#receiver(queueName, options, session, identifier);
      throw new ServiceBusError("No session has messages", "ServiceTimeout");
    } finally {
      this.#accepting -= 1;
      this.#closing.signal.removeEventListener("abort", end);
    }
  }

  #identifier(): string {
    this.#made += 1;
    return `${this.#link.consumer}.${this.#made}`;
  }

  #receiver(
    entityPath: string,
    { maxAutoLockRenewalDurationInMs: renewalMsMax = RENEWAL_MS_MAX }: ServiceBusReceiverOptions,
    session?: AcceptedSession,
    identifier: string = this.#identifier(),
  ): ServiceBusReceiver {
    const receiver: ServiceBusReceiver = new ServiceBusReceiver(
      this.#link,
      { entityPath, identifier },
      {
        renewalMsMax,
        ...(session === undefined ? {} : { session }),
        onClosed: () => void this.#receivers.delete(receiver),
      },
    );
    this.#receivers.add(receiver);
    return receiver;
  }
}

function assertModelled({ receiveMode, subQueueType }: ServiceBusReceiverOptions): void {
  if (receiveMode === "receiveAndDelete" || subQueueType !== undefined) {
    throw new TypeError(
      "Cannot create a receiver: the model supports peek-lock mode on the main queue only",
    );
  }
}
