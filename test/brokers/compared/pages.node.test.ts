import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkoutRoot } from "../../mutants/checkout-root.ts";
import { COMPARISONS } from "./comparisons.ts";
import { pageName, pageText } from "./page-text.ts";

test.for(COMPARISONS)("the page of $broker is current, and README leads to it", (comparison) => {
  const name = pageName(comparison);
  expect(readFileSync(join(import.meta.dirname, name), "utf8")).toBe(pageText(comparison));
  const readme = readFileSync(join(checkoutRoot, "README.md"), "utf8");
  expect(readme).toContain(`test/brokers/compared/${name}`);
});
