import { expect, test } from "vitest";
import { missingFrom, rowsPage, documentRows } from "./document-rows.ts";

const PAGE = new URL("ROWS.md", import.meta.url).pathname;

test("every case, file, scenario, checker and bug that a row names exists, and is tested", () => {
  expect(documentRows().length).toBeGreaterThan(200);
  expect(missingFrom(documentRows())).toEqual([]);
});

test("a row that names what does not exist is noticed", () => {
  const none = 999;
  const row = {
    document: "Shared streams",
    says: "It is so",
    kind: "promise",
    why: "",
    cases: [`B${none}`],
    code: ["src/no-such-file.ts", "src/mod.ts#noSuchName"],
    worlds: ["no-such-scenario"],
    laws: [`R-I${none}`],
    bugs: [`B-${none}`, "store/scratch-is-removed"],
  } as const;
  expect(missingFrom([row])).toHaveLength(8);
});

test("a promise without a law, a world or a bug needs a reason", () => {
  const [row] = documentRows();
  if (row === undefined) throw new Error("Cannot read rows.txt: it has no rows");
  const bare = { ...row, kind: "promise", why: "", worlds: [], laws: [], bugs: [] } as const;
  expect(missingFrom([bare])).toHaveLength(3);
  expect(missingFrom([{ ...bare, why: "nothing in a world acts on it" }])).toEqual([]);
  expect(missingFrom([{ ...bare, kind: "advice" }])).toEqual([]);
});

test("the page is made from the rows", async () => {
  await expect(rowsPage(documentRows())).toMatchFileSnapshot(PAGE);
});
