import type { Life } from "../../hosts/life.ts";
import type { World } from "../../kernel/world.ts";
import type { OperatorAttempt } from "./operator-attempt.ts";
import { type AttemptFault, isAttemptFault, type OperatorFault } from "./operator-scenario.ts";

/** A fault that counts from the begin of an attempt. */
type AtAttempt = Extract<AttemptFault, { readonly after: number }>;

/** The usual delay of a retry. */
const RETRY_MS = 2_000;

interface Surroundings {
  /** Whether the faults may still strike. */
  readonly isArmed: () => boolean;
  /** Called where a user wants the task of an attempt to run again. */
  readonly onClear: (attempt: OperatorAttempt) => void;
}

/** What befalls the attempts of a task: they are lost, killed, cleared, or begin late. */
export class AttemptFaults {
  readonly all: readonly AttemptFault[];
  readonly #world: World;
  readonly #surroundings: Surroundings;

  constructor(world: World, faults: readonly OperatorFault[], surroundings: Surroundings) {
    this.all = faults.filter(isAttemptFault);
    this.#world = world;
    this.#surroundings = surroundings;
  }

  /** Schedules what befalls an attempt that begins now. */
  schedule(life: Life, number: number, attempt: OperatorAttempt): void {
    for (const fault of this.all) {
      if ("loseAttempt" in fault && fault.loseAttempt === number) {
        this.#strikeAfter(life, fault, () => life.host.crash());
      } else if ("killAttempt" in fault && fault.killAttempt === number) {
        this.#strikeAfter(life, fault, () => attempt.kill(fault.category));
      } else if ("clearAttempt" in fault && fault.clearAttempt === number) {
        this.#strikeAfter(life, fault, () => this.#surroundings.onClear(attempt));
      }
    }
  }

  /** Returns how long it takes until an attempt begins; a fault of it strikes with that. */
  delayBefore(attempt: number): number {
    if (!this.#surroundings.isArmed()) return RETRY_MS;
    for (const fault of this.all) {
      if (!("delayAttempt" in fault) || fault.delayAttempt !== attempt) continue;
      this.#world.injector.tookEffect(fault);
      return fault.by;
    }
    return RETRY_MS;
  }

  #strikeAfter(life: Life, fault: AtAttempt, strike: () => void): void {
    life.after(fault.after, () => {
      if (!this.#surroundings.isArmed()) return;
      this.#world.injector.tookEffect(fault);
      strike();
    });
  }
}
