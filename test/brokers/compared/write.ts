// Writes the pages that tell how the models were compared with servers.
//
//   node test/brokers/compared/write.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPARISONS } from "./comparisons.ts";
import { pageName, pageText } from "./page-text.ts";

for (const comparison of COMPARISONS) {
  writeFileSync(join(import.meta.dirname, pageName(comparison)), pageText(comparison));
}
