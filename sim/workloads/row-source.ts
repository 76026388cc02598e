import type { World } from "../world.ts";

const ARRIVALS = [1, 2, 3, 7] as const;

/** A table that grows: rows with numbers from 1 up, some of them every `everyMs`. */
export class RowSource {
  readonly #world: World;
  readonly #process: string;
  readonly #everyMs: number;
  #max = 0;
  #isDry = false;

  constructor(world: World, process: string, everyMs: number) {
    this.#world = world;
    this.#process = process;
    this.#everyMs = everyMs;
  }

  /** The highest number there is. */
  get max(): number {
    return this.#max;
  }

  start(): void {
    const choice = this.#world.choices.stream("data", `source ${this.#process}`);
    const arrive = (): void => {
      if (this.#isDry) return;
      this.#max += ARRIVALS[choice.choose(ARRIVALS.length, "rows")] as number;
      const body = { kind: "rows-arrived", process: this.#process, to: this.#max } as const;
      this.#world.trace.emit("source", body);
      this.#world.schedule(this.#everyMs, { lane: "source", hop: false }, arrive);
    };
    arrive();
  }

  stop(): void {
    this.#isDry = true;
  }
}
