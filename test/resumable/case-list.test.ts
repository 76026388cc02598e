import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { codesFrom } from "../tidy/code-rules.ts";

const top = new URL("../", import.meta.url);

/** Returns the titles of all tests in a folder. */
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

const listed = [...codesFrom(readFileSync(new URL("codes.md", top), "utf8"))];

for (const [letter, last] of [
  ["B", 65],
  ["C", 38],
] as const) {
  it(`names every case from ${letter}1 to ${letter}${last} in the title of a test`, () => {
    const named = new Set(titles.flatMap((title) => title.match(/\b[BC]\d+\b/g) ?? []));
    const cases = listed.filter((code) => code.startsWith(letter) && !code.includes("-"));
    expect(cases).toHaveLength(last);
    expect(cases.filter((name) => !named.has(name))).toEqual([]);
  });
}
