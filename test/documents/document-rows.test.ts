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
    cases: [`B${none}`],
    code: ["src/no-such-file.ts", "src/mod.ts#noSuchName"],
    worlds: ["no-such-scenario"],
    laws: [`R-I${none}`],
    bugs: [`B-${none}`],
  };
  expect(missingFrom([row])).toHaveLength(7);
});

test("the page is made from the rows", async () => {
  await expect(rowsPage(documentRows())).toMatchFileSnapshot(PAGE);
});
