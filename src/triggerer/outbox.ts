import type { OutboundEvent, SyncRequest, TriggerFailure } from "./supervisor-port.ts";

/**
 * What a runner has to report to its supervisor.
 *
 * Holds: a request that got no reply is returned again, unchanged, under the same round; what is
 * added meanwhile waits for the next round.
 */
export class Outbox {
  readonly #runnerId: string;
  #events: OutboundEvent[] = [];
  #failures: TriggerFailure[] = [];
  #finished: number[] = [];
  #round = 0;
  #inFlight: SyncRequest | undefined;

  constructor(runnerId: string) {
    this.#runnerId = runnerId;
  }

  addEvent(event: OutboundEvent): void {
    this.#events.push(event);
  }

  addFailure(triggerId: number, error: unknown): void {
    const isError = error instanceof Error;
    const failure = isError ? error.name : typeof error;
    const message = isError ? error.message : "";
    this.#failures.push({ triggerId, error: failure, message });
  }

  addFinished(triggerId: number): void {
    this.#finished.push(triggerId);
  }

  /** Removes those events that are in no request yet and match `isBad`. */
  dropEvents(isBad: (event: OutboundEvent) => boolean): void {
    if (this.#events.length > 0) this.#events = this.#events.filter((event) => !isBad(event));
  }

  /** Returns the request to send: the one without a reply, or else a new one. */
  nextRequest(): SyncRequest {
    if (this.#inFlight !== undefined) return this.#inFlight;
    this.#round += 1;
    this.#inFlight = {
      runnerId: this.#runnerId,
      round: this.#round,
      events: this.#events,
      failures: this.#failures,
      finished: this.#finished,
    };
    this.#events = [];
    this.#failures = [];
    this.#finished = [];
    return this.#inFlight;
  }

  /** Records that the request got a reply; returns the triggers that it reported as finished. */
  acknowledge(): readonly number[] {
    const finished = this.#inFlight?.finished ?? [];
    this.#inFlight = undefined;
    return finished;
  }
}
