import { NAMESPACE } from "./service-bus-pump.ts";
import { ServiceBusError } from "./service-bus-error.ts";
import type { ServiceBusLink } from "./service-bus-link.ts";
import { assertModelled, type Refusing, refusing } from "../not-modelled.ts";
import { ServiceBusSender } from "./service-bus-sender.ts";
import type { AcceptedSession } from "./service-bus-queue.ts";
import {
  RENEWAL_MS_MAX,
  type ServiceBusAbortSignal,
  ServiceBusReceiver,
  type ServiceBusReceiverOptions,
} from "./service-bus-receiver.ts";

interface ServiceBusSessionOptions extends ServiceBusReceiverOptions {
  readonly abortSignal?: ServiceBusAbortSignal;
}

const SEE = "brokers.serviceBus";
const OPTIONS = ["receiveMode", "maxAutoLockRenewalDurationInMs", "identifier"];
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
 * What else the library publishes is refused by name, as are options that would be ignored.
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
  /** @internal */
  readonly fullyQualifiedNamespace: string = NAMESPACE;
  /** @internal */
  readonly identifier: string;
  /** @internal */
  readonly createRuleManager: Refusing = refusing("ServiceBusClient.createRuleManager()", SEE);
  readonly #link: ServiceBusLink;
  readonly #receivers = new Set<ServiceBusReceiver>();
  #made = 0;
  #accepting = 0;
  readonly #closing = new AbortController();

  /** @internal */
  constructor(link: ServiceBusLink) {
    this.#link = link;
    this.identifier = link.consumer;
  }

  /**
   * Creates a receiver of the queue.
   *
   * @throws {TypeError} when the queue requires sessions, or for another mode than peek-lock
   *
   * @internal
   */
  createReceiver(queueName: string, ...given: readonly SourceArgument[]): ServiceBusReceiver {
    const { path, options } = sourceFrom("createReceiver()", queueName, given);
    if (this.#link.queue.options.requiresSession) {
      throw new TypeError(`Cannot receive from "${path}" without a session: it requires one`);
    }
    return this.#receiver(path, options);
  }

  /**
   * Resolves with a receiver of this session.
   *
   * @throws {ServiceBusError} `SessionCannotBeLocked` when another receiver has locked it
   *
   * @internal
   */
  async acceptSession(
    queueName: string,
    ...given: readonly SourceArgument[]
  ): Promise<ServiceBusReceiver> {
    const words = given.filter((one) => typeof one === "string");
    const rest = [...words.slice(0, -1), ...given.filter((one) => typeof one === "object")];
    return this.#accept(sourceFrom("acceptSession()", queueName, rest), words.at(-1));
  }

  /**
   * Resolves with a receiver of a session that has messages.
   *
   * @throws {ServiceBusError} `ServiceTimeout` when no session has messages within a minute
   *
   * @internal
   */
  async acceptNextSession(
    queueName: string,
    ...given: readonly SourceArgument[]
  ): Promise<ServiceBusReceiver> {
    return this.#accept(sourceFrom("acceptNextSession()", queueName, given), undefined);
  }

  /**
   * Creates a sender of dead letters.
   *
   * @internal
   */
  createSender(
    queueOrTopicName: string,
    options: { readonly identifier?: string } = {},
  ): ServiceBusSender {
    assertModelled("createSender()", options, ["identifier"], SEE);
    return new ServiceBusSender(this.#link, queueOrTopicName, options.identifier);
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
    { path, options }: Source,
    wanted: string | undefined,
  ): Promise<ServiceBusReceiver> {
    const { queue } = this.#link;
    const consumer = this.#consumer();
    const ending = new AbortController();
    const end = (): void => ending.abort();
    options.abortSignal?.addEventListener("abort", end);
    this.#closing.signal.addEventListener("abort", end, { once: true });
    if (options.abortSignal?.aborted === true) end();
    this.#accepting += 1;
    try {
      const session = await this.#link.waitFor(
        "broker.session",
        () => queue.acceptSession(consumer, wanted),
        SESSION_WAIT_MS,
        ending.signal,
      );
      if (session !== undefined) return this.#receiver(path, options, session, consumer);
      throw new ServiceBusError("No session has messages", "ServiceTimeout");
    } finally {
      this.#accepting -= 1;
      this.#closing.signal.removeEventListener("abort", end);
    }
  }

  #consumer(): string {
    this.#made += 1;
    return `${this.#link.consumer}.${this.#made}`;
  }

  #receiver(
    entityPath: string,
    options: ServiceBusReceiverOptions,
    session?: AcceptedSession,
    consumer: string = this.#consumer(),
  ): ServiceBusReceiver {
    const { maxAutoLockRenewalDurationInMs: renewalMsMax = RENEWAL_MS_MAX } = options;
    const { identifier = consumer } = options;
    const receiver: ServiceBusReceiver = new ServiceBusReceiver(
      this.#link,
      { entityPath, identifier, consumer },
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

/** The name of a subscription if the first argument is a topic, the id of a session, options. */
type SourceArgument = string | ServiceBusSessionOptions | undefined;

/** Where messages come from, and how they are received. */
interface Source {
  readonly path: string;
  readonly options: ServiceBusSessionOptions;
}

/**
 * Reads the arguments of the forms with a queue and with a subscription of a topic; both mean the
 * queue of the model.
 *
 * @throws {TypeError} for another mode than peek-lock
 * @throws {NotModelled} for an option that the model would have to ignore
 */
function sourceFrom(call: string, queueOrTopic: string, given: readonly SourceArgument[]): Source {
  const subscription = given.find((one) => typeof one === "string");
  const options = given.find((one) => typeof one === "object") ?? {};
  const { receiveMode, subQueueType, ...others } = options;
  if (receiveMode === "receiveAndDelete" || subQueueType !== undefined) {
    throw new TypeError(
      "Cannot create a receiver: the model supports peek-lock mode on the main queue only",
    );
  }
  const isSession = call !== "createReceiver()";
  assertModelled(call, others, isSession ? [...OPTIONS, "abortSignal"] : OPTIONS, SEE);
  if (subscription === undefined) return { path: queueOrTopic, options };
  return { path: `${queueOrTopic}/Subscriptions/${subscription}`, options };
}
