import { fewer, lower, within } from "./shrink.ts";

type Walk<Value> = Generator<Value, Value, boolean>;

/** The letter that replaces other letters. */
const PLAIN_LETTER = "a";

/**
 * Simplifies a piece of plain data: removes items and members, replaces a container by a part of
 * it, shortens text and replaces its letters, lowers numbers toward 0.
 */
export function* simplerValue(value: unknown): Walk<unknown> {
  if (typeof value === "string") return yield* simplerText(value);
  if (typeof value === "number") return yield* simplerNumber(value);
  if (value === true) return !(yield false);
  if (typeof value !== "object" || value === null) return value;
  const parts: readonly unknown[] = Object.values(value);
  for (const part of parts) {
    if (part !== null && (yield part)) return yield* simplerValue(part);
  }
  return Array.isArray(value)
    ? yield* simplerItems(value)
    : yield* within(simplerMembers(Object.entries(value)), (members) =>
        Object.fromEntries(members),
      );
}

/** Removes letters, then replaces the others by a plain one. */
export function* simplerText(text: string): Walk<string> {
  const shorter = yield* within(fewer(Array.from(text)), (left) => left.join(""));
  let kept = Array.from(shorter);
  for (const [at, letter] of kept.entries()) {
    if (letter === PLAIN_LETTER) continue;
    const plain = kept.with(at, PLAIN_LETTER);
    if (yield plain.join("")) kept = plain;
  }
  return kept.join("");
}

/** Simplifies each member of a record. */
export function* simplerRecord<Of extends object>(record: Of): Walk<Of> {
  let kept = record;
  for (const [name, value] of Object.entries(record)) {
    kept = yield* within(simplerValue(value), (simple) => ({ ...kept, [name]: simple }));
  }
  return kept;
}

function* simplerNumber(value: number): Walk<number> {
  if (value === 0) return value;
  if (Number.isSafeInteger(value) && value > 0) return yield* lower(value, 0);
  for (const plain of [0, 1, -1, Math.trunc(value)]) {
    if (plain !== value && Number.isSafeInteger(plain) && (yield plain)) return plain;
  }
  return value;
}

function* simplerItems(items: readonly unknown[]): Walk<readonly unknown[]> {
  let kept = yield* fewer(items);
  for (const [at, item] of kept.entries()) {
    kept = yield* within(simplerValue(item), (simple) => kept.with(at, simple));
  }
  return kept;
}

type Members = readonly (readonly [name: string, value: unknown])[];

function* simplerMembers(members: Members): Walk<Members> {
  let kept: Members = yield* fewer(members);
  for (const [at, [name, value]] of kept.entries()) {
    kept = yield* within(simplerValue(value), (simple) => kept.with(at, [name, simple]));
    const simple = kept[at]?.[1];
    kept = yield* within(simplerText(name), (plain) => kept.with(at, [plain, simple]));
  }
  return kept;
}
