import type { SiteName } from "../../faults/site.ts";
import { CallTimedOut, ConnectionLost, ConnectionRefused } from "../../hosts/call.ts";
import type { World } from "../../kernel/world.ts";
import type { ClientPort } from "../broker.ts";
import { onHostCrash } from "../host-crash.ts";
import { fromNetwork, request, retried } from "./kafka-calls.ts";
import {
  isNamed,
  KafkaJSBrokerNotFound,
  KafkaJSConnectionClosedError,
  KafkaJSConnectionError,
} from "./kafka-errors.ts";
import { KAFKA_PORT, NODE_ID } from "./kafka-topics.ts";

/** Counts how often the broker's process has ended. */
export class BrokerCrashes {
  readonly #listeners = new Set<() => void>();
  #count = 0;
  #closings = 0;

  constructor(world: World, host: string) {
    onHostCrash(world, host, (isHalfOpen) => {
      this.#count += 1;
      if (isHalfOpen) return;
      this.#closings += 1;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  get count(): number {
    return this.#count;
  }

  /** Counts those that have closed all connections: of the others nobody was told. */
  get closings(): number {
    return this.#closings;
  }

  /** Calls `listener` at each closing, until the returned object is disposed. */
  onClosing(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

/** What the broker does with a request, as `ClientPort.call` takes it. */
type RequestEffect<T> = (lies?: boolean, isLateCopy?: boolean) => T;

/** What a member of a group needs of its client's connections. */
export interface MemberLink {
  /** Whether there is a connection, as far as the client knows. */
  readonly isUp: boolean;
  /** Sends one request, and turns a network failure into the library's error. */
  request<T>(site: SiteName, effect: RequestEffect<T>): Promise<T>;
  /** Connects once; in vain, it asks for the cluster's brokers again before it throws. */
  findBroker(): Promise<void>;
  /** Connects to whoever coordinates the group. */
  findCoordinator(): Promise<void>;
  /** Calls `listener` with the error when a connection is closed from the other end. */
  onClosed(listener: (error: Error) => void): Disposable;
}

/** Of a library that connects by itself, behind the backs of its requests. */
export function unseenLink(port: ClientPort, host: string): MemberLink {
  return {
    isUp: true,
    request: (site, effect) => request(port, site, host, effect),
    findBroker: () => Promise.resolve(),
    findCoordinator: () => Promise.resolve(),
    onClosed: () => ({ [Symbol.dispose]: () => undefined }),
  };
}

/**
 * The connections of a consumer, a producer or an admin client to the cluster's only broker.
 *
 * Holds, as in the library: whoever connects together shares the tries, which are those of the
 * client, not of its part; a broker whose connection was closed is forgotten by who reads or sends,
 * until the cluster is asked for its brokers again.
 */
export class KafkaLink implements MemberLink {
  readonly #port: ClientPort;
  readonly #host: string;
  readonly #crashes: BrokerCrashes;
  /** How often all connections had been closed before this one was made. */
  #madeAfter: number | undefined;
  #knowsBroker = false;
  #connecting: Promise<void> | undefined;

  constructor(port: ClientPort, host: string, crashes: BrokerCrashes) {
    this.#port = port;
    this.#host = host;
    this.#crashes = crashes;
  }

  get isUp(): boolean {
    return this.#madeAfter === this.#crashes.closings;
  }

  get knowsBroker(): boolean {
    return this.#knowsBroker;
  }

  forgetBroker(): void {
    this.#knowsBroker = false;
    this.#madeAfter = undefined;
  }

  async request<T>(site: SiteName, effect: RequestEffect<T>): Promise<T> {
    const { isUp } = this;
    let madeAfter = 0;
    try {
      const reply = await this.#port.call(site, this.#host, (lies, isLateCopy) => {
        madeAfter = this.#crashes.closings;
        return effect(lies, isLateCopy);
      });
      this.#madeAfter = madeAfter;
      return reply;
    } catch (error) {
      const isRefused = error instanceof ConnectionRefused;
      if (!isRefused && !(error instanceof ConnectionLost)) throw fromNetwork(error);
      this.#madeAfter = undefined;
      // It was on its way when the process ended.
      if (!isRefused || isUp) throw this.#closed(error);
      throw this.#refused(error);
    }
  }

  /** Sends a request of a client that connects where it has to, before it asks. */
  async ask<T>(site: SiteName, effect: RequestEffect<T>): Promise<T> {
    try {
      return await this.request(site, effect);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "ECONNREFUSED") throw error;
    }
    await this.refresh();
    return await this.request(site, effect);
  }

  /**
   * Connects, with the client's tries.
   *
   * @throws {KafkaJSNumberOfRetriesExceeded} when it gives up
   */
  connect(): Promise<void> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<void> {
    if (!this.isUp) await retried(this.#port, {}, () => this.#dial());
  }

  disconnect(): void {
    this.forgetBroker();
  }

  /** Asks for the cluster's brokers, and connects before if there is no connection. */
  async refresh(): Promise<void> {
    if (!this.isUp && this.#knowsBroker) await this.#dial().catch(() => undefined);
    if (!this.isUp) await this.connect();
    this.#knowsBroker = true;
  }

  async findBroker(): Promise<void> {
    try {
      if (!this.#knowsBroker) {
        throw new KafkaJSBrokerNotFound(`Broker ${NODE_ID} not found in the cached metadata`);
      }
      if (!this.isUp) await this.#dial();
    } catch (error) {
      const isStale =
        isNamed(error, "KafkaJSBrokerNotFound") || isNamed(error, "KafkaJSConnectionError");
      if (isStale) await this.refresh();
      throw error;
    }
  }

  async findCoordinator(): Promise<void> {
    const attempt = async (): Promise<void> => {
      if (this.isUp) return;
      if (this.#knowsBroker) return await this.#dial();
      await this.refresh();
      throw new KafkaJSBrokerNotFound("No brokers in the broker pool");
    };
    await retried(this.#port, {}, attempt, (error) => {
      const { code } = error as { readonly code?: unknown };
      return code !== "ECONNREFUSED" && !isNamed(error, "KafkaJSBrokerNotFound");
    });
  }

  onClosed(listener: (error: Error) => void): Disposable {
    return this.#crashes.onClosing(() => listener(this.#closed(undefined)));
  }

  /** Tries to connect once. */
  async #dial(): Promise<void> {
    try {
      await this.request("broker.session", () => undefined);
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof CallTimedOut)) throw error;
      throw new KafkaJSConnectionError("Connection timeout", { cause, broker: this.#address });
    }
  }

  get #address(): string {
    return `${this.#host}:${KAFKA_PORT}`;
  }

  #refused(cause: unknown): KafkaJSConnectionError {
    const words = `Connection error: connect ECONNREFUSED ${this.#address}`;
    return new KafkaJSConnectionError(words, {
      ...{ cause, broker: this.#address, code: "ECONNREFUSED" },
    });
  }

  #closed(cause: unknown): KafkaJSConnectionClosedError {
    const place = { host: this.#host, port: KAFKA_PORT };
    return new KafkaJSConnectionClosedError("Closed connection", { cause, ...place });
  }
}
