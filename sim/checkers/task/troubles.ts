import type { TraceEvent } from "../../trace/trace.ts";

/** What befalls any host. The process of an attempt that is lost does not come back. */
export class Troubles {
  readonly #lasting = new Set<string>();
  readonly #ofAttempts = new Set<string>();
  #lastAt: number | undefined;
  #areClocksRight = true;

  observe(event: TraceEvent): void {
    if (event.kind === "host") this.#applyHost(event);
    else if (event.kind === "link") this.#applyLink(event);
    else if (event.kind === "attempt") this.#ofAttempts.add(event.host);
    else this.#lastAt = event.at;
  }

  /** When the last of it was over; undefined while there is any, or once a clock was set. */
  get quietSince(): number | undefined {
    return this.#lasting.size > 0 || !this.#areClocksRight ? undefined : (this.#lastAt ?? 0);
  }

  /** Whether there has been any since this virtual time, or is one that began earlier. */
  since(at: number): boolean {
    return this.#lasting.size > 0 || (this.#lastAt !== undefined && this.#lastAt >= at);
  }

  #applyHost({ host, state, at }: Extract<TraceEvent, { kind: "host" }>): void {
    if (state === "stop") return;
    if (state === "skew") this.#areClocksRight = false;
    const isOver = state === "start" || state === "restart" || state === "resume";
    if (isOver && !this.#lasting.delete(host)) return;
    const isForGood = state === "crash" && this.#ofAttempts.has(host);
    if ((state === "crash" || state === "pause") && !isForGood) this.#lasting.add(host);
    this.#lastAt = at;
  }

  #applyLink({ host, to, state, at }: Extract<TraceEvent, { kind: "link" }>): void {
    const link = JSON.stringify([host, to]);
    if (state === "repaired" || state === "released") this.#lasting.delete(link);
    else this.#lasting.add(link);
    this.#lastAt = at;
  }
}
