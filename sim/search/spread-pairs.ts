/** Returns at most `max` pairs of the items, spread evenly over all pairs. */
export function pairsOf<T>(items: readonly T[], max: number): readonly (readonly [T, T])[] {
  const all = (items.length * (items.length - 1)) / 2;
  const wanted = Math.min(max, all);
  const pairs: (readonly [T, T])[] = [];
  for (let at = 0; at < wanted; at += 1) pairs.push(pairAt(items, Math.floor((at * all) / wanted)));
  return pairs;
}

/** Returns the `ordinal`-th of all pairs, in the order of their first items. */
function pairAt<T>(items: readonly T[], ordinal: number): readonly [T, T] {
  let left = ordinal;
  let first = 0;
  while (left >= items.length - 1 - first) {
    left -= items.length - 1 - first;
    first += 1;
  }
  return [items[first] as T, items[first + 1 + left] as T];
}
