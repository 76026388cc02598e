import type { World } from "../kernel/world.ts";
import type { Disturbance } from "./broker.ts";

const REFUSAL_MS = 8_000;

/** A time in which the broker refuses what clients send, except to the records' own destination. */
export class Refusal {
  readonly #world: World;
  #until = -1;

  constructor(world: World) {
    this.#world = world;
  }

  get isOn(): boolean {
    return this.#world.now < this.#until;
  }

  /** Returns the disturbance that begins such a time. */
  disturbance(name: string): Disturbance {
    return {
      name,
      strike: () => {
        this.#until = this.#world.now + REFUSAL_MS;
      },
      end: () => {
        this.#until = -1;
      },
    };
  }
}
