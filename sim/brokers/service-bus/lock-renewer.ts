import type { ClientPort } from "../broker.ts";

/** Renews a lock once; resolves with its new end, in virtual milliseconds. */
export type Renew = () => Promise<number>;

const BUFFER_MS_MAX = 10_000;

/**
 * The library's automatic lock renewal: each lock is renewed before it ends, until it is stopped,
 * its maximum duration is over, or a renewal fails.
 */
export class LockRenewer {
  readonly #port: ClientPort;
  readonly #durationMsMax: number;
  readonly #cancels = new Map<string, () => void>();

  constructor(port: ClientPort, durationMsMax: number) {
    this.#port = port;
    this.#durationMsMax = durationMsMax;
  }

  start(name: string, lockedUntil: number, renew: Renew): void {
    if (this.#durationMsMax > 0) {
      this.#schedule(name, lockedUntil, renew, this.#port.clock.now() + this.#durationMsMax);
    }
  }

  stop(name: string): void {
    this.#cancels.get(name)?.();
    this.#cancels.delete(name);
  }

  stopAll(): void {
    for (const name of [...this.#cancels.keys()]) this.stop(name);
  }

  #schedule(name: string, lockedUntil: number, renew: Renew, endsAt: number): void {
    const { clock } = this.#port;
    const leftMs = lockedUntil - clock.now();
    if (endsAt <= lockedUntil) {
      this.#cancels.delete(name);
      return;
    }
    const waitMs = leftMs < 1_000 ? 0 : leftMs - Math.min(Math.floor(leftMs / 2), BUFFER_MS_MAX);
    const timer = clock.setTimer(waitMs, () => {
      renew().then(
        (until) => {
          if (this.#cancels.has(name)) this.#schedule(name, until, renew, endsAt);
        },
        () => void this.#cancels.delete(name),
      );
    });
    this.#cancels.set(name, () => clock.clearTimer(timer));
  }
}
