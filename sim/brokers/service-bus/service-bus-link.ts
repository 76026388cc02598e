import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary, type LibraryRetries, untilAborted } from "../library-call.ts";
import { operationAborted } from "../azure-abort-error.ts";
import { serviceBusErrorFrom } from "./service-bus-error.ts";
import type { ServiceBusQueue } from "./service-bus-queue.ts";

/** As many attempts as the library makes, with shorter pauses. */
const RETRIES: LibraryRetries = { attemptsMax: 3, firstDelayMs: 500 };

/** The connection that the receivers and senders of one client share. */
export class ServiceBusLink {
  readonly port: ClientPort;
  readonly queue: ServiceBusQueue;
  readonly consumer: string;
  readonly #host: string;

  constructor(port: ClientPort, host: string, queue: ServiceBusQueue, consumer: string) {
    this.port = port;
    this.queue = queue;
    this.consumer = consumer;
    this.#host = host;
  }

  dateAt(worldMs: number): Date {
    return new Date(this.queue.epochMs + worldMs);
  }

  async call<T>(site: SiteName, effect: () => T, signal?: AbortSignal): Promise<T> {
    const isRepeatable = site !== "broker.fetch";
    // To send, an account needs another right.
    const allowed = (): T => {
      if (site !== "broker.produce") this.queue.assertMayListen();
      return effect();
    };
    const request = { site, to: this.#host, effect: allowed, isRepeatable, signal };
    try {
      return await callAsLibrary(this.port, request, RETRIES);
    } catch (error) {
      throw serviceBusErrorFrom(error);
    }
  }

  /**
   * Repeats a request until it returns something other than undefined, for at most `waitMs`.
   *
   * @throws {Error} an `AbortError` when `signal` aborts
   */
  async waitFor<T>(
    site: SiteName,
    effect: () => T | undefined,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const { clock } = this.port;
    const until = clock.now() + waitMs;
    for (;;) {
      let version = -1;
      const look = (): T | undefined => {
        const found = effect();
        version = this.queue.leases.version;
        return found;
      };
      const found = await untilAborted(this.call(site, look, signal), signal, operationAborted);
      const leftMs = until - clock.now();
      if (found !== undefined || leftMs <= 0) return found;
      await this.queue.leases.changed(this.port, version, leftMs, signal);
      if (signal.aborted) throw operationAborted();
    }
  }
}
