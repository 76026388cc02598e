import { z } from "zod";
import type { Ratio } from "../faults/rule.ts";
import { SITE_NAMES } from "../faults/site.ts";
import type { HostFault, SiteFault } from "./scenario-parts.ts";

const MS_PER_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d+)(ms|s|m|h|d)$/;
const RATIO = /^(\d+)\/(\d+)$/;

/** A length of time as scenario files write it: "250ms", "30s", "5m", "1h"; whole numbers only. */
export const duration: z.ZodType<number, string> = z
  .string()
  .regex(DURATION, { error: 'expected a duration such as "250ms", "30s", "5m" or "24h"' })
  .transform((text) => {
    const [, amount = "", unit = "ms"] = DURATION.exec(text) ?? [];
    return Number(amount) * MS_PER_UNIT[unit as keyof typeof MS_PER_UNIT];
  });

/** A probability in whole numbers: "1/20". */
export const ratio: z.ZodType<Ratio, string> = z
  .string()
  .regex(RATIO, { error: 'expected a rate such as "1/20"' })
  .transform((text) => {
    const [, numerator = "", denominator = ""] = RATIO.exec(text) ?? [];
    return { numerator: Number(numerator), denominator: Number(denominator) };
  })
  .refine(({ numerator, denominator }) => denominator > 0 && numerator <= denominator, {
    error: 'expected a rate between "0/1" and "1/1"',
  });

export const NEVER: Ratio = { numerator: 0, denominator: 1 };
export const count: z.ZodInt = z.int().min(1).max(100_000);

const verdict = z.enum([
  "fail-before",
  "fail-after",
  "drop-request",
  "drop-reply",
  "duplicate",
  "delay",
  "crash-before",
  "crash-after",
]);

export const siteFault: z.ZodType<SiteFault, unknown> = z.strictObject({
  site: z.enum(SITE_NAMES),
  verdict,
  nth: count.optional(),
  times: count.default(1),
  rate: ratio.optional(),
  host: z.string().optional(),
  from: duration.optional(),
  until: duration.optional(),
  for: duration.default(2_000),
  restartAfter: duration.default(3_000),
});

const link = z.tuple([z.string(), z.string()]);

/** A fault of a host or link at a time; every world has them. */
export const hostFault: z.ZodType<HostFault, unknown> = z.union([
  z.strictObject({ at: duration, crash: z.string(), restartAfter: duration.default(3_000) }),
  z.strictObject({ at: duration, pause: z.string(), for: duration }),
  z.strictObject({ at: duration, cut: link, oneWay: z.boolean().default(false), for: duration }),
  z.strictObject({ at: duration, hold: link, for: duration }),
  z.strictObject({ at: duration, clockStep: z.string(), by: duration }),
]);
