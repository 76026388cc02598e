import { textOfInterval, type Interval } from "./interval.ts";
import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { SEE } from "./sql-tokens.ts";
import { asJsonb, jsonbText, NULL, plainJson, sqlJson, type SqlValue } from "./sql-values.ts";

/** Operators of jsonb, beside `||` and `-`. */
export type JsonOperator = "->" | "->>" | "#>" | "#>>" | "@>" | "?";

const ELEMENT = /\s*(?:"((?:[^"\\]|\\.)*)"|([^,{}"\\]+?))\s*(,|$)/y;

/**
 * Returns the elements of an array that is written as a text, as in '{a,b}'; null where it is null.
 *
 * @throws {SqlError} for what is none
 * @throws {NotModelled} for arrays of arrays
 */
export function elementsIn({ value }: SqlValue): readonly (string | null)[] | null {
  if (value === null) return null;
  const text = (value as string).trim();
  if (!text.startsWith("{") || !text.endsWith("}")) throw malformed(text);
  const inside = text.slice(1, -1);
  if (inside.trim() === "") return [];
  if (/^\s*\{/.test(inside)) throw new NotModelled("an array of arrays", SEE);
  const elements: (string | null)[] = [];
  const pattern = new RegExp(ELEMENT.source, ELEMENT.flags);
  for (let end = ","; end === ",";) {
    const found = pattern.exec(inside);
    if (found === null) throw malformed(text);
    const [, quoted, plain = "", then = ""] = found;
    if (quoted !== undefined) elements.push(quoted.replaceAll(/\\(.)/g, "$1"));
    else elements.push(/^null$/i.test(plain) ? null : plain);
    end = then;
  }
  return elements;
}

function malformed(text: string): SqlError {
  return new SqlError("22P02", `malformed array literal: "${text}"`);
}

/** Computes an operator of jsonb. */
export function jsonComputed(operator: JsonOperator, of: SqlValue, at: SqlValue): SqlValue {
  const isText = operator.endsWith(">>");
  if (of.value === null || at.value === null) return NULL;
  const inside = plainJson(of.value);
  if (operator === "?") return { type: "boolean", value: hasName(inside, at.value) };
  if (operator === "@>") {
    return { type: "boolean", value: contains(inside, plainJson(at.value), "top") };
  }
  const isOfPath = operator.startsWith("#");
  const path = isOfPath ? (at.value as readonly SqlValue[]).map(({ value }) => value) : [at.value];
  let member: unknown = inside;
  for (const one of path) member = memberAt(member, one, isOfPath);
  return given(member, isText);
}

function given(member: unknown, isText: boolean): SqlValue {
  const type = isText ? "text" : "jsonb";
  if (member === undefined || (member === null && isText)) return { type, value: null };
  if (!isText) return { type, value: sqlJson(member) };
  return { type, value: typeof member === "string" ? member : jsonbText(member) };
}

/** A member of an object, or an element of a list; a path has the numbers of elements as texts. */
function memberAt(inside: unknown, place: unknown, isOfPath: boolean): unknown {
  if (Array.isArray(inside)) {
    const at = isOfPath && /^-?\d+$/.test(String(place)) ? Number(place) : place;
    return typeof at === "number" ? inside.at(at) : undefined;
  }
  if (typeof inside !== "object" || inside === null) {
    // The server takes a value that is neither for a list of one, but not on a path.
    return typeof place === "number" ? [inside].at(place) : undefined;
  }
  if (typeof place !== "string") return undefined;
  return Object.hasOwn(inside, place) ? Reflect.get(inside, place) : undefined;
}

/** Whether a text is a name in an object, or an element of a list. */
function hasName(inside: unknown, name: unknown): boolean {
  if (Array.isArray(inside)) return inside.includes(name);
  if (typeof inside === "object" && inside !== null) return Object.hasOwn(inside, String(name));
  return inside === name;
}

/** Whether all of `part` is in `whole`; a list also contains one of its elements by itself. */
function contains(whole: unknown, part: unknown, level: "top" | "inside"): boolean {
  if (Array.isArray(whole)) {
    if (!Array.isArray(part)) {
      const isPlain = typeof part !== "object" || part === null;
      return level === "top" && isPlain && whole.includes(part);
    }
    return part.every((one) => whole.some((other) => isSame(other, one)));
  }
  return isSame(whole, part);
}

function isSame(whole: unknown, part: unknown): boolean {
  if (Array.isArray(whole)) return Array.isArray(part) && contains(whole, part, "inside");
  if (typeof whole !== "object" || whole === null) return whole === part;
  if (typeof part !== "object" || part === null || Array.isArray(part)) return false;
  return Object.entries(part).every(
    ([name, of]) => Object.hasOwn(whole, name) && isSame(Reflect.get(whole, name), of),
  );
}

/** Returns a value without a member of an object, or without an element of a list. */
export function withoutMember(of: SqlValue, what: SqlValue): SqlValue {
  if (of.value === null || what.value === null) return { type: "jsonb", value: null };
  const inside = plainJson(of.value);
  const isNumber = what.type === "integer";
  if (Array.isArray(inside)) {
    const at = Number(what.value) < 0 ? inside.length + Number(what.value) : Number(what.value);
    const left = inside.filter((one, index) => (isNumber ? index !== at : one !== what.value));
    return { type: "jsonb", value: left };
  }
  if (typeof inside !== "object" || inside === null)
    throw new SqlError("22023", "cannot delete from scalar");
  if (isNumber) {
    throw new SqlError("22023", "cannot delete from object using integer index");
  }
  const left = Object.entries(inside).filter(([name]) => name !== what.value);
  return { type: "jsonb", value: Object.fromEntries(left) };
}

/**
 * Returns a value with another one at a place inside of it, at a depth below the whole.
 *
 * @throws {SqlError} for the whole that is a scalar, and for a place that is null or, in a list, no
 *   number
 */
export function withMember(
  into: unknown,
  path: readonly (string | null)[],
  set: unknown,
  depth = 0,
): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return into;
  const isScalar = typeof into !== "object" || into === null;
  if (isScalar && depth === 0) throw new SqlError("22023", "cannot set path in scalar");
  if (name === null) {
    throw new SqlError("22004", `path element at position ${depth + 1} is null`);
  }
  if (isScalar) return into;
  const inside = (inner: unknown): unknown =>
    rest.length === 0 ? set : withMember(inner, rest, set, depth + 1);
  if (Array.isArray(into)) {
    const list: readonly unknown[] = into;
    const at = placeIn(list, name, depth);
    if (at in list) return list.map((one, place) => (place === at ? inside(one) : one));
    if (rest.length > 0) return list;
    return at < 0 ? [set, ...list] : [...list, set];
  }
  if (rest.length > 0 && !Object.hasOwn(into, name)) return into;
  return asJsonb({ ...into, [name]: inside(Reflect.get(into, name)) });
}

/** The place in a list that a part of a path names; a negative one counts from the end. */
function placeIn(list: readonly unknown[], name: string, depth: number): number {
  const place = Number(name);
  if (!/^\s*[-+]?\d+$/.test(name) || place !== (place | 0)) {
    const what = `path element at position ${depth + 1}`;
    throw new SqlError("22P02", `${what} is not an integer: "${name}"`);
  }
  return place < 0 ? list.length + place : place;
}

/** Returns a value of SQL as one of JSON. */
export function jsonFrom({ type, value }: SqlValue): unknown {
  if (type === "jsonb") return plainJson(value);
  if (value === null || type === "boolean") return value;
  if (type === "text" || type === "unknown" || type === "character varying") return value;
  if (type === "integer" || type === "bigint" || type === "double precision") return value;
  if (type === "interval") return textOfInterval(value as Interval);
  throw new NotModelled(`a ${type} in jsonb`, SEE);
}
