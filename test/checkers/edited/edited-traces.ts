import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Scenario } from "../../../sim/scenario/scenario.ts";
import { judge, nameOf, type Pins, verdictsOf } from "./judge-traces.ts";
import { readTraces } from "./recorded-traces.ts";

const { known, verdicts } = JSON.parse(
  readFileSync(new URL("verdicts.json", import.meta.url), "utf8"),
) as Pins;

/** Says what the checkers must say of the recorded traces of a world, unedited and edited. */
export function describeEditedTraces(world: Scenario["world"]): void {
  describe.each(readTraces().filter((trace) => trace.world === world))(
    `for every edit of the trace of $scenario seed $seed`,
    (trace) => {
      const ids = known[world] ?? [];

      it("breaks nothing unedited", () => {
        expect(judge(trace, trace.events, new Set(ids)).violations).toEqual([]);
      });

      it("breaks what was pinned: see pin-verdicts.ts", () => {
        const pinned = verdicts.find((one) => one.trace === nameOf(trace));
        expect(verdictsOf(trace, ids)).toEqual(pinned);
      });
    },
  );
}
