import type { ClientPort } from "../broker.ts";
import type { ServiceBusMessage } from "./service-bus-message.ts";

export interface ServiceBusHandlers {
  processMessage(message: ServiceBusMessage): Promise<void>;
  processError(args: {
    readonly error: Error;
    readonly errorSource:
      | "abandon"
      | "complete"
      | "processMessageCallback"
      | "receive"
      | "renewLock";
    readonly entityPath: string;
    readonly fullyQualifiedNamespace: string;
    readonly identifier: string;
  }): Promise<void>;
}

export interface SubscribeOptions {
  /** Whether a message is completed when its handler returns; default true. */
  readonly autoCompleteMessages?: boolean;
  /** Default 1. */
  readonly maxConcurrentCalls?: number;
}

/** What the pump needs from its receiver. */
export interface PumpedReceiver {
  readonly entityPath: string;
  readonly identifier: string;
  readonly isClosed: boolean;
  receiveMessages(
    countMax: number,
    options: { readonly abortSignal: AbortSignal },
  ): Promise<ServiceBusMessage[]>;
  completeMessage(message: ServiceBusMessage): Promise<void>;
  abandonMessage(message: ServiceBusMessage): Promise<void>;
}

type ErrorSource = Parameters<ServiceBusHandlers["processError"]>[0]["errorSource"];

const RECEIVE_RETRY_MS = 1_000;
/** The host name of the model's namespace. */
export const NAMESPACE = "simulated.servicebus.windows.net";

/** The loop behind `subscribe`: receives messages while a handler call is free, and calls it. */
export class ServiceBusPump {
  readonly #receiver: PumpedReceiver;
  readonly #port: ClientPort;
  readonly #handlers: ServiceBusHandlers;
  readonly #completes: boolean;
  readonly #callsMax: number;
  readonly #stopping = new AbortController();
  readonly #calls = new Set<Promise<void>>();
  #loop: Promise<void> = Promise.resolve();

  constructor(
    receiver: PumpedReceiver,
    port: ClientPort,
    handlers: ServiceBusHandlers,
    { autoCompleteMessages = true, maxConcurrentCalls = 1 }: SubscribeOptions,
  ) {
    this.#receiver = receiver;
    this.#port = port;
    this.#handlers = handlers;
    this.#completes = autoCompleteMessages;
    this.#callsMax = maxConcurrentCalls;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Stops receiving; running handlers are not interrupted. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && !this.#receiver.isClosed) {
      const free = this.#callsMax - this.#calls.size;
      if (free === 0) {
        await Promise.race([...this.#calls, aborted(signal)]);
        continue;
      }
      try {
        const messages = await this.#receiver.receiveMessages(free, { abortSignal: signal });
        for (const message of messages) this.#hand(message);
      } catch (error) {
        if (signal.aborted) return;
        await this.#report(error, "receive");
        const { clock } = this.#port;
        await new Promise<void>((resolve) => void clock.setTimer(RECEIVE_RETRY_MS, resolve));
      }
    }
  }

  #hand(message: ServiceBusMessage): void {
    const call = this.#handled(message).finally(() => this.#calls.delete(call));
    this.#calls.add(call);
  }

  async #handled(message: ServiceBusMessage): Promise<void> {
    try {
      await this.#handlers.processMessage(message);
    } catch (error) {
      await this.#report(error, "processMessageCallback");
      await this.#tried(() => this.#receiver.abandonMessage(message), "abandon");
      return;
    }
    if (this.#completes)
      await this.#tried(() => this.#receiver.completeMessage(message), "complete");
  }

  async #tried(settle: () => Promise<void>, source: ErrorSource): Promise<void> {
    try {
      await settle();
    } catch (error) {
      await this.#report(error, source);
    }
  }

  async #report(thrown: unknown, errorSource: ErrorSource): Promise<void> {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { entityPath, identifier } = this.#receiver;
    const fullyQualifiedNamespace = NAMESPACE;
    try {
      await this.#handlers.processError({
        error,
        errorSource,
        entityPath,
        fullyQualifiedNamespace,
        identifier,
      });
    } catch {
      // The library ignores what an error handler throws.
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
