/** How much may be spent on an explanation. */
export interface BudgetOptions {
  /** The most runs. */
  readonly runsMax?: number | undefined;
  /** The most steps of all runs together, each run counted as 1,000 steps more than it takes. */
  readonly costMax?: number | undefined;
  /** Nothing is left once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Whether there is something left. */
export interface BudgetPart {
  readonly isLeft: boolean;
}

/** What it costs to build a world and to judge its run, as a number of steps. */
const STEPS_PER_RUN = 1_000;

/**
 * Counts runs and what they cost, in steps of the simulation. That is the same on every machine, so
 * that a budget in steps gives the same answer everywhere.
 */
export class WhyBudget implements BudgetPart {
  runs = 0;
  steps = 0;
  cost = 0;
  readonly #runsMax: number;
  readonly #costMax: number;
  readonly #signal: AbortSignal | undefined;

  constructor({ runsMax, costMax, signal }: BudgetOptions) {
    this.#runsMax = runsMax ?? Number.POSITIVE_INFINITY;
    this.#costMax = costMax ?? Number.POSITIVE_INFINITY;
    this.#signal = signal;
  }

  get isLeft(): boolean {
    return this.#isWithin(1, 1);
  }

  /** How much is spent, in percent; 0 without a limit. */
  get percent(): number {
    const parts = [this.runs / this.#runsMax, this.cost / this.#costMax];
    return Math.min(100, Math.floor(100 * Math.max(...parts)));
  }

  /** Notes a run. */
  spend(steps: number): void {
    this.runs += 1;
    this.steps += steps;
    this.cost += STEPS_PER_RUN + steps;
  }

  /** A part of the whole budget, counted from what is spent by now. */
  part(numerator: number, denominator: number): BudgetPart {
    const { runs, cost } = this;
    const isLeft = (): boolean => this.#isWithin(numerator, denominator, { runs, cost });
    return {
      get isLeft() {
        return isLeft();
      },
    };
  }

  #isWithin(numerator: number, denominator: number, since = { runs: 0, cost: 0 }): boolean {
    if (this.#signal?.aborted === true) return false;
    return (
      (this.runs - since.runs) * denominator < this.#runsMax * numerator &&
      (this.cost - since.cost) * denominator < this.#costMax * numerator
    );
  }
}
