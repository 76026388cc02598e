import type { Clock, Logger } from "../time/mod.ts";
import type { TriggerHooks } from "./deferral-trigger.ts";
import type { RunningTrigger } from "./running-trigger.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** Calls what triggers want called when they are over, and waits for a limited time. */
export class EndHooks {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #timeoutMs: number;

  constructor(clock: Clock, logger: Logger, timeoutMs: number) {
    this.#clock = clock;
    this.#logger = logger;
    this.#timeoutMs = timeoutMs;
  }

  /** Never rejects. */
  async call(
    hook: keyof TriggerHooks,
    { triggerId, hooks }: Pick<RunningTrigger, "triggerId" | "hooks">,
  ): Promise<void> {
    // By then the signal of a cancelled trigger has aborted.
    await Promise.resolve();
    const tooLong = new AbortController();
    const timer = this.#clock.setTimer(this.#timeoutMs, () => tooLong.abort());
    try {
      const called = (async () => hooks[hook]?.())();
      await unlessAborted(called, tooLong.signal);
      if (tooLong.signal.aborted) {
        this.#logger.error("A trigger took too long to end", { triggerId, hook });
      }
    } catch (error) {
      this.#logger.warn("A trigger failed while it ended", { triggerId, hook, error });
    } finally {
      this.#clock.clearTimer(timer);
    }
  }
}
