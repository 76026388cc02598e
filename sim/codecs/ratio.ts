import { z } from "zod";
import type { Ratio } from "../faults/rule.ts";

const RATIO = /^(\d+)\/(\d+)$/;

const EXPECTED = 'expected a rate such as "1/20"';

/** A probability in whole numbers: a text such as "1/20" in files. */
export const ratio: z.ZodType<Ratio, string> = z
  .codec(
    z.string({ error: EXPECTED }).regex(RATIO, { error: EXPECTED }),
    z.strictObject({ numerator: z.int().min(0), denominator: z.int().min(0) }),
    {
      decode(text) {
        const [, numerator = "", denominator = ""] = RATIO.exec(text) ?? [];
        return { numerator: Number(numerator), denominator: Number(denominator) };
      },
      encode: ({ numerator, denominator }) => `${numerator}/${denominator}`,
    },
  )
  .refine(({ numerator, denominator }) => denominator > 0 && numerator <= denominator, {
    error: 'expected a rate between "0/1" and "1/1"',
  });

export const NEVER: Ratio = { numerator: 0, denominator: 1 };
