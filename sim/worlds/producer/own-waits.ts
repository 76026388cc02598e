import type { World } from "../../kernel/world.ts";
import type { ProducerScenario } from "./producer-scenario.ts";

/** So many of its longest waits a producer may need, one after the other, without faults. */
const OWN_WAITS = 3;
/** So many outages show whether a pause is longer after each of them. */
const OUTAGES_MANY = 6;

/**
 * For how long a producer may keep records waiting because it waits itself: a few times its longest
 * timer. Where the broker goes away again and again, what counts is how long it had waited until
 * the second outage was over: a pause that grows from outage to outage is no measure of itself.
 */
export class OwnWaits {
  readonly #world: World;
  readonly #measuredAt: number | undefined;
  #measuredMs: number | undefined;

  constructor(world: World, faults: ProducerScenario["faults"], broker: string) {
    this.#world = world;
    const ends = faults.flatMap((fault) =>
      "crash" in fault && fault.crash === broker ? [fault.at + fault.restartAfter] : [],
    );
    this.#measuredAt = ends.length < OUTAGES_MANY ? undefined : ends.toSorted((a, b) => a - b)[1];
  }

  /** Has to be called when the run begins. */
  start(): void {
    if (this.#measuredAt === undefined) return;
    this.#world.schedule(this.#measuredAt, { lane: "own waits", hop: false }, () => {
      this.#measuredMs = this.#world.realm.longestWaitMs;
    });
  }

  get patienceMs(): number {
    return OWN_WAITS * (this.#measuredMs ?? this.#world.realm.longestWaitMs);
  }
}
