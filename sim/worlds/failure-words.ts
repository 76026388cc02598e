import type { TriggerFailure } from "../../src/triggerer/mod.ts";
import type { Violation } from "../checkers/checker.ts";

/**
 * Why the tasks of a run failed, in the words of their own errors. An engine's own error is worded
 * differently by each engine, so that no trace has these words.
 */
export class FailureWords {
  readonly #last = new Map<string, string | undefined>();
  readonly #ofTrigger = new Map<string, string>();

  /** How an attempt ended: with an error, or without one. */
  endedWith(task: string, error: unknown): void {
    this.#last.set(task, error instanceof Error ? inOneLine(error.message) : undefined);
  }

  triggerFailed(task: string, { error, message }: Omit<TriggerFailure, "triggerId">): void {
    const said = message === "" ? error : `${error}: ${inOneLine(message)}`;
    const words = `The trigger failed: ${said}`;
    this.#last.set(task, words);
    // A later one may succeed.
    if (!this.#ofTrigger.has(task)) this.#ofTrigger.set(task, words);
  }

  /** What else there is to say about a violation; a line of its story. */
  remarkOn({ symptom, ref: task = "" }: Violation): string | undefined {
    if (symptom === "failed-undisturbed") return this.#ofTrigger.get(task);
    const last = this.#last.get(task);
    if (symptom !== "task-unfinished" || last === undefined) return undefined;
    return `The last attempt failed with: ${last}`;
  }
}

/** A story has a line for each thing that it tells. */
export function inOneLine(message: string): string {
  return message.replaceAll(/\s+/g, " ").trim();
}
