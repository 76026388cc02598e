import { z } from "zod";

const MS_PER_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d+)(ms|s|m|h|d)$/;
/** Below this a duration reads best in seconds: "90s", not "2m". */
const IN_SECONDS_MS_MAX = 600_000;

const EXPECTED = 'expected a duration such as "250ms", "30s", "5m" or "24h"';

/**
 * A duration: a text such as "250ms", "30s", "5m" or "24h" in files, whole milliseconds in code.
 */
export const duration: z.ZodType<number, string> = z.codec(
  z.string({ error: EXPECTED }).regex(DURATION, { error: EXPECTED }),
  z.int().min(0),
  { decode: millisecondsFrom, encode: durationText },
);

const SIGNED = /^-?(\d+)(ms|s|m|h|d)$/;
const EXPECTED_SIGNED = 'expected a duration such as "30s", "1h" or "-1h"';

/** A duration that may be negative: a text such as "30s" or "-1h" in files. */
export const signedDuration: z.ZodType<number, string> = z.codec(
  z.string({ error: EXPECTED_SIGNED }).regex(SIGNED, { error: EXPECTED_SIGNED }),
  z.int(),
  {
    decode: (text) =>
      text.startsWith("-") ? -millisecondsFrom(text.slice(1)) : millisecondsFrom(text),
    encode: (ms) => (ms < 0 ? `-${durationText(-ms)}` : durationText(ms)),
  },
);

function millisecondsFrom(text: string): number {
  const [, amount = "", unit = "ms"] = DURATION.exec(text) ?? [];
  return Number(amount) * MS_PER_UNIT[unit as keyof typeof MS_PER_UNIT];
}

/** Returns a duration as scenario files write it, in the largest unit that keeps it whole. */
export function durationText(ms: number): string {
  for (const unit of ["d", "h", "m", "s"] as const) {
    const size = MS_PER_UNIT[unit];
    if (ms % size !== 0 || (size > MS_PER_UNIT.s && ms < IN_SECONDS_MS_MAX)) continue;
    return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}
