import { describe, expect, it } from "vitest";
import { isShown, readTable } from "./survivors.ts";

describe("the table of survivors", () => {
  const table = readTable();

  it("lists each mutant once, and says why an equivalent one is equivalent", () => {
    const ids = table.survivors.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const unexplained = table.survivors.filter(
      ({ verdict, why }) => verdict === "equivalent" && why === "",
    );
    expect(unexplained).toEqual([]);
  });

  it("is what survivors.md shows", () => {
    expect(isShown(table)).toBe(true);
  });
});
