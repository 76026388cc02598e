/** Deep enough for any argument, and below what JSON readers give up at. */
const DEPTH_MAX = 100;

/**
 * Answers `value` when JSON can say it without loss.
 *
 * @throws {TypeError} when it cannot; the message has the path to the culprit
 */
export function checkedJson<T>(value: T, subject: string): T {
  check(value, { subject, path: "$", depth: 0 });
  return value;
}

interface Place {
  readonly subject: string;
  readonly path: string;
  readonly depth: number;
}

function check(value: unknown, place: Place): void {
  if (value === null) return;
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (!Number.isFinite(value)) refuse(String(value), place);
      return;
    case "object":
      return checkObject(value, place);
    default:
      refuse(typeof value === "undefined" ? "undefined" : `a ${typeof value}`, place);
  }
}

function checkObject(value: object, place: Place): void {
  if (place.depth >= DEPTH_MAX) refuse("a cycle, or more than 100 levels", place);
  const depth = place.depth + 1;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      check((value as unknown[])[at], { ...place, path: `${place.path}[${at}]`, depth });
    }
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) refuse("an object of a class", place);
  for (const [name, member] of Object.entries(value)) {
    check(member, { ...place, path: `${place.path}.${name}`, depth });
  }
}

function refuse(what: string, { subject, path }: Place): never {
  throw new TypeError(`Cannot use ${what} at ${path} of ${subject}: JSON cannot say it`);
}
