import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { NOT_PLANTED } from "./producers/not-planted.ts";

const SPEC = "../shared/spec/shared-stream.md";
const top = new URL("../..", import.meta.url);

/** The numbers of the corpus, as the specification lists them. */
function listed(): readonly string[] {
  const text = readFileSync(new URL(SPEC, top), "utf8");
  return [...text.matchAll(/^\* (P-\d+) /gm)].map(([, id = ""]) => id);
}

test("each bug of the corpus is found, or it is said why it is not planted", () => {
  const table = readFileSync(new URL("bench/CHECK.md", top), "utf8");
  const found = [...table.matchAll(/^\| [\w-]+ +\| (P-\d+)/gm)].map(([, id = ""]) => id);
  const left = new Set(NOT_PLANTED.map(([id]) => id));
  expect(found.filter((id) => left.has(id))).toEqual([]);
  expect([...new Set([...found, ...left])].toSorted()).toEqual([...new Set(listed())].toSorted());
});
