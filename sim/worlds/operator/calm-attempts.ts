/** How often a task that reschedules itself may look in vain for the end of each of its jobs. */
const LOOKS_PER_ATTEMPT = 10;

/**
 * Counts the attempts of a task since the faults are over, of which it gets no more than it needs.
 *
 * A try that is refused counts, also where a job that an earlier attempt has lost takes the one
 * place there is: a real task has few tries, and uses them up before that job ends (E68).
 */
export class CalmAttempts {
  /** How many tries the task may need, by the chances of its job system. */
  readonly max: number;
  #tries = 0;
  #looks = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Counts an attempt that begins while no job of the task is at work. */
  begin({ isSameTry }: { readonly isSameTry: boolean }): void {
    if (isSameTry) this.#looks += 1;
    else this.#tries += 1;
  }

  get areUsedUp(): boolean {
    return this.#tries > this.max || this.#looks > LOOKS_PER_ATTEMPT * this.max;
  }
}
