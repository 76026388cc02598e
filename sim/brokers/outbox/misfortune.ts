import type { World } from "../../kernel/world.ts";
import type { Disturbance } from "../broker.ts";

/** What befalls the next transaction of a producer that gets as far as that. */
export class Misfortune {
  readonly #world: World;
  readonly #host: string;
  /** Appears in traces and stories when it strikes. */
  readonly #what: string;
  #isDue = false;

  constructor(world: World, host: string, what: string) {
    this.#world = world;
    this.#host = host;
    this.#what = what;
  }

  /** Returns the disturbance that has it wait for the next transaction. */
  disturbance(name: string): Disturbance {
    return {
      name,
      waits: true,
      strike: () => {
        this.#isDue = true;
      },
      end: () => {
        this.#isDue = false;
      },
    };
  }

  /** Returns whether it strikes now, as it does once. */
  strikes(): boolean {
    if (!this.#isDue) return false;
    this.#isDue = false;
    this.#world.trace.emit(this.#host, { kind: "disturbed", name: this.#what });
    return true;
  }
}
