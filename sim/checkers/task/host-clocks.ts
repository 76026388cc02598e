import { EPOCH_MS } from "../../trace/epoch.ts";
import type { TraceEvent } from "../../trace/trace.ts";

/** How a clock is wrong from a virtual time on. */
interface ClockError {
  readonly at: number;
  readonly aheadMs: number;
  readonly ppm: number;
}

const RIGHT: ClockError = { at: 0, aheadMs: 0, ppm: 0 };

/** What the wall clocks of hosts show, from the trace alone. */
export class HostClocks {
  readonly #errors = new Map<string, ClockError[]>();
  #epochMs = EPOCH_MS;

  apply(event: TraceEvent): void {
    if (event.kind === "phase") this.#epochMs = event.epochMs ?? this.#epochMs;
    if (event.kind !== "host" || event.state !== "skew") return;
    const { host, at, aheadMs = 0, ppm = 0 } = event;
    const errors = this.#errors.get(host) ?? [RIGHT];
    errors.push({ at, aheadMs, ppm });
    this.#errors.set(host, errors);
  }

  /** Returns what a clock shows at a virtual time, in milliseconds since the epoch. */
  wallOf(host: string, at: number): number {
    const errors = this.#errors.get(host) ?? [RIGHT];
    return this.#shownBy(errors.findLast((error) => error.at <= at) ?? RIGHT, at);
  }

  /** Returns the least and the most that a clock shows from one virtual time to another. */
  rangeOf(host: string, from: number, to: number): readonly [least: number, most: number] {
    const shown = [this.wallOf(host, from), this.wallOf(host, to)];
    const errors = this.#errors.get(host) ?? [RIGHT];
    for (const [nth, error] of errors.entries()) {
      if (error.at < from || error.at > to) continue;
      const before = errors[nth - 1] ?? RIGHT;
      shown.push(this.#shownBy(error, error.at), this.#shownBy(before, error.at));
    }
    return [Math.min(...shown), Math.max(...shown)];
  }

  #shownBy({ at, aheadMs, ppm }: ClockError, now: number): number {
    return this.#epochMs + now + aheadMs + Math.trunc(((now - at) * ppm) / 1_000_000);
  }
}
