import type { AdvanceItem, Lane, SharedStreamProducer } from "../../src/shared-stream/mod.ts";
import { type Clock, sleep } from "../../src/time/mod.ts";
import type { ChoiceStream } from "../choices.ts";

/** A raw event of a scripted producer. */
export interface ScriptedEvent {
  readonly ref: string;
  readonly lane: Lane | { readonly unkeyable: true };
}

/** What a key's producers do from now on; shared by the client that scripts them. */
export interface Script {
  factoryThrows: boolean;
  laneThrows: boolean;
  advance: "ok" | "slow" | "throws" | "throws-oddly";
  closeThrows: boolean;
  /** The producer of the poll that runs now, if any. */
  producer: ScriptedProducer | undefined;
}

export function createScript(): Script {
  return {
    factoryThrows: false,
    laneThrows: false,
    advance: "ok",
    closeThrows: false,
    producer: undefined,
  };
}

const SLOW_MS = [50, 200, 1_000, 4_000] as const;

/** A producer that does what a script says, and hands out what it is given. */
export class ScriptedProducer implements SharedStreamProducer<ScriptedEvent, ScriptedEvent> {
  readonly #clock: Clock;
  readonly #script: Script;
  readonly #choice: ChoiceStream;
  readonly #items: ScriptedEvent[] = [];
  #end: "throws" | "returns" | undefined;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, script: Script, choice: ChoiceStream) {
    this.#clock = clock;
    this.#script = script;
    this.#choice = choice;
    script.producer = this;
  }

  emit(items: readonly ScriptedEvent[]): void {
    this.#items.push(...items);
    this.#wake?.();
  }

  end(how: "throws" | "returns"): void {
    this.#end ??= how;
    this.#wake?.();
  }

  async *openStream(
    signal: AbortSignal,
  ): AsyncGenerator<readonly [raw: ScriptedEvent, payload: ScriptedEvent]> {
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
    while (!signal.aborted) {
      const item = this.#items.shift();
      if (item !== undefined) {
        yield [item, item];
      } else if (this.#end === "throws") {
        throw new Error("The source failed");
      } else if (this.#end === "returns") {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  getAdvanceLane({ lane }: ScriptedEvent): Lane {
    if (this.#script.laneThrows) throw new Error("The lane hook failed");
    return lane as Lane;
  }

  async advance(_batch: readonly AdvanceItem<ScriptedEvent>[]): Promise<void> {
    const mode = this.#script.advance;
    if (mode === "slow") {
      await sleep(this.#clock, SLOW_MS[this.#choice.choose(SLOW_MS.length, "slow")] as number);
    }
    if (mode === "throws-oddly") throw new DOMException("The call was aborted", "AbortError");
    if (mode === "throws") throw new Error("The advance failed");
  }

  async aclose(): Promise<void> {
    if (this.#script.closeThrows) throw new Error("The close failed");
  }
}
