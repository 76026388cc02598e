import { describe, expect, test } from "vitest";
import { AMID_SETTLING_BUGS } from "./amid-settling-bugs.ts";

describe("the default settings find a producer that", () => {
  test.each(AMID_SETTLING_BUGS)("$what", async (bug) => {
    const found = await bug.find();
    expect(found, `${bug.id} was not found`).toBeDefined();
    expect(bug.guarantees).toContain(found?.guarantee);
  });
});
