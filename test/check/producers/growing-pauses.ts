import type { SourceBug } from "./source-bug.ts";

/** The pause before the next try; where it grows, a success does not make it short again. */
export function pauseThatGrows(pauseMs: string): SourceBug {
  return {
    id: "grows",
    what: "pauses otherwise before it connects again",
    guarantees: ["G8"],
    edits: [
      ["this.#pause(BACKOFF_MS)", `this.#pause((this.#pauseMs = ${pauseMs}))`],
      ["  #sessions = 0;\n", "  #sessions = 0;\n  #pauseMs = BACKOFF_MS / 2;\n"],
    ],
  };
}
