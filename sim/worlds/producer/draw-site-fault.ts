import type { SiteFault } from "../../codecs/scenario-parts.ts";
import type { SiteName } from "../../faults/site.ts";
import type { VerdictName } from "../../faults/verdict.ts";

/** What a file would leave out. */
const DELAY_DEFAULT_MS = 2_000;
/** How long a crashed host stays down, if nothing else is said. */
export const RESTART_DEFAULT_MS = 3_000;

/** Returns a fault that strikes the nth call at a site, once if nothing else is said. */
export function siteFault(
  site: SiteName,
  verdict: VerdictName,
  details: Partial<SiteFault> & Pick<SiteFault, "nth">,
): SiteFault {
  const usual = { times: 1, for: DELAY_DEFAULT_MS, restartAfter: RESTART_DEFAULT_MS };
  return { site, verdict, ...usual, ...details };
}
