import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { hashFrom } from "../../sim/playground/link.ts";
import { faultlaneIn } from "../cli/faultlane.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import {
  chromiumPath,
  isBrowserOwed,
  launchChromium,
  seriousFindings,
  type ViewOptions,
} from "../page/opened-page.ts";

const TIMEOUT_MS = 300_000;
const FOLDER = mkdtempSync(join(tmpdir(), "faultlane-playground-"));
const FILE = join(FOLDER, "index.html");

let browser: Browser | undefined;

beforeAll(async () => {
  expect(await faultlaneIn(FOLDER, "playground", "--out", FOLDER)).toMatchObject({ code: 0 });
  if (chromiumPath !== undefined) browser = await launchChromium();
});

afterAll(() => browser?.close());

interface Opened {
  readonly page: Page;
  readonly troubles: readonly string[];
}

async function open(
  context: TestContext,
  hash = "",
  { width = 1440, height = 900, theme = "light" }: ViewOptions = {},
): Promise<Opened> {
  if (browser === undefined) {
    if (isBrowserOwed) throw new Error("There is no Chromium: apt-get install chromium");
    return context.skip("there is no Chromium on this machine");
  }
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
  page.setDefaultTimeout(TIMEOUT_MS);
  const troubles: string[] = [];
  page.on("console", (message) => troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    const isOwn = url.startsWith(`file://${FILE}`) || /^(data|blob|about):/.test(url);
    if (!isOwn) troubles.push(`request: ${url}`);
  });
  await page.goto(`file://${FILE}${hash}`);
  await page.waitForSelector('#playground[data-state="open"]');
  return { page, troubles };
}

const button = (name: string): string => `button:text-is("${name}"):visible`;

/** Waits until what was begun is over, and returns the verdict. */
async function verdictOf(page: Page): Promise<string> {
  await page.waitForSelector('#playground[data-busy="false"]');
  return (await page.textContent(".outcome > .verdict")) ?? "";
}

function hashOf(text: string, tab: "scenario" | "producer" = "scenario", broker = "kafka"): string {
  return hashFrom({ tab, text, seed: 1, broker });
}

const SMALL = `story: A client calls Airflow's own algorithm in every way its API allows
world: manager
profile: airflow-3.3
operations: 40
`;

describe("the playground", () => {
  it("runs a scenario, and shows its report", async (context) => {
    const { page, troubles } = await open(context);
    await page.click(button("Run"));
    expect(await verdictOf(page)).toBe("broken: I1, settled");
    const report = page.frameLocator("iframe");
    await report.locator('#report[data-state="open"]').waitFor();
    expect(await report.locator(".event-place").textContent()).toContain("5.037 s · runner-1");
    expect(troubles).toEqual([]);
  });

  it("fuzzes and shrinks, from a link", async (context) => {
    const { page, troubles } = await open(context, hashOf(SMALL));
    await page.fill("[name=runs]", "150");
    await page.click(button("Fuzz"));
    expect(await verdictOf(page)).toMatch(/^\d+ found$/);
    expect(await page.textContent(".words")).toMatch(
      /^150 of 150 runs: \d+ behaviours, \d+ faults/,
    );
    await page.click(`.found li:first-child ${button("Shrink")}`);
    await verdictOf(page);
    expect(await page.textContent(".cm-content")).toContain("choices:");
    await page.click(button("Run"));
    expect(await verdictOf(page)).toMatch(/^(broken|expected-failure): /);
    expect(troubles).toEqual([]);
  });

  it("stops what takes long", async (context) => {
    const { page, troubles } = await open(context, hashOf(SMALL));
    await page.fill("[name=runs]", "1000000");
    await page.click(button("Fuzz"));
    await page.waitForFunction(() => document.querySelector(".words")?.textContent.includes("of"));
    await page.click(button("Stop"));
    expect(await verdictOf(page)).toBe("Stopped");
    await page.click(button("Run"));
    expect(await verdictOf(page)).toMatch(/^(held|broken)/);
    expect(troubles).toEqual([]);
  });

  it("marks what is wrong with a scenario, and proposes what may stand there", async (context) => {
    const { page, troubles } = await open(context, hashOf("story: Mine\nworld: nowhere\n"));
    await page.waitForSelector(".cm-lintRange-error");
    await page.click(button("Run"));
    expect(await verdictOf(page)).toBe("Cannot do that");
    expect(await page.textContent(".words")).toContain("world");
    await page.click(".cm-content");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("pha");
    await page.waitForSelector(".cm-tooltip-autocomplete");
    expect(await page.textContent(".cm-tooltip-autocomplete")).toContain("phases");
    expect(troubles).toEqual([]);
  });

  it("carries the text in a link", async (context) => {
    const { page } = await open(context, hashOf(SMALL));
    await page.click(button("Link"));
    const { page: other } = await open(context, new URL(page.url()).hash);
    expect(await other.textContent(".cm-content")).toContain("in every way its API allows");
  });
});

describe("the playground's examples", () => {
  it("of producers break what their names say, or hold, for each broker", async (context) => {
    const { page, troubles } = await open(context);
    await page.click("#tab-producer");
    const names = await page.locator("[name=producer-example] option").allTextContents();
    const brokers = new Set<string>();
    for (const name of names) {
      await page.selectOption("[name=producer-example]", name);
      brokers.add(await page.inputValue("[name=broker]"));
      const promise = /\(breaks (?<id>G\d+|uncaught)\)$/.exec(name)?.groups?.["id"];
      await page.fill("[name=runs]", promise === undefined ? "15" : "60");
      await page.click(button("Check"));
      const verdict = promise === undefined ? "held" : `broken: ${promise}`;
      expect([name, await verdictOf(page)]).toEqual([name, verdict]);
    }
    expect([...brokers].toSorted()).toEqual([
      ...["event-hubs", "http-feed", "kafka", "kinesis", "mqtt", "nats", "node-redis", "outbox"],
      ...["pubsub", "rabbitmq", "redis", "service-bus"],
      ...["service-bus-sessions", "sqs"],
    ]);
    expect(troubles).toEqual([]);
  });

  it("of scenarios break what they say that they break", async (context) => {
    const { page, troubles } = await open(context);
    const names = await page.locator("[name=example] option").allTextContents();
    const [first = "", ...others] = names;
    const breaking = others.filter((name) => readScenario(name).expect.broken.length > 0);
    expect(breaking.length).toBeGreaterThan(10);
    await page.selectOption("[name=example]", first);
    await page.click(button("Run"));
    expect(await verdictOf(page)).toBe("broken: I1, settled");
    for (const name of breaking) {
      const { broken } = readScenario(name).expect;
      await page.selectOption("[name=example]", name);
      await page.click(button("Run"));
      const [verdict, seen = ""] = (await verdictOf(page)).split(": ");
      expect([name, verdict]).toEqual([name, "expected-failure"]);
      // One seed need not break all of them.
      expect(seen.split(", ").filter((id) => !broken.includes(id))).toEqual([]);
    }
    expect(troubles).toEqual([]);
  });
});

describe("the playground's producer", () => {
  it("loses an offset, as the command line says", async (context) => {
    const { page, troubles } = await open(context);
    await page.click("#tab-producer");
    await page.click(button("Check"));
    expect(await verdictOf(page)).toBe("broken: G3");
    expect(await page.textContent(".words")).toContain(
      "ref-000006 was rejected and settled, but is in no dead-letter queue",
    );
    const report = page.frameLocator("iframe");
    await report.locator('#report[data-state="open"]').waitFor();
    expect(await report.locator("h1").textContent()).toBe("producer");
    expect(troubles).toEqual([]);
  });

  it("holds with its repairs", async (context) => {
    const code = readFileSync(
      new URL("../../scenarios/producers/orders.ts", import.meta.url),
      "utf8",
    );
    const { page, troubles } = await open(context, hashOf(code, "producer"));
    await page.fill("[name=runs]", "40");
    await page.click(button("Check"));
    expect(await verdictOf(page)).toBe("held");
    expect(troubles).toEqual([]);
  });

  it.for([
    ["const = 1", "Cannot do that"],
    [
      'import { Kafka } from "kafkajs"; export const createProducer = () => new Kafka();',
      "kafkajs",
    ],
    ["export const other = 1;", "createProducer"],
    ["fetch('https://example.org'); export const createProducer = () => ({});", "Cannot"],
  ] as const)("says what is wrong with %s", async ([code, words], context) => {
    const { page, troubles } = await open(context, hashOf(code, "producer"));
    await page.click(button("Check"));
    const verdict = await verdictOf(page);
    expect(`${verdict} ${await page.textContent(".words")}`).toContain(words);
    expect(verdict).toBe("Cannot do that");
    expect(troubles).toEqual([]);
  });
});

it.for([
  [1440, "light"],
  [1440, "dark"],
  [360, "light"],
  [360, "dark"],
] as const)("is accessible and fits at %i pixels, %s", async ([width, theme], context) => {
  const { page, troubles } = await open(context, hashOf(SMALL), { width, height: 800, theme });
  await page.click(button("Run"));
  await verdictOf(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page.click("#tab-producer");
  expect(await seriousFindings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  expect(troubles).toEqual([]);
});
