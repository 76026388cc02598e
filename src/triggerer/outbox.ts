import type { OutboundEvent, SyncRequest } from "./supervisor-port.ts";

/**
 * What a runner has to tell its supervisor.
 *
 * Holds: a request that was not answered is given out again, unchanged, under the same number; what
 * came in meanwhile waits for the next.
 */
export class Outbox {
  readonly #runnerId: string;
  #events: OutboundEvent[] = [];
  #failures: { triggerId: number; error: string }[] = [];
  #finished: number[] = [];
  #round = 0;
  #unanswered: SyncRequest | undefined;

  constructor(runnerId: string) {
    this.#runnerId = runnerId;
  }

  addEvent(event: OutboundEvent): void {
    this.#events.push(event);
  }

  addFailure(triggerId: number, error: string): void {
    this.#failures.push({ triggerId, error });
  }

  addFinished(triggerId: number): void {
    this.#finished.push(triggerId);
  }

  /** Takes out the waiting events for which `isBad` says so. */
  dropEvents(isBad: (event: OutboundEvent) => boolean): void {
    if (this.#events.length > 0) this.#events = this.#events.filter((event) => !isBad(event));
  }

  /** The request that is to be sent now. */
  nextRequest(): SyncRequest {
    if (this.#unanswered !== undefined) return this.#unanswered;
    this.#round += 1;
    this.#unanswered = {
      runnerId: this.#runnerId,
      round: this.#round,
      events: this.#events,
      failures: this.#failures,
      finished: this.#finished,
    };
    this.#events = [];
    this.#failures = [];
    this.#finished = [];
    return this.#unanswered;
  }

  /**
   * The last request was answered: it is not sent again. Answers the triggers it reported finished.
   */
  answered(): readonly number[] {
    const finished = this.#unanswered?.finished ?? [];
    this.#unanswered = undefined;
    return finished;
  }
}
