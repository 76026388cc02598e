import type { World } from "../kernel/world.ts";

const ARRIVALS = [1, 2, 3, 7] as const;

/** A growing table: every `everyMs`, some rows are added, numbered from 1. */
export class RowSource {
  readonly #world: World;
  readonly #process: string;
  readonly #everyMs: number;
  #max = 0;
  #isStopped = false;

  constructor(world: World, process: string, everyMs: number) {
    this.#world = world;
    this.#process = process;
    this.#everyMs = everyMs;
  }

  /** The number of the last row. */
  get max(): number {
    return this.#max;
  }

  start(): void {
    const choice = this.#world.choices.stream("data", `source ${this.#process}`);
    const arrive = (): void => {
      if (this.#isStopped) return;
      this.#max += ARRIVALS[choice.choose(ARRIVALS.length, "rows")] as number;
      const body = { kind: "rows-arrived", process: this.#process, to: this.#max } as const;
      this.#world.trace.emit("source", body);
      this.#world.schedule(this.#everyMs, { lane: "source", hop: false }, arrive);
    };
    arrive();
  }

  stop(): void {
    this.#isStopped = true;
  }
}
