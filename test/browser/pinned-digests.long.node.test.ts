import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, isBrowserOwed, launchChromium } from "../page/opened-page.ts";
import pinned from "../scenarios/digests.json" with { type: "json" };
import { scenarioNames } from "../sim/read-scenarios.ts";
import { type BrowserKit, openKit } from "./opened-kit.ts";

const DIGESTS = pinned as Readonly<Record<string, unknown>>;
const SEEDS = [1, 2, 3];

let browser: Browser | undefined;

beforeAll(async () => {
  if (chromiumPath !== undefined) browser = await launchChromium();
});

afterAll(() => browser?.close());

describe("the simulator in Chromium", () => {
  it("gives the pinned digest for each seed of each scenario", async (context) => {
    if (browser === undefined) {
      if (isBrowserOwed) throw new Error("There is no Chromium: apt-get install chromium");
      context.skip("there is no Chromium on this machine");
      return;
    }
    const { page, code, troubles } = await openKit(browser);
    const digests: Record<string, unknown> = {};
    for (const name of scenarioNames()) {
      const text = readFileSync(new URL(`../../scenarios/${name}.yaml`, import.meta.url), "utf8");
      digests[name] = await page.evaluate(
        async ({ text, name, seeds }) => {
          const { kit } = globalThis as unknown as { kit: BrowserKit };
          const three: string[] = [];
          for (const seed of seeds) three.push(await kit.digestOf(text, name, seed));
          return three;
        },
        { text, name, seeds: SEEDS },
      );
    }
    const names = new Set(scenarioNames());
    const wanted = Object.fromEntries(Object.entries(DIGESTS).filter(([name]) => names.has(name)));
    expect(digests).toEqual(wanted);
    expect(Object.keys(digests).length).toBeGreaterThan(70);
    expect(code).not.toMatch(/\b(import|require)\("node:/);
    expect(troubles).toEqual([]);
  });
});
