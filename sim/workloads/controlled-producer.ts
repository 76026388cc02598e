import type { AdvanceItem, Lane, SharedStreamProducer } from "../../src/shared-stream/mod.ts";
import { type Clock, sleep } from "../../src/time/mod.ts";
import type { ChoiceStream } from "../choices/choices.ts";
import type { CLIENT_MARKS } from "./marks.ts";

/** A raw event of a controlled producer. */
export interface ControlledEvent {
  readonly ref: string;
  readonly lane: Lane | { readonly unkeyable: true };
}

/** How the producers of one stream key behave from now on; the hostile client changes it. */
export interface ProducerControls {
  factoryThrows: boolean;
  laneThrows: boolean;
  advance: "ok" | "slow" | "throws" | "throws-oddly" | "throws-late";
  closeThrows: boolean;
  /** The producer of the current poll, if there is one. */
  producer: ControlledProducer | undefined;
}

export function createProducerControls(): ProducerControls {
  return {
    factoryThrows: false,
    laneThrows: false,
    advance: "ok",
    closeThrows: false,
    producer: undefined,
  };
}

/** How a source ends that is aborted or closed. */
export const SOURCE_ENDS = [
  "quietly",
  "throws when aborted",
  "throws the abort",
  "throws something else",
] as const;

/** How long a slow advance takes. */
export const SLOW_MS: readonly number[] = [50, 200, 1_000, 4_000];
/** As many, of which the last are longer than a manager waits for one group before the next. */
export const LONG_MS: readonly number[] = [50, 1_000, 70_000, 150_000];

/** A producer that misbehaves as its controls say, and streams the events that it is given. */
export class ControlledProducer implements SharedStreamProducer<ControlledEvent, ControlledEvent> {
  readonly #clock: Clock;
  readonly #controls: ProducerControls;
  readonly #choice: ChoiceStream;
  readonly #ends: (typeof SOURCE_ENDS)[number];
  readonly #slowMs: readonly number[];
  readonly #sometimes: (mark: (typeof CLIENT_MARKS)[number]) => void;
  /** Whether its group has failed, which only its producer can bring about. */
  #hasFailed = false;
  readonly #items: ControlledEvent[] = [];
  #end: "throws" | "returns" | undefined;
  #wake: (() => void) | undefined;

  constructor(
    clock: Clock,
    controls: ProducerControls,
    parts: {
      readonly choice: ChoiceStream;
      readonly ends: (typeof SOURCE_ENDS)[number];
      readonly slowMs: readonly number[];
      readonly sometimes: (mark: (typeof CLIENT_MARKS)[number]) => void;
    },
  ) {
    this.#clock = clock;
    this.#controls = controls;
    this.#choice = parts.choice;
    this.#ends = parts.ends;
    this.#slowMs = parts.slowMs;
    this.#sometimes = parts.sometimes;
    controls.producer = this;
  }

  emit(items: readonly ControlledEvent[]): void {
    this.#items.push(...items);
    this.#wake?.();
  }

  end(how: "throws" | "returns"): void {
    this.#end ??= how;
    this.#wake?.();
  }

  async *openStream(
    signal: AbortSignal,
  ): AsyncGenerator<readonly [raw: ControlledEvent, payload: ControlledEvent]> {
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
    try {
      while (!signal.aborted) {
        const item = this.#items.shift();
        if (item !== undefined) {
          yield [item, item];
        } else if (this.#end === "throws") {
          this.#hasFailed = true;
          // A client library may abort a call of its own while its group lives.
          if (this.#ends === "throws the abort") {
            throw new DOMException("The read was aborted", "AbortError");
          }
          throw new Error("The source failed");
        } else if (this.#end === "returns") {
          this.#hasFailed = true;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
      if (this.#ends === "quietly" || this.#ends === "throws something else") return;
      this.#noteSourceFailed();
      if (this.#ends === "throws the abort") throw signal.reason;
      throw new Error("The source failed when it was aborted");
    } finally {
      this.#failToClose(signal);
    }
  }

  /** Throws in place of what was thrown, if anything was. */
  #failToClose(signal: AbortSignal): void {
    if (this.#ends !== "throws something else") return;
    if (signal.aborted) this.#noteSourceFailed();
    throw new TypeError("The source failed to close");
  }

  #noteSourceFailed(): void {
    this.#sometimes(
      this.#hasFailed
        ? "a source failed after its group had failed"
        : "a source failed when its group was stopped",
    );
  }

  getAdvanceLane({ lane }: ControlledEvent): Lane {
    const { laneThrows } = this.#controls;
    if (laneThrows || isUnkeyable(lane)) this.#hasFailed = true;
    if (laneThrows) throw new Error("The lane hook failed");
    return lane as Lane;
  }

  async advance(_batch: readonly AdvanceItem<ControlledEvent>[]): Promise<void> {
    const mode = this.#controls.advance;
    if (mode === "slow" || mode === "throws-late") {
      const { length } = this.#slowMs;
      await sleep(this.#clock, this.#slowMs[this.#choice.choose(length, "slow")] as number);
    }
    if (mode === "ok" || mode === "slow") return;
    this.#hasFailed = true;
    if (mode === "throws-oddly") throw new DOMException("The call was aborted", "AbortError");
    throw new Error("The advance failed");
  }

  async aclose(): Promise<void> {
    if (!this.#controls.closeThrows) return;
    this.#sometimes("a producer failed to close");
    throw new Error("The close failed");
  }
}

function isUnkeyable(lane: ControlledEvent["lane"]): boolean {
  return typeof lane === "object" && lane !== null && "unkeyable" in lane;
}
