import { expect, test } from "vitest";
import { applyMutant, type Mutant } from "./mutant.ts";

const MUTANT: Mutant = {
  bug: "B-01",
  what: "five is an odd number of things",
  patch: `B-01: five is an odd number of things

--- src/a.ts
+++ src/a.ts
@@ -1,5 +1,5 @@
 one
 two
-three
+four
 five
 six
`,
};

test("applyMutant() finds lines that moved, between others that were changed a little", () => {
  const text = "none\nnaught\none\n2\nthree\nfive\nsix\n".replace("2", "two").replace("one", "1");
  const changed = applyMutant(MUTANT, () => text);
  expect([...changed]).toEqual([["src/a.ts", text.replace("three", "four")]]);
});

test("applyMutant() names the bug whose patch does not fit any more", () => {
  expect(() => applyMutant(MUTANT, () => "one\ntwo\n3\nfive\nsix\n")).toThrow(
    "Cannot plant B-01: its patch does not fit src/a.ts",
  );
});
