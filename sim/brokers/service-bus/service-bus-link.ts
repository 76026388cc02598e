import type { SiteName } from "../../faults/site.ts";
import { EPOCH_MS } from "../../virtual-clock.ts";
import type { Wire } from "../broker.ts";
import { callAsLibrary, type LibraryRetries, untilAborted } from "../library-call.ts";
import { operationAborted, serviceBusErrorFrom } from "./service-bus-error.ts";
import type { ServiceBusQueue } from "./service-bus-queue.ts";

/** The library's own count of retries; its pauses are shorter here. */
const RETRIES: LibraryRetries = { attemptsMax: 3, firstDelayMs: 500 };

/** What the receivers and senders of one client share. */
export class ServiceBusLink {
  readonly wire: Wire;
  readonly queue: ServiceBusQueue;
  readonly consumer: string;
  readonly #host: string;

  constructor(wire: Wire, host: string, queue: ServiceBusQueue, consumer: string) {
    this.wire = wire;
    this.queue = queue;
    this.consumer = consumer;
    this.#host = host;
  }

  dateAt(worldMs: number): Date {
    return this.wire.world.globals.dateAt(EPOCH_MS + worldMs);
  }

  async call<T>(site: SiteName, effect: () => T, signal?: AbortSignal): Promise<T> {
    const isRepeatable = site !== "broker.fetch";
    const request = { site, to: this.#host, effect, isRepeatable, signal };
    try {
      return await callAsLibrary(this.wire, request, RETRIES);
    } catch (error) {
      throw serviceBusErrorFrom(error);
    }
  }

  /**
   * Asks until there is an answer other than undefined, for at most `waitMs`.
   *
   * @throws an `AbortError` when `signal` aborts
   */
  async waitFor<T>(
    site: SiteName,
    effect: () => T | undefined,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const { clock } = this.wire;
    const until = clock.now() + waitMs;
    for (;;) {
      let changes = -1;
      const look = (): T | undefined => {
        const found = effect();
        changes = this.queue.leases.changes;
        return found;
      };
      const found = await untilAborted(this.call(site, look, signal), signal, operationAborted);
      const leftMs = until - clock.now();
      if (found !== undefined || leftMs <= 0) return found;
      await this.queue.leases.changed(this.wire, changes, leftMs, signal);
      if (signal.aborted) throw operationAborted();
    }
  }
}
