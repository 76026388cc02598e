import { InvalidNameError, InvalidSubjectError, JetStreamApiError } from "./errors.ts";

const FORBIDDEN: readonly (readonly [character: string, shown: string])[] = [
  ...[".", "*", ">", "/", "\\", " "].map((one) => [one, one] as const),
  ...([
    ["\t", "\\t"],
    ["\n", "\\n"],
    ["\r", "\\r"],
  ] as const),
];

/**
 * Checks the name of a stream or consumer as the library does.
 *
 * @throws {Error} when it is empty
 * @throws {InvalidNameError}
 */
export function assertName(context: "stream" | "durable", name = ""): void {
  if (name === "") throw new Error(`${context} name required`);
  assertWithout(name, (why) => new InvalidNameError(`${context} name ('${name}') ${why}`));
}

/**
 * Checks what a consumer is called besides its durable name.
 *
 * @throws {Error}
 */
export function assertWord(what: string, word: string): void {
  assertWithout(word, (why) => new Error(`${what} ${why}`));
}

function assertWithout(name: string, error: (why: string) => Error): void {
  for (const [character, shown] of FORBIDDEN) {
    if (name.indexOf(character) !== -1) throw error(`cannot contain '${shown}'`);
  }
}

/**
 * Returns the subject of a message as it is sent: whatever it is becomes text.
 *
 * @throws {InvalidSubjectError} for one that is empty or has a space
 * @throws {TypeError} for a list whose text is empty
 *
 * Source: \@nats-io/nats-core, nats.ts, _check
 */
export function subjectFrom(
  given: string | number | boolean | readonly (string | null)[] | null | undefined,
): string {
  const subject = (given || "").toString();
  if (/\s/.test(subject)) throw new InvalidSubjectError(subject);
  if (subject !== "") return subject;
  if (Array.isArray(given) && given.length > 0) throw new TypeError("subject is no text");
  throw new InvalidSubjectError(subject);
}

/** @throws {JetStreamApiError} for what is no subject: words that are joined by dots, none empty */
export function assertSubject(subject: string): void {
  if (!/\s/.test(subject) && !subject.split(".").includes("")) return;
  throw new JetStreamApiError(10_052, "invalid subject", 500);
}

/** Whether a subject is among those of a filter, whose `*` is one word and `>` all that follow. */
export function matchesFilter(filter: string, subject: string): boolean {
  const words = subject.split(".");
  const wanted = filter.split(".");
  for (const [at, one] of wanted.entries()) {
    if (one === ">") return words.length > at;
    if (at >= words.length || (one !== "*" && one !== words[at])) return false;
  }
  return wanted.length === words.length;
}

/** Whether some subject is among those of both filters. */
export function overlap(one: string, other: string): boolean {
  const [words, others] = [one.split("."), other.split(".")];
  for (let at = 0; at < Math.min(words.length, others.length); at += 1) {
    const [word, its] = [words[at], others[at]];
    if (word === ">" || its === ">") return true;
    if (word !== its && word !== "*" && its !== "*") return false;
  }
  return words.length === others.length;
}
