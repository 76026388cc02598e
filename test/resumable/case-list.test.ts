import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const top = new URL("../", import.meta.url);

/** The titles of all tests in a folder of test. */
function titlesIn(folder: string): string[] {
  return readdirSync(new URL(folder, top))
    .filter((name) => name.endsWith(".test.ts") && name !== "case-list.test.ts")
    .flatMap((name) => {
      const text = readFileSync(new URL(`${folder}/${name}`, top), "utf8");
      return [...text.matchAll(/\bit\(\s*(["'`])((?:\\.|(?!\1).)*)\1/g)].map(
        ([, , title]) => title,
      );
    })
    .filter((title) => title !== undefined);
}

const titles = [...titlesIn("resumable"), ...titlesIn("operator")];

for (const [letter, last] of [
  ["B", 65],
  ["C", 38],
] as const) {
  it(`names every case from ${letter}1 to ${letter}${last} in the title of a test`, () => {
    const named = new Set(titles.flatMap((title) => title.match(/\b[BC]\d+\b/g) ?? []));
    const cases = Array.from({ length: last }, (_, at) => `${letter}${at + 1}`);
    expect(cases.filter((name) => !named.has(name))).toEqual([]);
  });
}
