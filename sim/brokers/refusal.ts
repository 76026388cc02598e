import type { World } from "../kernel/world.ts";
import type { Disturbance } from "./broker.ts";

const REFUSAL_MS = 8_000;

/**
 * A time in which the broker refuses what clients send, except to the records' own destination:
 * eight virtual seconds, or until the faults end. The model asks `isOn` where something is sent.
 *
 * @example
 * ```ts
 * import { Refusal } from "faultlane/brokers";
 * import { SeededChoices, World } from "faultlane/sim";
 *
 * const refusal = new Refusal(new World(new SeededChoices(1), { keepTrace: false }));
 * const disturbance = refusal.disturbance("other queues refuse what is sent");
 * disturbance.strike();
 * console.log(refusal.isOn); // => true
 * disturbance.end?.();
 * console.log(refusal.isOn); // => false
 * ```
 */
export class Refusal {
  readonly #world: World;
  #until = -1;

  /** Creates a refusal that is off. */
  constructor(world: World) {
    this.#world = world;
  }

  /** Whether the broker refuses now. */
  get isOn(): boolean {
    return this.#world.now < this.#until;
  }

  /**
   * Returns the disturbance that begins such a time; `more` says what else it is, and `begun` what
   * happens when it has begun.
   */
  disturbance(
    name: string,
    { begun, ...more }: Pick<Disturbance, "isFatal"> & { readonly begun?: () => void } = {},
  ): Disturbance {
    return {
      name,
      ...more,
      strike: () => {
        this.#until = this.#world.now + REFUSAL_MS;
        begun?.();
      },
      end: () => {
        this.#until = -1;
      },
    };
  }
}
