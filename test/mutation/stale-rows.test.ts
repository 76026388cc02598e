import { describe, expect, it } from "vitest";
import { mutantsFrom, type SourceMutant } from "./source-mutants.ts";
import { staleRowsOf } from "./stale-rows.ts";
import { type Survivor, survivorFrom } from "./survivors.ts";

const FILE = "src/a.ts";

/** The rows of a table that lists each mutant of a text. */
function rowsOf(text: string, file = FILE): readonly Survivor[] {
  return mutantsFrom(file, text).map((mutant) => survivorFrom(mutant, "open", "a test is owed"));
}

/** What the rows of the code before say of the code as it is now. */
function movedTo(before: string, after: readonly SourceMutant[]): readonly string[] {
  const { moved, gone } = staleRowsOf(rowsOf(before), after);
  return [...[...moved.keys()].map(({ id }) => id), ...gone.map(({ id }) => `gone ${id}`)];
}

describe("staleRowsOf()", () => {
  const before = "function f() { a(); }";
  const [row] = rowsOf(before);

  it("leaves rows alone whose mutants are there", () => {
    const after = mutantsFrom(FILE, `b();\n${before}`);
    expect(staleRowsOf(rowsOf(before), after)).toEqual({ moved: new Map(), gone: [] });
  });

  it.each([
    ["another file", mutantsFrom("src/b.ts", "function f() { a(); }\nfunction g() { b(); }")],
    ["another function", mutantsFrom(FILE, "function g() { a(); }\nfunction f() { b(); }")],
  ])("follows code into %s", (_where, after) => {
    expect(movedTo(before, after)).toEqual([after[0]?.id]);
  });

  it("follows code to the nearest place", () => {
    const far = mutantsFrom(FILE, "function g() { a(); }");
    const near = mutantsFrom("src/b.ts", before);
    expect(movedTo(before, [...far, ...near])).toEqual([near[0]?.id]);
  });

  it.each([
    ["is there no more", mutantsFrom(FILE, "function f() { b(); }")],
    ["is at another place of another file", mutantsFrom("src/b.ts", "function g() { a(); }")],
    ["may be one of two", mutantsFrom(FILE, "function g() { a(); }\nfunction h() { a(); }")],
  ])("gives no verdict to code that %s", (_what, after) => {
    expect(movedTo(before, after)).toEqual([`gone ${row?.id}`]);
  });

  it("gives a verdict to code that no other row speaks of", () => {
    const after = mutantsFrom(FILE, "function g() { a(); }");
    const rows = [...rowsOf(before), ...after.map((one) => survivorFrom(one, "open", ""))];
    expect(staleRowsOf(rows, after).gone).toEqual([row]);
  });
});
