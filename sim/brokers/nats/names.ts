import { InvalidNameError, InvalidSubjectError } from "./errors.ts";

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
  for (const [character, shown] of FORBIDDEN) {
    if (name.indexOf(character) === -1) continue;
    throw new InvalidNameError(`${context} name ('${name}') cannot contain '${shown}'`);
  }
}

/**
 * Returns the subject of a message as it is sent: whatever it is becomes text.
 *
 * @throws {InvalidSubjectError} for one that is empty or has a space
 *
 * Source: \@nats-io/nats-core, nats.ts, _check
 */
export function subjectFrom(
  given: string | number | boolean | readonly string[] | null | undefined,
): string {
  const subject = (given || "").toString();
  if (subject === "" || /\s/.test(subject)) throw new InvalidSubjectError(subject);
  return subject;
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
