import type { World } from "../world.ts";

const REFUSAL_MS = 8_000;

/** For a while whatever is sent elsewhere than to the records' own place is refused. */
export class Refusal {
  readonly #world: World;
  #until = -1;

  constructor(world: World) {
    this.#world = world;
  }

  get isOn(): boolean {
    return this.#world.now < this.#until;
  }

  begin(): void {
    this.#until = this.#world.now + REFUSAL_MS;
  }

  end(): void {
    this.#until = -1;
  }
}
