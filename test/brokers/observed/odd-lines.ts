/**
 * What came of the steps of a program, each as a line, and what was seen at its end. Of most that
 * was told only the name is kept: the drawn programs compare its payload.
 */
export function linesOf(steps: number, seen: readonly unknown[]): readonly string[] {
  return (seen as readonly (readonly [unknown, unknown?])[]).map(([name, value], at) => {
    if (at < steps) return JSON.stringify(value ?? null);
    return name === "told"
      ? JSON.stringify((value as unknown[][]).map((told) => told.map(shortly)))
      : JSON.stringify([name, value]);
  });
}

const WHOLE = ["COMMIT_OFFSETS", "CRASH"];

function shortly(told: unknown): unknown {
  if (!Array.isArray(told)) return told;
  const name = told[0] as string;
  const isEvent = /^[A-Z_]+$/.test(name) && !WHOLE.includes(name);
  return isEvent ? name : told;
}
