import type { Operator } from "./base-operator.ts";
import type { TaskContext } from "./context.ts";

/**
 * A task that is a function, as with Airflow's `@task`. It has no method that could resume it, so
 * it neither defers nor checkpoints; what a killed attempt leaves is in the state store.
 */
export type TaskFunction<Result = unknown> = (ctx: TaskContext) => Result | PromiseLike<Result>;

/** The operator of a task that is a function. */
class FunctionOperator<Result> implements Operator<Result> {
  readonly name: string;
  readonly #run: TaskFunction<Result>;

  constructor(run: TaskFunction<Result>) {
    this.name = run.name === "" ? "the task" : run.name;
    this.#run = run;
  }

  execute(ctx: TaskContext): Result | PromiseLike<Result> {
    return this.#run(ctx);
  }
}

/**
 * Returns the operator of a task.
 *
 * @throws {TypeError} when `task` is a class, or neither a function nor has an `execute`
 */
export function operatorFrom<Result>(
  task: Operator<Result> | TaskFunction<Result>,
): Operator<Result> {
  if (typeof task === "function") {
    // A class throws when it is called, and its own message would not say what to do.
    if (/^class\b/.test(Function.prototype.toString.call(task))) {
      const name = task.name === "" ? "a class" : `class ${task.name}`;
      throw new TypeError(`Cannot run ${name} as a task: create an operator with new`);
    }
    return new FunctionOperator(task);
  }
  if (typeof (task as Partial<Operator> | null)?.execute !== "function") {
    throw new TypeError(
      "Cannot run this as a task: write a function, or an object with an execute method",
    );
  }
  return task;
}

/** Returns the name of an operator's class, or of the function that it runs. */
export function nameOfOperator(operator: Operator): string {
  return operator instanceof FunctionOperator ? operator.name : operator.constructor.name;
}
