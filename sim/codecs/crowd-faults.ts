import { z } from "zod";
import { SITE_NAMES, type SiteName } from "../faults/site.ts";
import { duration } from "./duration.ts";

/**
 * Every host of a kind crashes, and all come back in the same instant.
 *
 * Shape: `restartAll` is the name of the kind: "worker" for worker-1, worker-2, …
 * Units: virtual milliseconds.
 */
export interface HerdFault {
  /** When it strikes. */
  readonly at: number;
  /** The kind of host. */
  readonly restartAll: string;
  /** How long they stay down. */
  readonly restartAfter: number;
}

/**
 * A host or outside system admits only so many calls, and refuses the others at once.
 *
 * Units: `admits` calls within each virtual second; `for` in virtual milliseconds.
 * Source: what is refused counts in a rate-based rule of AWS WAF, and costs as much as what is
 * served where a connection costs more than a request.
 */
export interface OverloadFault {
  /** When it begins. */
  readonly at: number;
  /** Who has too much to do. */
  readonly overload: string;
  /** How many calls are admitted within each second. */
  readonly admits: number;
  /** Only calls of this site count, as where each operation of an API has a limit of its own. */
  readonly calls?: SiteName | undefined;
  /** How long it lasts. */
  readonly for: number;
  /**
   * Whether this is all that the host can do: then a call that it refuses uses up as much as one
   * that it serves, and the limit lasts for its time also when the faults are over.
   */
  readonly capacity?: boolean | undefined;
}

/** Both, as scenario files write them. */
export const crowdFaults: readonly [
  z.ZodType<HerdFault, unknown>,
  z.ZodType<OverloadFault, unknown>,
] = [
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    restartAll: z
      .string()
      .describe('The kind of host of which all crash and come back at once, such as "worker".'),
    restartAfter: duration.default(3_000).describe("How long they stay down."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    overload: z
      .string()
      .describe(
        "The host that refuses what is too much: transactions get no connection from the pool, other calls are answered with 429.",
      ),
    admits: z
      .int()
      .min(0)
      .max(100_000)
      .describe("How many calls it admits within each virtual second."),
    calls: z
      .enum(SITE_NAMES)
      .optional()
      .describe("The one site whose calls have this limit; without it they all share it."),
    for: duration.describe("How long the fault lasts."),
    capacity: z
      .boolean()
      .optional()
      .describe(
        "Whether this is all that the host can do: refused calls count as well, and it lasts for its time also when the faults are over.",
      ),
  }),
];
