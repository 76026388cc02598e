import { z } from "zod";

/** A positive whole number, at most 100,000. */
export const count: z.ZodInt = z.int().min(1).max(100_000);
