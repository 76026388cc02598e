/** A member and its score. */
export type Scored = readonly [member: string, score: number];

/** An end of a range, which may be left out of it. */
export interface Bound<Value> {
  readonly value: Value;
  readonly isOut: boolean;
}

/** Two ends of a range. */
export interface Bounds<Value> {
  readonly min: Bound<Value>;
  readonly max: Bound<Value>;
}

/** Before and behind all members, as an end of a range of them. */
export const FIRST: unique symbol = Symbol("-");
export const LAST: unique symbol = Symbol("+");
export type MemberEnd = string | typeof FIRST | typeof LAST;

/** A sorted set: members by their scores, and by their bytes where those are the same. */
export class SortedSet {
  readonly kind = "zset";
  until: number | undefined;
  readonly scores: Map<string, number> = new Map();

  get size(): number {
    return this.scores.size;
  }

  inOrder(): readonly Scored[] {
    return [...this.scores].toSorted(([a, x], [b, y]) => x - y || compareTexts(a, b));
  }
}

/** Returns the members of a list in order whose scores are in a range. */
export function scoredWithin(list: readonly Scored[], { min, max }: Bounds<number>): Scored[] {
  return list.filter(
    ([, score]) =>
      (min.isOut ? score > min.value : score >= min.value) &&
      (max.isOut ? score < max.value : score <= max.value),
  );
}

/**
 * Returns the members of a list in order that are in a range, which the server looks for from one
 * end of it: members whose scores differ end the range.
 *
 * Source: redis, t_zset.c, zzlFirstInLexRange and genericZrangebylexCommand
 */
export function namedWithin(
  list: readonly Scored[],
  { min, max }: Bounds<MemberEnd>,
  direction: "up" | "down" = "up",
): readonly Scored[] {
  const isAbove = (member: string): boolean => {
    const order = compareEnds(member, min.value);
    return min.isOut ? order > 0 : order >= 0;
  };
  const isBelow = (member: string): boolean => {
    const order = compareEnds(member, max.value);
    return max.isOut ? order < 0 : order <= 0;
  };
  const order = compareEnds(min.value, max.value);
  const [first, last] = [list[0], list.at(-1)];
  if (order > 0 || (order === 0 && (min.isOut || max.isOut))) return [];
  if (first === undefined || last === undefined) return [];
  if (!isAbove(last[0]) || !isBelow(first[0])) return [];
  const [starts, goesOn] = direction === "up" ? [isAbove, isBelow] : [isBelow, isAbove];
  const asked = direction === "up" ? list : list.toReversed();
  const from = asked.slice(asked.findIndex(([member]) => starts(member)));
  const end = from.findIndex(([member]) => !goesOn(member));
  return end === -1 ? from : from.slice(0, end);
}

function compareEnds(a: MemberEnd, b: MemberEnd): number {
  if (a === b) return 0;
  if (a === FIRST || b === LAST) return -1;
  if (a === LAST || b === FIRST) return 1;
  return compareTexts(a, b);
}

/** Compares as bytes in UTF-8, whose order is that of code points. */
function compareTexts(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const [left, right] = [a.codePointAt(at) ?? 0, b.codePointAt(at) ?? 0];
    if (left !== right) return left - right;
  }
  return a.length - b.length;
}
