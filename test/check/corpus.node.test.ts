import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { codesFrom } from "../tidy/code-rules.ts";
import { NOT_PLANTED } from "./producers/not-planted.ts";

const top = new URL("../..", import.meta.url);

/** The codes of the producer bugs, from the table of codes. */
function listed(): readonly string[] {
  const table = readFileSync(new URL("test/codes.md", top), "utf8");
  return [...codesFrom(table)].filter((code) => code.startsWith("P-"));
}

test("each bug of the corpus is found, or it is said why it is not planted", () => {
  const table = readFileSync(new URL("bench/CHECK.md", top), "utf8");
  const found = [...table.matchAll(/^\| [\w-]+ +\| (P-\d+)/gm)].map(([, id = ""]) => id);
  const left = new Set(NOT_PLANTED.map(([id]) => id));
  expect(found.filter((id) => left.has(id))).toEqual([]);
  expect([...new Set([...found, ...left])].toSorted()).toEqual([...new Set(listed())].toSorted());
});
