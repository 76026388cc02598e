/** What a producer threw, and when. */
export interface ThrownError {
  readonly at: number;
  readonly words: string;
}

/** What engines throw of themselves: each has its own words for it. */
const BY_ENGINES = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError"]);
const WORDS_MAX = 120;

/** The error in a line that is the same on every engine. */
export function errorWords(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, message } = error;
  if (BY_ENGINES.has(name) || message === "") return name;
  const words = `${name}: ${message.replaceAll(/\s+/g, " ")}`;
  return words.length > WORDS_MAX ? `${words.slice(0, WORDS_MAX - 3)}...` : words;
}
