/** Returns the middle one of the numbers, the upper one of two; 0 of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Returns a Markdown table whose columns are as wide as their longest cell. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, head.map(() => ""), ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => (row[at] ?? "").length), 3));
  return all
    .map((row, line) => {
      const cells = widths.map((width, at) =>
        line === 1 ? "-".repeat(width) : (row[at] ?? "").padEnd(width),
      );
      return `| ${cells.join(" | ")} |`;
    })
    .join("\n");
}
