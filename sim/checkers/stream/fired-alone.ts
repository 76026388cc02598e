import type { TraceEvent } from "../../trace/trace.ts";

type Fired = Extract<TraceEvent, { readonly kind: "fired-alone" }>;

/** The trigger events of triggers without a stream that a live runner took and nobody stored yet. */
export class FiredAlone {
  readonly #owed = new Map<number, Fired>();

  get owed(): readonly Fired[] {
    return [...this.#owed.values()];
  }

  /** How many there are. */
  get size(): number {
    return this.#owed.size;
  }

  observe(event: TraceEvent): void {
    if (event.kind === "fired-alone") this.#owed.set(event.event, event);
    else if (event.kind === "persisted") this.#owed.delete(event.event);
    else if (event.kind === "host" && (event.state === "crash" || event.state === "stop")) {
      // A runner never outlives its supervisor.
      for (const { event: id, host } of this.#owed.values()) {
        if (host === event.host) this.#owed.delete(id);
      }
    }
  }
}
