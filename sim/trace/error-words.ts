/** Errors that engines throw themselves; each engine words them differently. */
const BY_ENGINES = new Set([
  ...["TypeError", "RangeError", "ReferenceError", "SyntaxError"],
  ...["AbortError", "TimeoutError"],
]);
const WORDS_MAX = 120;

/** Returns an error as one line that is the same on every engine. */
export function errorWords(error: unknown): string {
  try {
    return wordsOf(error);
  } catch {
    // A getter of it throws, or a trap of a proxy.
    return "an error that cannot be read";
  }
}

function wordsOf(error: unknown): string {
  if (error === null) return "null";
  if (typeof error === "string") return clipped(JSON.stringify(error));
  if (!(error instanceof Error)) return typeof error;
  const { name, message } = error;
  if (BY_ENGINES.has(name) || message === "") return name;
  return clipped(`${name}: ${message.replaceAll(/\s+/g, " ")}`);
}

function clipped(words: string): string {
  return words.length > WORDS_MAX ? `${words.slice(0, WORDS_MAX - 3)}...` : words;
}
