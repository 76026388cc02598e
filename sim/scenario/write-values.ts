import { scenarioJsonSchema } from "./schema.ts";

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** Below this a length of time reads best in seconds: "90s", not "2m". */
const IN_SECONDS_MS_MAX = 600_000;

/** A length of time as scenario files write it. */
export function durationText(ms: number): string {
  for (const [unit, size] of UNITS) {
    if (ms % size !== 0 || (size > 1_000 && ms < IN_SECONDS_MS_MAX)) continue;
    return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

let durationMembers: ReadonlySet<string> | undefined;

/** Whether members of this name are lengths of time; the schema knows. */
export function isDurationMember(name: string): boolean {
  durationMembers ??= new Set(durationsIn(scenarioJsonSchema()));
  return durationMembers.has(name);
}

/** The start of the pattern by which the schema tells lengths of time from other texts. */
const DURATION_PATTERN = "^(\\d+)(ms|";

function durationsIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(durationsIn);
  if (!isRecord(schema)) return [];
  const { properties } = schema;
  const here = isRecord(properties)
    ? Object.entries(properties).flatMap(([name, one]) => (isDuration(one) ? [name] : []))
    : [];
  return [...here, ...Object.values(schema).flatMap(durationsIn)];
}

function isDuration(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  const { pattern, anyOf } = schema;
  if (typeof pattern === "string") return pattern.startsWith(DURATION_PATTERN);
  return Array.isArray(anyOf) && anyOf.some(isDuration);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
