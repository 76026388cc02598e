// Measures in Chromium how long a page takes to open and to pan: `npm run measure:page`.
import { bundlePage } from "../../sim/cli/bundle-page.ts";
import { htmlPageFrom } from "../../sim/report/html-page.ts";
import { longRun } from "./long-trace.ts";
import { launchChromium, openPage } from "./opened-page.ts";
import { countCalls, pan } from "./panned-page.ts";

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100_000, 1_000_000];
/** How far the whole run is zoomed in before it is panned, in steps. */
const ZOOMS = [0, 1, 10, 30];
const FRAMES = 240;

const code = await bundlePage();
const browser = await launchChromium();

function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

for (const events of SIZES) {
  const run = { report: await longRun(events), rerun: "" };
  const html = htmlPageFrom(code, { kitVersion: "0", run });
  const { page } = await openPage(browser, html);
  const session = await page.context().newCDPSession(page);
  // Thread time: what this page computes, whatever else the machine does.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('#report[data-state="open"]') === null) return;
      performance.mark("report-open");
      observer.disconnect();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  });
  await page.reload();
  await page.waitForSelector('#report[data-state="open"]');
  const opened = await page.evaluate(async () => {
    const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));
    const wall = performance.getEntriesByName("report-open")[0]?.startTime ?? 0;
    await frame();
    return { wall, drawn: await frame() };
  });
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
  };
  console.log(
    `${events} events, ${(html.length / 1e6).toFixed(1)} MB: open after ${opened.wall.toFixed(0)} ms,`,
    `drawn by ${opened.drawn.toFixed(0)} ms; ${(await busy()).toFixed(0)} ms of processor time`,
  );
  await countCalls(page);
  for (const zoom of ZOOMS) {
    const before = await busy();
    const { frames, calls } = await pan(page, zoom, FRAMES);
    const perFrame = ((await busy()) - before) / FRAMES;
    const [median, late] = [quantile(frames, 0.5), quantile(frames, 0.95)];
    console.log(
      `  panned, zoomed in ${zoom} steps: ${(1_000 / median).toFixed(0)} frames a second at the median,`,
      `95 % within ${late.toFixed(1)} ms; ${perFrame.toFixed(2)} ms of processor time a frame;`,
      `at most ${Math.max(...calls)} canvas calls`,
    );
  }
  await page.close();
}
await browser.close();
