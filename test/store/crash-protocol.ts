import type { JsonValue, StateBackend, TaskInstanceScope } from "../../src/store/mod.ts";

/**
 * Few keys, so that most writes overwrite; multiples of 5 are written to all batch keys at once.
 */
const KEYS = 20;
export const batchKeys = ["batch-0", "batch-1", "batch-2"] as const;

export function scopeOf(writer: string): TaskInstanceScope {
  return { kind: "task-instance", dagId: "crash", runId: "r", taskId: writer, mapIndex: -1 };
}

export function keyOf(n: number): string {
  return `k${n % KEYS}`;
}

/**
 * Returns a value with its number at both ends and a length of its own, so that a torn write shows.
 */
export function numberedValue(n: number): NonNullable<JsonValue> {
  return { n, text: `${n}:${"x".repeat((n * 37) % 3_000)}:${n}` };
}

/**
 * Returns what is wrong with a store whose writer was killed after it had acknowledged every number
 * up to `acked`.
 */
export async function findingsAfterKill(
  backend: StateBackend,
  writer: string,
  acked: number,
): Promise<string[]> {
  const { entries } = await backend.list(scopeOf(writer), { limit: 1_000, offset: 0 });
  const numbers = new Map<string, number>();
  const findings: string[] = [];
  for (const { key, value } of entries) {
    const found = JSON.parse(value) as { n: number };
    if (value !== JSON.stringify(numberedValue(found.n))) findings.push(`${key} is half written`);
    numbers.set(key, found.n);
  }
  for (let n = Math.max(0, acked - 5 * KEYS); n <= acked; n += 1) {
    for (const key of n % 5 === 0 ? batchKeys : [keyOf(n)]) {
      const found = numbers.get(key) ?? -1;
      if (found < n) findings.push(`${key} lost acknowledged write ${n}: it holds ${found}`);
    }
  }
  const batch = new Set(batchKeys.map((key) => numbers.get(key)));
  if (batch.size > 1) findings.push(`a batch is half written: ${[...batch].join(", ")}`);
  return findings;
}
