import { expect, test } from "vitest";
import { OPTION_TAKERS } from "./option-takers.ts";

test.each(OPTION_TAKERS)("$what refuses an option that it does not know", async (taker) => {
  const called = (async () => taker.call({ tocken: 1 }))();
  await expect(called).rejects.toThrow(TypeError);
  await expect(called).rejects.toThrow(
    `Cannot use "tocken" as an option of ${taker.what}: write {`,
  );
});
