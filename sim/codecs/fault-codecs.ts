import { z } from "zod";
import { DATABASE_ERROR_NAMES } from "../faults/database-error.ts";
import { SITE_NAMES } from "../faults/site.ts";
import { VERDICT_NAMES } from "../faults/verdict.ts";
import { count } from "./count.ts";
import { crowdFaults } from "./crowd-faults.ts";
import { duration, signedDuration } from "./duration.ts";
import { ratio } from "./ratio.ts";
import type { HostFault, SiteFault } from "./scenario-parts.ts";

/** A fault at calls of a site; every world with sites has them. */
export const siteFault: z.ZodType<SiteFault, unknown> = z.strictObject({
  site: z.enum(SITE_NAMES).describe("The boundary at which calls are struck."),
  verdict: z.enum(VERDICT_NAMES).describe("What happens to a struck call."),
  error: z
    .enum(DATABASE_ERROR_NAMES)
    .optional()
    .describe(
      "The error of the database that a struck call gets, with fail-before: nothing of its transaction is done.",
    ),
  nth: count
    .optional()
    .describe(
      "Strikes the n-th matching call, from 1. The first, where there is neither this nor a rate.",
    ),
  times: count.default(1).describe("How many calls in a row are struck, with `nth`."),
  rate: ratio
    .optional()
    .describe(
      'Strikes each matching call with this probability, such as "1/20", instead of the n-th.',
    ),
  host: z.string().optional().describe("Strikes calls made by this host only."),
  from: duration.optional().describe("Strikes from this virtual time on."),
  until: duration.optional().describe("Strikes before this virtual time only."),
  for: duration
    .default(2_000)
    .describe(
      "How long a struck call, its commit or its reply is delayed, how long it waits for an error of the database, or how late its copy arrives.",
    ),
  restartAfter: duration
    .default(3_000)
    .describe("How long a host stays down, for the verdicts that crash it."),
});

const link = z.tuple([z.string(), z.string()]);

/** A tenth: far more than any clock drifts, so that a run of minutes can show it. */
const PPM_MAX = 100_000;
/** Clocks further apart make what is due by one of them keep the run going for weeks. */
const STEP_MS_MAX = 86_400_000;

/** A fault of a host or link at a time; every world has them. */
export const hostFault: z.ZodType<HostFault, unknown> = z.union([
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    crash: z.string().describe("The host that crashes."),
    restartAfter: duration.default(3_000).describe("How long the host stays down."),
    halfOpen: z
      .boolean()
      .optional()
      .describe(
        "Whether peers are not told that it is down: their calls are not refused, but wait for their time-out.",
      ),
  }),
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    pause: z.string().describe("The host that stalls without crashing."),
    for: duration.describe("How long the fault lasts."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    cut: link.describe("The two hosts whose messages to each other are lost."),
    oneWay: z
      .boolean()
      .default(false)
      .describe("Whether only messages from the first host to the second are lost."),
    for: duration.describe("How long the fault lasts."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    hold: link.describe(
      "Messages from the first host to the second are held back, then all delivered.",
    ),
    bothWays: z
      .boolean()
      .default(false)
      .describe("Whether messages from the second host to the first are held back, too."),
    for: duration.describe("How long the fault lasts."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    clockStep: z.string().describe("The host whose wall clock jumps."),
    by: signedDuration
      .refine((ms) => Math.abs(ms) <= STEP_MS_MAX, {
        error: "a clock steps by 24h at most; for a run at another date, say startsAt",
      })
      .describe('How far the wall clock jumps ahead; "-1h": back; at most 24h.'),
    for: duration
      .optional()
      .describe("After how long the time service sets it right again; without it: never."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    clockDrift: z.string().describe("The host whose wall clock drifts from then on."),
    ppm: z
      .int()
      .min(-PPM_MAX)
      .max(PPM_MAX)
      .describe("By how many millionths it runs fast; below 0: slow. 100 are 8.64 s a day."),
  }),
  ...crowdFaults,
]);
