import type { Violation } from "../../checkers/checker.ts";
import type { DeferralEnd } from "./operator-trigger.ts";

/**
 * Why an operator under test failed, in the words of its own errors. An engine's own error is
 * worded differently by each engine, so that no trace has these words.
 */
export class FailureWords {
  #last: string | undefined;
  #ofTrigger: string | undefined;

  /** How an attempt ended: with an error, or without one. */
  endedWith(error: unknown): void {
    this.#last = error instanceof Error ? inOneLine(error.message) : undefined;
  }

  triggerFailed({ error, message }: Extract<DeferralEnd, { kind: "failed" }>): void {
    const words = message === "" ? error : `${error}: ${inOneLine(message)}`;
    this.#last = `The trigger failed: ${words}`;
    // A later one may succeed.
    this.#ofTrigger ??= this.#last;
  }

  /** What else there is to say about a violation; a line of its story. */
  remarkOn({ symptom }: Violation): string | undefined {
    if (symptom === "failed-undisturbed") return this.#ofTrigger;
    if (symptom !== "task-unfinished" || this.#last === undefined) return undefined;
    return `The last attempt failed with: ${this.#last}`;
  }
}

/** A story has a line for each thing that it tells. */
function inOneLine(message: string): string {
  return message.replaceAll(/\s+/g, " ").trim();
}
