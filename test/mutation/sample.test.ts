import { describe, expect, it } from "vitest";
import { sampleOf } from "./sample.ts";
import { mutantsFrom, type SourceMutant } from "./source-mutants.ts";

function mutantsIn(file: string, calls: number): readonly SourceMutant[] {
  return mutantsFrom(file, Array.from({ length: calls }, (_, at) => `f${at}();`).join("\n"));
}

const MUTANTS = [
  ...mutantsIn("src/a.ts", 50),
  ...mutantsIn("sim/checkers/b.ts", 50),
  ...mutantsIn("sim/brokers/c.ts", 6),
];

describe("sampleOf()", () => {
  it("draws the same for the same seed, and other ones for another", () => {
    expect(sampleOf(MUTANTS, 30, 1)).toEqual(sampleOf(MUTANTS, 30, 1));
    expect(sampleOf(MUTANTS, 30, 1)).not.toEqual(sampleOf(MUTANTS, 30, 2));
  });

  it("draws a third from each group, and more where a group has too few", () => {
    const sample = sampleOf(MUTANTS, 30, 1);
    const count = (part: string): number => sample.filter(({ file }) => file === part).length;
    expect([count("src/a.ts"), count("sim/checkers/b.ts"), count("sim/brokers/c.ts")]).toEqual([
      12, 12, 6,
    ]);
  });

  it("keeps what it drew when other code changes", () => {
    const before = sampleOf(MUTANTS, 30, 1);
    const after = sampleOf([...mutantsIn("src/new.ts", 1), ...MUTANTS], 30, 1);
    expect(before.filter((one) => !after.includes(one)).length).toBeLessThanOrEqual(1);
  });
});
