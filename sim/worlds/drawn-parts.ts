import type { ScenarioBase, SiteFault } from "../codecs/scenario-parts.ts";
import type { SiteName } from "../faults/site.ts";
import type { VerdictName } from "../faults/verdict.ts";

/** Every promise is checked. */
export const EXPECT_ALL: ScenarioBase["expect"] = Object.freeze({
  checkers: "all",
  broken: [],
  brokenIn: "every-run",
});

/** A fault that strikes one in `n` calls of a site, with the lengths that a file would leave out. */
export function siteFaultAtRate(site: SiteName, verdict: VerdictName, n: number): SiteFault {
  return {
    site,
    verdict,
    times: 1,
    rate: { numerator: 1, denominator: n },
    for: 2_000,
    restartAfter: 3_000,
  };
}
