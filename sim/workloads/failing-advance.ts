import type { SharedStreamProducer } from "../../src/shared-stream/mod.ts";
import type { StreamSpec } from "./stream-spec.ts";
import type { RunPhase } from "./watcher-trigger.ts";

/**
 * Makes a stream's `advance` throw as the scenario says, counted over all producers of the stream.
 */
export class FailingAdvance {
  readonly #spec: StreamSpec;
  readonly #phase: RunPhase;
  #calls = 0;

  constructor(spec: StreamSpec, phase: RunPhase) {
    this.#spec = spec;
    this.#phase = phase;
  }

  /** Returns the producer with an `advance` that throws as configured. */
  around<Payload>(producer: SharedStreamProducer<unknown, Payload>): SharedStreamProducer<unknown> {
    const inner = producer as SharedStreamProducer<unknown>;
    const throws = this.#spec.advanceThrows;
    if (throws === undefined) return inner;
    return {
      openStream: (signal) => inner.openStream(signal),
      getAdvanceLane: (payload) => inner.getAdvanceLane?.(payload),
      aclose: async () => inner.aclose?.(),
      advance: async (batch) => {
        this.#calls += 1;
        if (this.#calls === throws.nth && !this.#phase.isCalm) throw errorNamed(throws.error);
        await inner.advance(batch);
      },
    };
  }
}

/** An error as a client library throws it; "AbortError" is that of an aborted inner call. */
function errorNamed(name: "Error" | "AbortError"): Error {
  if (name === "AbortError") return new DOMException("The operation was aborted", "AbortError");
  return new Error("The broker refused the commit");
}
