// Takes the picture of a broken run's page that the README shows: `npm run picture`.
import { writeFileSync } from "node:fs";
import { bundlePage } from "../../sim/cli/bundle-page.ts";
import { htmlPageFrom } from "../../sim/report/html-page.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { launchChromium, openPage } from "./opened-page.ts";
import { ABORTED } from "./runs.ts";

const PICTURE = new URL("../../sim/report/broken-run.png", import.meta.url);
const BYTES_MAX = 150_000;

const report = await simulate(parseScenario(ABORTED, "aborted"), { seed: 1 });
const run = { report, rerun: "npx faultlane run aborted.yaml --seed 1" };
const html = htmlPageFrom(await bundlePage(), { kitVersion: "0.1.0", run });
const browser = await launchChromium();
const { page } = await openPage(browser, html, { width: 1180, height: 720 });
await page.keyboard.press("p");
await page.keyboard.press("b");
// The cursor rests on the break, and what it owes is seen below.
await page.waitForFunction(() => document.body.textContent.includes("seq 15 unconfirmed"));
const picture = await page.screenshot({ type: "png" });
await browser.close();
if (picture.length > BYTES_MAX) throw new RangeError(`The picture has ${picture.length} bytes`);
writeFileSync(PICTURE, picture);
console.log(`sim/report/broken-run.png: ${picture.length} bytes`);
