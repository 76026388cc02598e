import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { bundlePage } from "../../sim/cli/bundle-page.ts";
import { mermaidFrom } from "../../sim/page/exports/mermaid.ts";
import { perfettoFrom } from "../../sim/page/exports/perfetto.ts";
import { htmlPageFrom, type PageCode } from "../../sim/report/html-page.ts";
import { runIndexFrom } from "../../sim/report/run-index.ts";
import { runModelFrom } from "../../sim/report/run-model.ts";
import type { RunReport } from "../../sim/run/run-report.ts";
import { readTrace } from "./exports/trace-event-format.ts";
import {
  chromiumPath,
  isBrowserOwed,
  launchChromium,
  openPage,
  seriousFindings,
  type ViewOptions,
} from "./opened-page.ts";
import { longRun } from "./long-trace.ts";
import { countCalls, pan } from "./panned-page.ts";
import { ABORTED, FAULTS, OURS, runOf, WINDOW } from "./runs.ts";

/** What a frame of a 1440 by 900 page takes at most, however long its run is. */
const CALLS_MAX = 20_000;
/** A frame that is panned over what was drawn before copies it. */
const PANNED_CALLS_MAX = 1_000;

const RERUN = "npx faultlane run aborted.yaml --seed 1";

let browser: Browser | undefined;
let code: PageCode = { script: "", style: "" };

beforeAll(async () => {
  code = await bundlePage();
  if (chromiumPath !== undefined) browser = await launchChromium();
});

afterAll(() => browser?.close());

function pageOf(report: RunReport): string {
  const run = { report, rerun: RERUN };
  return htmlPageFrom(code, { kitVersion: "0", run });
}

/** Without a browser a test is skipped, which the output shows; in CI it fails. */
function open(context: TestContext, html: string, view?: ViewOptions) {
  if (browser === undefined) {
    if (isBrowserOwed) throw new Error("There is no Chromium: apt-get install chromium");
    return context.skip("there is no Chromium on this machine");
  }
  return openPage(browser, html, view);
}

it("the program of the page takes at most 150 kB", () => {
  expect(code.script.length + code.style.length).toBeLessThanOrEqual(150_000);
});

describe("the page of a broken run", () => {
  it("opens at the break, without a request or an error", async (context) => {
    const { page, troubles } = await open(context, pageOf(await runOf(ABORTED)));
    expect(await page.textContent("h1")).toBe("run");
    expect(await page.textContent(".verdict")).toBe("broken: I1, settled");
    expect(await page.textContent(".event-place")).toContain("5.037 s · runner-1");
    expect(await page.textContent(".promise-words")).toContain("a key is held exactly while");
    expect(await page.textContent(".state")).toContain("seq 15 unconfirmed");
    expect(troubles).toEqual([]);
  });

  it("goes where a line of the story says", async (context) => {
    const { page } = await open(context, pageOf(await runOf(ABORTED)));
    await page.click("text=runner-1 opens poll 4");
    await page.waitForSelector(".event-words:has-text('runner-1 opens poll 4 of')");
    expect(await page.textContent(".event-words")).toBe(
      'runner-1 opens poll 4 of ["topic","orders"]',
    );
    expect(await page.textContent(".state h2")).toContain("at 0.011 s");
  });

  it("steps by event and host by keyboard", async (context) => {
    const { page } = await open(context, pageOf(await runOf(ABORTED)));
    const place = async (): Promise<number> =>
      Number(/event (\d+)/.exec((await page.textContent(".event-place")) ?? "")?.[1]);
    const atBreak = await place();
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(
      (at) => document.body.textContent.includes(`event ${at} of`),
      atBreak - 1,
    );
    await page.keyboard.press("]");
    await page.waitForFunction(
      (at) => document.body.textContent.includes(`event ${at} of`),
      atBreak,
    );
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.body.textContent.includes("event 1 of"));
    await page.keyboard.press("b");
    await page.waitForFunction(
      (at) => document.body.textContent.includes(`event ${at} of`),
      atBreak,
    );
  });

  it("follows a record", async (context) => {
    const { page, troubles } = await open(context, pageOf(await runOf(ABORTED)));
    await page.click('role=tab[name="Journey"]');
    await page.fill("#journey-name", "orders/1@0");
    await page.press("#journey-name", "Enter");
    await page.waitForSelector(".steps li");
    expect(await page.textContent(".journey-title")).toContain("The way of record orders/1@0");
    const steps = await page.locator(".steps li").allTextContents();
    expect(steps[0]).toContain("orders/1@0 is published");
    expect(steps.at(-2)).toContain("the broker takes orders/1@0 for settled");
    await page.click(".steps li:first-child button");
    await page.keyboard.press("j");
    await page.waitForFunction(() =>
      document.body.textContent.includes("the stream yields orders/1@0"),
    );
    expect(troubles).toEqual([]);
  });

  it("exports the run for Perfetto, and what led to the break as a diagram", async (context) => {
    const report = await runOf(ABORTED);
    const { page, troubles } = await open(context, pageOf(report));
    const saved = async (name: string): Promise<[file: string, text: string]> => {
      await page.click(".export summary");
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.click(`.export button:has-text("${name}")`),
      ]);
      return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
    };
    const model = runModelFrom({ report, rerun: RERUN });
    const [traceName, trace] = await saved("Perfetto");
    expect(traceName).toBe("run.seed-1.perfetto.json");
    expect(trace).toBe([...perfettoFrom(model)].join(""));
    expect(readTrace(trace).slices.size).toBeGreaterThan(5);
    expect(await saved("Mermaid")).toEqual([
      "run.seed-1.mmd",
      mermaidFrom(model, { kind: "break", violation: 0 }),
    ]);
    await page.click('role=tab[name="Journey"]');
    await page.fill("#journey-name", "orders/1@0");
    await page.press("#journey-name", "Enter");
    await page.waitForSelector(".steps li");
    const [, way] = await saved("Mermaid");
    expect(way).toBe(mermaidFrom(model, { kind: "record", name: "orders/1@0" }));
    expect(troubles.filter((trouble) => !trouble.startsWith("request: blob:"))).toEqual([]);
  });

  it("searches", async (context) => {
    const { page } = await open(context, pageOf(await runOf(ABORTED)));
    await page.keyboard.press("/");
    await page.keyboard.type("advance of poll 4 throws");
    await page.waitForSelector(".results:not([hidden])");
    expect(await page.textContent(".search-count")).toBe("1 found");
    await page.click(".results .event-link");
    await page.waitForSelector(".event-words:text-is('advance of poll 4 throws')");
  });

  it("changes its theme and its axis, and shows its keys", async (context) => {
    const { page, troubles } = await open(context, pageOf(await runOf(ABORTED)));
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.click("text=Auto");
    await page.click("text=Light");
    expect(await ground()).not.toBe(light);
    await page.click("text=Axis: time");
    await page.waitForSelector("text=Axis: events");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    expect(troubles).toEqual([]);
  });

  it.for([
    [1440, "light"],
    [1440, "dark"],
    [360, "light"],
    [360, "dark"],
  ] as const)("is accessible and fits at %i pixels, %s", async ([width, theme], context) => {
    const html = pageOf(await runOf(ABORTED));
    const { page, troubles } = await open(context, html, { width, height: 800, theme });
    await page.click("summary:has-text('Also broken')");
    expect(await seriousFindings(page)).toEqual([]);
    for (const tab of ["Journey", "Scenario"]) {
      await page.click(`role=tab[name="${tab}"]`);
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    expect(troubles).toEqual([]);
  });
});

describe("the page of any run", () => {
  it.for([FAULTS, WINDOW])("opens and shows the state at any event", async (text, context) => {
    const { page, troubles } = await open(context, pageOf(await runOf(text)));
    expect(await page.textContent(".verdict")).toBe("held");
    await page.keyboard.press("End");
    await page.waitForSelector(".state table");
    await page.keyboard.press("p");
    await page.keyboard.press("0");
    expect(await seriousFindings(page)).toEqual([]);
    expect(troubles).toEqual([]);
  });
});

it("writes on bars what they are, beside the spans that lie upon them", async (context) => {
  const { page } = await open(context, pageOf(await runOf(FAULTS)));
  await page.evaluate(() => {
    const { prototype } = CanvasRenderingContext2D;
    const { fillText } = prototype;
    prototype.fillText = function noted(text, ...place) {
      document.body.dataset["written"] = `${document.body.dataset["written"] ?? ""}${text}\n`;
      fillText.call(this, text, ...place);
    };
  });
  await page.keyboard.press("0");
  await page.waitForSelector('[data-written*="virtual time"]');
  const written = (await page.getAttribute("body", "data-written")) ?? "";
  expect(written.split("\n")).toEqual(
    expect.arrayContaining(["incarnation 1", "incarnation 2", "paused", "safety"]),
  );
});

describe("the page of a long run", () => {
  it("calls the canvas no oftener for a hundred thousand events than for a few", async (context) => {
    const most: number[] = [];
    for (const events of [20_000, 100_000]) {
      const { page, troubles } = await open(context, pageOf(await longRun(events)));
      await countCalls(page);
      // Ten steps in there is a new tile in some frames; in most there is none.
      const { calls: panned } = await pan(page, 10, 60);
      expect(Math.max(...panned)).toBeLessThan(CALLS_MAX);
      expect(panned.toSorted((one, other) => one - other)[30]).toBeLessThan(PANNED_CALLS_MAX);
      const { calls } = await pan(page, 0, 12);
      most.push(Math.max(...calls));
      expect(troubles).toEqual([]);
    }
    const [few = 0, many = 0] = most;
    expect(few).toBeGreaterThan(100);
    expect(many).toBeLessThan(PANNED_CALLS_MAX);
    expect(many).toBeLessThan(1.5 * few);
  });
});

describe("the page of two runs", () => {
  it("shows them side by side, and where they part", async (context) => {
    const [report, ours] = [await runOf(ABORTED), await runOf(OURS)];
    const run = { report, rerun: "" };
    const parts = { kitVersion: "0", run, other: { report: ours, rerun: "" } };
    const { page, troubles } = await open(context, htmlPageFrom(code, parts));
    await page.click('role=tab[name="Compare"]');
    const words = (await page.textContent(".compare-words")) ?? "";
    const same = Number(/^The first (\d+) events are the same/.exec(words)?.[1]);
    expect(same).toBeGreaterThan(50);
    expect(ours.trace.slice(0, same)).toEqual(report.trace.slice(0, same));
    expect(ours.trace[same]).not.toEqual(report.trace[same]);
    expect(await page.locator(".timeline").count()).toBe(2);
    expect(await seriousFindings(page)).toEqual([]);
    expect(troubles).toEqual([]);
  });
});

/** Markup that would run a script in a page that takes text for markup. */
const EVIL =
  "</script><script>document.title='evil'</script><img src=x onerror=\"document.title='evil'\">";

describe("the index of runs", () => {
  it.for([
    [1440, "light"],
    [1440, "dark"],
    [360, "light"],
    [360, "dark"],
  ] as const)("is accessible and fits at %i pixels, %s", async ([width, theme], context) => {
    const runs = [
      { report: await runOf(ABORTED), page: "aborted.seed-1.html" },
      { report: await runOf(FAULTS), page: "faults.seed-1.html" },
    ];
    const html = runIndexFrom(runs);
    const { page, troubles } = await open(context, html, { width, theme, isReport: false });
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("run, seed 1");
    expect(troubles).toEqual([]);
  });
});

describe("a hostile page", () => {
  it("runs no script out of names, errors and stories", async (context) => {
    const report = await runOf(ABORTED);
    const html = pageOf({
      ...report,
      scenario: EVIL,
      violations: report.violations.map((one) => ({
        ...one,
        checker: EVIL,
        promise: EVIL,
        detail: EVIL,
        ref: EVIL,
        story: [EVIL, `5.037 s  ${EVIL}`],
      })),
      trace: report.trace.map((event) => {
        if (event.kind === "published" || event.kind === "emit") return { ...event, ref: EVIL };
        return event.kind === "subscribe" ? { ...event, key: EVIL, host: EVIL } : event;
      }),
    });
    const { page, troubles } = await open(context, html);
    await page.click('role=tab[name="Journey"]');
    await page.fill("#journey-name", EVIL);
    await page.press("#journey-name", "Enter");
    await page.waitForSelector(".steps li");
    await page.fill("#search", "onerror");
    await page.waitForSelector(".results:not([hidden])");
    expect(await page.title()).toContain("img src=x");
    expect(await page.title()).not.toBe("evil");
    expect(await page.locator("img").count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it("shows a million events with markup in their names, and runs no script", async (context) => {
    const report = await longRun(1_000_000, (event) => ({
      ...event,
      host: `${event.host}${EVIL}`,
      ...("ref" in event && { ref: `${event.ref}${EVIL}` }),
      ...("key" in event && { key: `${event.key}${EVIL}` }),
    }));
    const { page, troubles } = await open(context, pageOf({ ...report, scenario: EVIL }));
    // A run of this length is read in parts, between which the page can be used.
    const parts = await page.evaluateHandle(() => {
      const seen: string[] = [];
      const state = document.querySelector(".state");
      const note = (): unknown => seen.push(state?.querySelector("h2")?.textContent ?? "");
      if (state !== null) new MutationObserver(note).observe(state, { childList: true });
      return seen;
    });
    for (const [key, event] of [
      ["End", 1_000_000],
      ["ArrowLeft", 999_999],
      ["ArrowLeft", 999_998],
    ] as const) {
      await page.keyboard.press(key);
      await page.waitForSelector(`.state h2:has-text("After event ${event},")`);
      expect(await page.textContent(".event-place")).toContain(
        `${EVIL} · event ${event} of 1000000`,
      );
    }
    const titles = await parts.jsonValue();
    expect(titles.filter((title) => title.startsWith("Reading the run"))).toHaveLength(49);
    expect(titles.slice(49)).toHaveLength(3);
    expect(await page.textContent(".state table")).toContain(EVIL);
    await page.fill("#search", "advance of poll");
    await page.waitForSelector(".results:not([hidden])");
    expect(await page.textContent(".search-count")).toMatch(/^\d{4,} found$/);
    await page.click('role=tab[name="Journey"]');
    await page.fill("#journey-name", `orders/1@3${EVIL}`);
    await page.press("#journey-name", "Enter");
    await page.waitForSelector(".steps li");
    expect(await page.textContent(".journey-title")).toContain(`record orders/1@3${EVIL}`);
    expect(await page.title()).toContain("img src=x");
    expect(await page.title()).not.toBe("evil");
    expect(await page.locator("img, script[src]").count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it("says so when the file was cut short, and shows what it has", async (context) => {
    const html = pageOf(await runOf(ABORTED));
    const { page, troubles } = await open(context, html.slice(0, -2_000));
    expect(await page.textContent(".notice")).toMatch(/incomplete: it has \d+ % of the trace/);
    expect(await page.textContent(".scenario")).toContain("profile: airflow-3.3");
    expect(troubles).toEqual([]);
  });

  it("says so when its trace is damaged", async (context) => {
    const html = pageOf(await runOf(ABORTED));
    const at = html.indexOf('id="report-trace-0">') + 400;
    const { page, troubles } = await open(context, `${html.slice(0, at)}AAAA${html.slice(at + 4)}`);
    expect(await page.textContent(".notice")).toContain("damaged");
    expect(troubles).toEqual([]);
  });
});
