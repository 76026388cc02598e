import * as fc from "fast-check";
import { test } from "vitest";
import { type ScriptFamily, scriptOf } from "../arbitraries/shared-stream-script.ts";
import { createOurs, createReference } from "../golden/managers.ts";
import { firstMismatch, observe, textFromMismatch } from "../golden/replay.ts";
import type { Script } from "../golden/script.ts";
import { FAMILIES } from "../golden/script-families.ts";
import { inAirflow } from "./airflow.ts";

/** SEQUENCES in the environment is how many of each family, SEED which. */
const numRuns = Number(process.env["SEQUENCES"] ?? 60);
const seed = Number(process.env["SEED"] ?? 1);

/**
 * Where an advance raises amid a burst, a subscriber that waits gets the next item or the failure,
 * whichever its event loop comes to first. No contract says which; there bursts are of one item.
 */
function withoutRaces(family: ScriptFamily): ScriptFamily {
  return family.hasFailingAdvance ? { ...family, burstMax: 1 } : family;
}

test.for(FAMILIES)(
  "Airflow's own manager shows what ours and the reference show: %s",
  { timeout: 600_000 },
  async ([, family], context) => {
    const scripts: readonly Script[] = fc.sample(scriptOf(withoutRaces(family)), { numRuns, seed });
    const airflow = inAirflow(context, "shared_stream_scripts.py", scripts);
    for (const [at, script] of scripts.entries()) {
      const expected = airflow[at] as readonly (readonly string[])[];
      for (const createManager of [createOurs, createReference]) {
        const mismatch = firstMismatch(script, expected, await observe(script, createManager));
        if (mismatch !== undefined) throw new Error(textFromMismatch(mismatch));
      }
    }
  },
);
