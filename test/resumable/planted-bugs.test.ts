import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ALGORITHM_BUGS, benchWith, upstreamLike } from "./algorithm-bugs.ts";
import { type JobBench, SITES } from "./job-bench.ts";
import { brokenPromise, type History } from "./laws.ts";

const crash = fc.record({
  site: fc.constantFrom(...SITES),
  when: fc.constantFrom("before" as const, "after" as const),
});
const histories: fc.Arbitrary<History> = fc.record({
  crashes: fc.array(fc.option(crash, { nil: undefined }), { maxLength: 4 }),
  endings: fc.array(fc.constantFrom("SUCCEEDED" as const, "FAILED" as const), { maxLength: 2 }),
});

/** Returns the promises that a bench breaks in generated histories. */
async function promisesBrokenBy(benchOf: () => JobBench): Promise<Set<string>> {
  const broken = new Set<string>();
  for (const history of fc.sample(histories, { seed: 4, numRuns: 300 })) {
    const found = await brokenPromise(history, benchOf);
    if (found !== undefined) broken.add(found.promise);
  }
  return broken;
}

describe("a planted bug", () => {
  it("is not found in the correct algorithm", async () => {
    expect(await promisesBrokenBy(benchWith(() => undefined))).toEqual(new Set());
    const right = benchWith((bench) => (bench.runner = upstreamLike({})));
    expect(await promisesBrokenBy(right)).toEqual(new Set());
    const from0 = benchWith((bench) => (bench.ids = (at) => at - 1));
    expect(await promisesBrokenBy(from0)).toEqual(new Set());
  });

  for (const { bug, promise, benchOf } of ALGORITHM_BUGS) {
    it(`${bug} breaks ${promise}`, async () => {
      expect(await promisesBrokenBy(benchOf)).toContain(promise);
    });
  }
});
