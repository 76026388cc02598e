import { z } from "zod";
import type { PinnedChoice } from "../choices/pinned-choices.ts";
import { count } from "./count.ts";

const pins: z.ZodType<readonly PinnedChoice[], unknown> = z.array(
  z.strictObject({
    kind: z.enum(["sched", "fault", "time", "data", "workload"]).describe("The kind of choice."),
    part: z.string().describe("The part of the world that asks."),
    label: z.string().describe("What is asked."),
    nth: count.default(1).describe("Which time this is asked, from 1."),
    take: z.int().min(1).describe("The option taken; 0 is the calm one."),
  }),
);

/** Every choice but the listed ones is the calm one, whatever the seed; "calm": all of them are. */
export const pinnedChoices: z.ZodType<readonly PinnedChoice[], unknown> = z.union([
  z.codec(z.literal("calm"), z.array(z.never()).max(0), {
    decode: () => [],
    encode: () => "calm" as const,
  }),
  pins,
]);
