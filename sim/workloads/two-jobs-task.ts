import { BaseOperator, type ExecutionContext, type TaskContext } from "../../src/operator/mod.ts";
import type { PresetOperator } from "./preset-operator.ts";

/**
 * A task with an `execute` of its own that uses the mixin twice: its second job follows its first.
 *
 * Holds: each job has its own key in the store, so that a retry continues with the one that was
 * running; a kill concerns the job that the task waits for.
 */
export class TwoJobsTask extends BaseOperator<string | null> {
  readonly #first: PresetOperator;
  readonly #second: PresetOperator;
  #current: PresetOperator;

  constructor(first: PresetOperator, second: PresetOperator) {
    super();
    this.#first = first;
    this.#second = second;
    this.#current = first;
  }

  override async execute(ctx: TaskContext): Promise<string | null> {
    await this.#first.execute(ctx);
    this.#current = this.#second;
    return this.#second.execute(ctx);
  }

  override onKill(executionContext: ExecutionContext | null): Promise<void> {
    return this.#current.onKill(executionContext);
  }
}
