// Makes the thousand seeds of each family of scenarios in Chromium and compares their digest with
// the pinned one of the other runtimes: `npm run digests:chromium`, or one family: `-- streams`.
import { readFileSync } from "node:fs";
import { LineDigest } from "../../sim/trace/digest.ts";
import { launchChromium } from "../page/opened-page.ts";
import pinned from "../scenarios/digests.json" with { type: "json" };
import { scenarioFamilies } from "../sim/read-scenarios.ts";
import { type BrowserKit, openKit } from "./opened-kit.ts";

const RUNS = 1_000;
/** As in test/scenarios/thousand-seeds.ts. */
const FIRST_SEED = 1_001;
/** How many runs are made between two lines of progress. */
const BATCH = 100;

const DIGESTS = pinned as Readonly<Record<string, unknown>>;
const wanted = process.argv.slice(2);

const browser = await launchChromium();
const { page, troubles } = await openKit(browser);

async function familyDigest(family: string, names: readonly string[]): Promise<string> {
  const texts = names.map((name) =>
    readFileSync(new URL(`../../scenarios/${name}.yaml`, import.meta.url), "utf8"),
  );
  const all = new LineDigest();
  for (let from = 0; from < RUNS; from += BATCH) {
    const digests = await page.evaluate(
      async ({ names, texts, from, to, first }) => {
        const { kit } = globalThis as unknown as { kit: BrowserKit };
        const made: string[] = [];
        for (let at = from; at < to; at += 1) {
          const nth = at % names.length;
          made.push(await kit.digestOf(texts[nth] ?? "", names[nth] ?? "", first + at));
        }
        return made;
      },
      { names: [...names], texts, from, to: from + BATCH, first: FIRST_SEED },
    );
    for (const one of digests) all.add(one);
    console.log(`${family}: ${from + BATCH} of ${RUNS}`);
  }
  return all.hex();
}

for (const [family, names] of scenarioFamilies()) {
  if (wanted.length > 0 && !wanted.includes(family)) continue;
  const digest = await familyDigest(family, names);
  const isEqual = digest === DIGESTS[`a thousand seeds of ${family}`];
  console.log(`${family}: ${isEqual ? "equal" : "DIFFERENT"}, ${digest}`);
  if (!isEqual) process.exitCode = 1;
}
await browser.close();
if (troubles.length > 0) throw new Error(troubles.join("\n"));
