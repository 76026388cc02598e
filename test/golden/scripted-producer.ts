import { CancelledError } from "../../sim/reference/mod.ts";
import type { AdvanceItem, Lane, SharedStreamProducer } from "../../src/shared-stream/mod.ts";
import type { AdvanceMode, ScriptItem, Seen } from "./script.ts";

/** What a producer asks of the stage it plays on. */
export interface ProducerHooks {
  readonly see: (...seen: Seen) => void;
  readonly mode: () => AdvanceMode;
}

/** A producer that yields, fails, settles and closes as a script says, and reports each. */
export class ScriptedProducer implements SharedStreamProducer<number, ScriptItem> {
  readonly #key: string;
  readonly #hooks: ProducerHooks;
  readonly #items: ScriptItem[] = [];
  #wake: (() => void) | undefined;
  #end: "fails" | "returns" | undefined;
  #release: ((how: "ok" | "raise") => void) | undefined;

  constructor(key: string, hooks: ProducerHooks) {
    this.#key = key;
    this.#hooks = hooks;
  }

  emit(items: readonly ScriptItem[]): void {
    this.#items.push(...items);
    this.#wake?.();
  }

  end(how: "fails" | "returns"): void {
    this.#end ??= how;
    this.#wake?.();
  }

  /** Ends the advance that is blocked now; nothing where none is. */
  release(how: "ok" | "raise"): void {
    this.#release?.(how);
    this.#release = undefined;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [number, ScriptItem]> {
    this.#hooks.see("open", this.#key);
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
    while (!signal.aborted) {
      const item = this.#items.shift();
      if (item !== undefined) yield [item.raw, item];
      else if (this.#end === "fails") throw new Error("poll failed");
      else if (this.#end === "returns") return;
      else await this.#arrival();
    }
  }

  getAdvanceLane({ lane }: ScriptItem): Lane {
    if (lane === "boom") throw new Error("lane failed");
    return lane;
  }

  async advance(batch: readonly AdvanceItem<ScriptItem>[]): Promise<void> {
    const lane = batch[0]?.brokerPayload.lane;
    const items = batch.map(({ brokerPayload, outcome }) => {
      const { acked, failed, rejected, isClean } = outcome;
      return [brokerPayload.raw, acked, failed, rejected, isClean];
    });
    this.#hooks.see("advance", this.#key, lane, items);
    const mode = this.#hooks.mode();
    if (mode === "abort") throw new CancelledError("advance cancelled");
    const how = mode === "block" ? await this.#whenReleased() : mode;
    if (how === "raise") throw new Error("advance failed");
  }

  async aclose(): Promise<void> {
    this.#hooks.see("aclose", this.#key);
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #whenReleased(): Promise<"ok" | "raise"> {
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }
}
