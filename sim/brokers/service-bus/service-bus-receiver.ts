import { LockRenewer } from "./lock-renewer.ts";
import type { ServiceBusLink } from "./service-bus-link.ts";
import { assertModelled, type Refusing, refusing } from "../not-modelled.ts";
import { messageFrom, type ServiceBusLong, type ServiceBusMessage } from "./service-bus-message.ts";
import type { AcceptedSession, ServiceBusSettlement } from "./service-bus-queue.ts";
import {
  type ServiceBusHandlers,
  ServiceBusPump,
  type SubscribeOptions,
} from "./service-bus-pump.ts";

export interface ServiceBusReceiverOptions {
  readonly receiveMode?: "peekLock" | "receiveAndDelete";
  readonly subQueueType?: "deadLetter" | "transferDeadLetter";
  /** How long the library renews a lock, in virtual milliseconds; default 300,000. */
  readonly maxAutoLockRenewalDurationInMs?: number;
  /** What the receiver calls itself where it reports errors. */
  readonly identifier?: string;
}

export interface ServiceBusReceiveOptions {
  /** In virtual milliseconds; default 60,000. */
  readonly maxWaitTimeInMs?: number;
  readonly abortSignal?: ServiceBusAbortSignal;
}

/** The part of an `AbortSignal` that Azure's libraries require. */
export type ServiceBusAbortSignal = Pick<AbortSignal, "aborted"> & {
  addEventListener(type: "abort", listener: () => void): void;
};

export const RENEWAL_MS_MAX = 300_000;
const SEE = "brokers.serviceBus";
const WAIT_MS = 60_000;

/**
 * A receiver of `@azure/service-bus` in peek-lock mode, for a queue or one of its sessions.
 *
 * Holds: the library renews locks until the message is settled, the maximum duration is over or the
 * receiver closes; a closed receiver refuses all calls and has released its session.
 */
export class ServiceBusReceiver {
  readonly entityPath: string;
  readonly identifier: string;
  readonly receiveMode = "peekLock";
  readonly peekMessages: Refusing = refusing("receiver.peekMessages()", SEE);
  readonly getSessionState: Refusing = refusing("receiver.getSessionState()", SEE);
  readonly setSessionState: Refusing = refusing("receiver.setSessionState()", SEE);
  readonly #consumer: string;
  readonly #link: ServiceBusLink;
  readonly #renewer: LockRenewer;
  readonly #session: string | undefined;
  readonly #closing = new AbortController();
  readonly #pumps: ServiceBusPump[] = [];
  readonly #onClosed: () => void;
  #isReceiving = false;
  #sessionLockedUntil = 0;

  constructor(
    link: ServiceBusLink,
    names: { readonly entityPath: string; readonly identifier: string; readonly consumer: string },
    options: {
      readonly renewalMsMax: number;
      readonly session?: AcceptedSession;
      readonly onClosed: () => void;
    },
  ) {
    this.#link = link;
    this.entityPath = names.entityPath;
    this.identifier = names.identifier;
    this.#consumer = names.consumer;
    this.#renewer = new LockRenewer(link.port, options.renewalMsMax);
    this.#onClosed = options.onClosed;
    this.#session = options.session?.id;
    if (options.session !== undefined) {
      const { id, lockedUntil } = options.session;
      this.#sessionLockedUntil = lockedUntil;
      this.#renewer.start(id, lockedUntil, () => this.#renewSession(id));
    }
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  get sessionId(): string {
    return this.#session ?? "";
  }

  get sessionLockedUntilUtc(): Date {
    return this.#link.dateAt(this.#sessionLockedUntil);
  }

  async receiveMessages(
    maxMessageCount: number,
    options: ServiceBusReceiveOptions = {},
  ): Promise<ServiceBusMessage[]> {
    this.#assertOpen();
    assertModelled("receiveMessages()", options, ["maxWaitTimeInMs", "abortSignal"], SEE);
    if (this.#isReceiving) {
      throw new Error(`The receiver for "${this.entityPath}" is already receiving messages.`);
    }
    this.#isReceiving = true;
    try {
      return await this.#receive(maxMessageCount, options);
    } catch (error) {
      // Closing the receiver ends a wait without messages, not with an error.
      if (this.isClosed) return [];
      throw error;
    } finally {
      this.#isReceiving = false;
    }
  }

  async receiveDeferredMessages(
    sequenceNumbers: ServiceBusLong | ServiceBusLong[],
    options: object = {},
  ): Promise<ServiceBusMessage[]> {
    this.#assertOpen();
    assertModelled("receiveDeferredMessages()", options, [], SEE);
    const list = Array.isArray(sequenceNumbers) ? sequenceNumbers : [sequenceNumbers];
    const { queue } = this.#link;
    const deliveries = await this.#link.call("broker.fetch", () =>
      queue.receiveDeferred(
        this.#consumer,
        list.map((number) => number.toNumber()),
        this.#session,
      ),
    );
    return deliveries.map((delivery) => this.#messageFrom(delivery, true));
  }

  subscribe(
    handlers: ServiceBusHandlers,
    options: SubscribeOptions = {},
  ): { close(): Promise<void> } {
    this.#assertOpen();
    assertModelled("subscribe()", options, ["autoCompleteMessages", "maxConcurrentCalls"], SEE);
    const pump = new ServiceBusPump(this, this.#link.port, handlers, options);
    this.#pumps.push(pump);
    pump.start();
    return { close: () => pump.stop() };
  }

  async *getMessageIterator(options: object = {}): AsyncGenerator<ServiceBusMessage> {
    assertModelled("getMessageIterator()", options, [], SEE);
    while (!this.isClosed) yield* await this.receiveMessages(1);
  }

  completeMessage(message: { readonly lockToken?: string }): Promise<void> {
    return this.#settle(message, "complete");
  }

  async abandonMessage(
    message: { readonly lockToken?: string },
    propertiesToModify: object = {},
  ): Promise<void> {
    assertModelled("abandonMessage()", propertiesToModify, [], SEE);
    return this.#settle(message, "abandon");
  }

  async deferMessage(
    message: { readonly lockToken?: string },
    propertiesToModify: object = {},
  ): Promise<void> {
    assertModelled("deferMessage()", propertiesToModify, [], SEE);
    return this.#settle(message, "defer");
  }

  deadLetterMessage(message: { readonly lockToken?: string }, _options?: object): Promise<void> {
    return this.#settle(message, "deadLetter");
  }

  async renewMessageLock(message: {
    readonly lockToken?: string;
    lockedUntilUtc?: Date;
  }): Promise<Date> {
    this.#assertOpen();
    message.lockedUntilUtc = this.#link.dateAt(await this.#renew(message.lockToken ?? ""));
    return message.lockedUntilUtc;
  }

  async renewSessionLock(options: object = {}): Promise<Date> {
    this.#assertOpen();
    assertModelled("renewSessionLock()", options, [], SEE);
    return this.#link.dateAt(await this.#renewSession(this.sessionId));
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.#closing.abort();
    this.#renewer.stopAll();
    await Promise.all(this.#pumps.map((pump) => pump.stop()));
    const session = this.#session;
    if (session !== undefined) {
      const { queue } = this.#link;
      await this.#link
        .call("broker.session", () => queue.releaseSession(this.#consumer, session))
        // The receiver closes anyway: the lock ends by itself.
        .catch(() => undefined);
    }
    this.#onClosed();
  }

  async #receive(
    countMax: number,
    { maxWaitTimeInMs = WAIT_MS, abortSignal }: ServiceBusReceiveOptions,
  ): Promise<ServiceBusMessage[]> {
    const { queue } = this.#link;
    const ending = new AbortController();
    const end = (): void => ending.abort();
    this.#closing.signal.addEventListener("abort", end, { once: true });
    abortSignal?.addEventListener("abort", end);
    if (abortSignal?.aborted === true) end();
    const look = () => {
      const deliveries = queue.receive(this.#consumer, countMax, this.#session);
      return deliveries.length === 0 ? undefined : deliveries;
    };
    try {
      const deliveries = await this.#link.waitFor(
        "broker.fetch",
        look,
        maxWaitTimeInMs,
        ending.signal,
      );
      return (deliveries ?? []).map((delivery) => this.#messageFrom(delivery, false));
    } finally {
      this.#closing.signal.removeEventListener("abort", end);
    }
  }

  #messageFrom(
    delivery: Parameters<typeof messageFrom>[0],
    isDeferred: boolean,
  ): ServiceBusMessage {
    const isSession = this.#session !== undefined;
    const dateAt = (worldMs: number): Date => this.#link.dateAt(worldMs);
    const message = messageFrom(delivery, { isSession, isDeferred, dateAt });
    if (!isSession) {
      this.#renewer.start(message.lockToken, delivery.leasedUntil, async () => {
        const until = await this.#renew(message.lockToken);
        message.lockedUntilUtc = dateAt(until);
        return until;
      });
    }
    return message;
  }

  #renew(lockToken: string): Promise<number> {
    const { queue } = this.#link;
    const renew = (): number => queue.renew(this.#consumer, lockToken);
    return this.#link.call("broker.session", renew, this.#closing.signal);
  }

  async #renewSession(session: string): Promise<number> {
    const { queue } = this.#link;
    const renew = (): number => queue.renewSession(this.#consumer, session);
    this.#sessionLockedUntil = await this.#link.call("broker.session", renew, this.#closing.signal);
    return this.#sessionLockedUntil;
  }

  async #settle(
    { lockToken = "" }: { readonly lockToken?: string },
    how: ServiceBusSettlement,
  ): Promise<void> {
    this.#assertOpen();
    this.#renewer.stop(lockToken);
    const { queue } = this.#link;
    await this.#link.call("broker.settle", () => queue.settle(this.#consumer, lockToken, how));
  }

  #assertOpen(): void {
    if (!this.isClosed) return;
    const what =
      this.#session === undefined
        ? `The receiver for "${this.entityPath}"`
        : `The receiver for session "${this.#session}" in "${this.entityPath}"`;
    throw new Error(`${what} has been closed and can no longer be used.`);
  }
}
