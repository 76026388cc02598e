import type { Logger } from "../time/mod.ts";
import type { StreamKey } from "./key.ts";
import type {
  AdvanceFailure,
  CloseFailure,
  EventRejection,
  ForceFailure,
  GroupFailure,
  SharedStreamObserver,
} from "./observer.ts";

const CLOSE_FAILED = {
  source: "The shared stream source failed to close",
  producer: "The shared stream producer failed to close",
} as const;

/**
 * Reports what a manager does to its observer and its logger. All wording of the log is here.
 *
 * Holds: an observer that throws, or returns a promise that rejects, is logged and ignored.
 */
export class Reporter {
  readonly logger: Logger;
  readonly #observer: SharedStreamObserver;

  constructor(logger: Logger, observer: SharedStreamObserver) {
    this.logger = logger;
    this.#observer = observer;
  }

  forceFailed(failure: ForceFailure): void {
    const { key, triggerId, reason, eventId } = failure;
    this.#observe(() => this.#observer.onForceFailed?.(failure));
    this.logger.warn("A shared stream subscriber was force-failed", {
      key,
      triggerId,
      reason,
      eventId,
    });
  }

  advanceFailed(failure: AdvanceFailure): void {
    this.#observe(() => this.#observer.onAdvanceFailed?.(failure));
    this.logger.error("The shared stream advance failed", { ...failure });
  }

  groupFailed(failure: GroupFailure): void {
    const { key, cause, error } = failure;
    this.#observe(() => this.#observer.onGroupFailed?.(failure));
    // The log has a failed advance already.
    if (cause === "poll") this.logger.error("The shared stream poll failed", { key, error });
  }

  eventRejected(rejection: EventRejection): void {
    this.#observe(() => this.#observer.onEventRejected?.(rejection));
    this.logger.info("A subscriber rejected a shared stream event", { ...rejection });
  }

  rejectedOutsideWindow(key: StreamKey, triggerId: number): void {
    this.logger.warn("Cannot reject a shared stream event outside an ack-mode binding window", {
      key,
      triggerId,
    });
  }

  closeFailed(failure: CloseFailure): void {
    const { key, part, error } = failure;
    this.#observe(() => this.#observer.onCloseFailed?.(failure));
    this.logger.warn(CLOSE_FAILED[part], { key, error });
  }

  #observe(call: () => unknown): void {
    try {
      const result = call();
      // An async function is a legal observer method; its rejection must not stay unhandled.
      if (result instanceof Promise) result.catch((error: unknown) => this.#logThrown(error));
    } catch (error) {
      this.#logThrown(error);
    }
  }

  #logThrown(error: unknown): void {
    this.logger.warn("A shared stream observer threw", { error });
  }
}
