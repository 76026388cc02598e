import type { ChoiceStream } from "../choices/choices.ts";
import type { Life } from "../hosts/life.ts";
import type { ProducerControls } from "./controlled-producer.ts";

/** What the client of a manager does for its busy stops; keys are its own numbers. */
export interface BusyStopsPort {
  join(key: number): void;
  emit(key: number): void;
  leaveAll(key: number): void;
  stopAll(): void;
  /** Runs `fn` some turns of the microtask queue later. */
  later(fn: () => void): void;
}

/** Asked once in each act of the client. */
export const BUSY_STOP_QUESTION = "busy stop";

/** How the producers of a key advance meanwhile, calm first. */
const ADVANCES = ["slow", "slow", "throws-late", "throws-late"] as const;
/** How long after the first events the groups are ended, in milliseconds. */
const BUSY_MS = [20, 1, 150, 600] as const;
/** How long after the end a key is joined again; less than 0: never, 0: within some turns. */
const REJOIN_MS = [0, -1, 5, 100] as const;

const WAYS = ["stops everything", "leaves every key", "ends a source"] as const;

/** The options of these choices in words, by label. */
export const BUSY_STOP_OPTIONS: readonly (readonly [label: string, options: readonly string[]])[] =
  [
    ["how busy groups end", WAYS],
    ["advance amid a stop", ADVANCES],
    ["how long groups are busy", BUSY_MS.map((ms) => `${ms} ms`)],
  ];

/**
 * Ends groups that are busy: their advances are slow, some fail at last, and some keys are joined
 * again while the old group still drains.
 *
 * Holds: what it draws comes from a stream of its own, so that a client without busy stops makes
 * the same choices as before.
 */
export class BusyStops {
  readonly #life: Life;
  readonly #choice: ChoiceStream;
  readonly #controls: readonly ProducerControls[];
  readonly #port: BusyStopsPort;
  #isCalm = false;

  constructor(life: Life, controls: readonly ProducerControls[], port: BusyStopsPort) {
    this.#life = life;
    this.#choice = life.world.choices.stream("workload", `${life.name} busy stops`);
    this.#controls = controls;
    this.#port = port;
  }

  /** Now and then makes every group busy and then ends them; returns whether it does. */
  sometimes(): boolean {
    if (this.#choice.choose(10, BUSY_STOP_QUESTION) < 9) return false;
    const way = WAYS[this.#choice.choose(WAYS.length, "how busy groups end")] ?? WAYS[0];
    for (const [key, controls] of this.#controls.entries()) {
      controls.advance = this.#from(ADVANCES, "advance amid a stop");
      this.#port.join(key);
      // A group that is new opens its stream in a later turn, and drops what came before.
      this.#life.after(1, () => {
        if (!this.#isCalm) this.#port.emit(key);
      });
    }
    this.#life.after(1 + this.#from(BUSY_MS, "how long groups are busy"), () => {
      if (!this.#isCalm) this.#end(way);
    });
    return true;
  }

  calmDown(): void {
    this.#isCalm = true;
  }

  #end(way: (typeof WAYS)[number]): void {
    for (const [key, { producer }] of this.#controls.entries()) {
      if (way === "leaves every key") this.#port.leaveAll(key);
      else if (way === "ends a source" && this.#choice.choose(2, "which source") === 0)
        producer?.end("throws");
    }
    if (way === "stops everything") this.#port.stopAll();
    for (const key of this.#controls.keys()) this.#rejoin(key);
  }

  #rejoin(key: number): void {
    const ms = this.#from(REJOIN_MS, "join again");
    if (ms < 0) return;
    if (ms === 0) this.#port.later(() => this.#port.join(key));
    else this.#life.after(ms, () => this.#port.join(key));
  }

  #from<T>(options: readonly [T, ...T[]], label: string): T {
    return options[this.#choice.choose(options.length, label)] ?? options[0];
  }
}
