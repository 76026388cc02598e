import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { codesFrom } from "../tidy/code-rules.ts";

const REPAIRS = ["E-01", "E-04", "E-06", "E-07", "E-08", "E-09", "E-11", "E-12", "E-13", "E-15"];
const STRICT = ["E-02", "E-03", "I23", "strictPersistence"];

const folder = new URL("./", import.meta.url);
const CASES = [...codesFrom(readFileSync(new URL("../codes.md", folder), "utf8"))].filter((code) =>
  /^C-\d{3}$/.test(code),
);

/** The first argument of each `test(...)` and `test.for(...)(...)` of this folder. */
function titlesOfFolder(): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".test.ts") && !name.startsWith("case-list"))
    .sort()
    .flatMap((name) => titlesFrom(readFileSync(new URL(name, folder), "utf8")));
}

function titlesFrom(text: string): readonly string[] {
  const calls = text.matchAll(/(?:^test|\))\(\s*"((?:[^"\\]|\\.)*)"/gm);
  return [...calls].map(([, title]) => title ?? "");
}

const titles = titlesOfFolder();

function isNamed(word: string): boolean {
  return titles.some((title) => title.split(/[\s:,;]+/).includes(word));
}

test("each case of the table of codes, C-001 to C-188, stands in the title of a test", () => {
  expect(CASES).toHaveLength(188);
  expect(CASES.filter((name) => !isNamed(name))).toEqual([]);
});

test("no title names a case that the table of codes does not list", () => {
  const named = titles.flatMap((title) => title.match(/C-\d+/g) ?? []);
  expect(named.filter((name) => !CASES.includes(name))).toEqual([]);
});

test("each repair, and strictPersistence, stands in the title of a test", () => {
  expect([...REPAIRS, ...STRICT].filter((name) => !isNamed(name))).toEqual([]);
});

test("no two tests of a folder have the same title", () => {
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
});
