/** The end of a list. */
export type ListEnd = "LEFT" | "RIGHT";

/** A list, from left to right. */
export class RedisList {
  readonly kind = "list";
  until: number | undefined;
  items: string[] = [];

  get size(): number {
    return this.items.length;
  }

  push(item: string, end: ListEnd): void {
    if (end === "LEFT") this.items.unshift(item);
    else this.items.push(item);
  }

  /** Takes items from an end, one after the other. */
  pop(count: number, end: ListEnd): string[] {
    if (end === "LEFT") return this.items.splice(0, count);
    return this.items.splice(Math.max(0, this.size - count)).toReversed();
  }
}

/** Returns what two indexes of a command mean, of which negative ones count from the end. */
export function spanOf(
  first: number,
  last: number,
  size: number,
): { readonly from: number; readonly to: number } {
  const from = Math.max(0, first < 0 ? size + first : first);
  const to = Math.min(size - 1, last < 0 ? size + last : last);
  return { from, to: Math.max(from, to + 1) };
}
