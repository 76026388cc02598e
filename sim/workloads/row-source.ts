import type { World } from "../kernel/world.ts";

const ARRIVALS = [1, 2, 3, 7] as const;

/** A growing table: every `everyMs`, some rows are added, numbered from 1. */
export class RowSource {
  readonly #world: World;
  readonly #process: string;
  readonly #everyMs: number;
  readonly #arrivals: { readonly at: number; readonly max: number }[] = [];
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

  /** Returns the number of the last row that had arrived by a virtual time; 0: none had. */
  maxAt(ms: number): number {
    return this.#arrivals.findLast(({ at }) => at <= ms)?.max ?? 0;
  }

  start(): void {
    const choice = this.#world.choices.stream("data", `source ${this.#process}`);
    const arrive = (): void => {
      if (this.#isStopped) return;
      this.#max += ARRIVALS[choice.choose(ARRIVALS.length, "rows")] as number;
      this.#arrivals.push({ at: this.#world.now, max: this.#max });
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
