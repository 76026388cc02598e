// The guides in scenarios/guides say what the code says: their blocks are run, and what is generated
// is generated again.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DEFAULT_ACK_TIMEOUT, DEFAULT_SUBSCRIBER_QUEUE_MAX } from "../../src/shared-stream/mod.ts";
import { STATE_STORE_DEFAULTS } from "../../src/store/mod.ts";
import type { DurationLike } from "../../src/time/mod.ts";
import { OPTION_TAKERS } from "../store/option-takers.ts";
import { configurationPage, namesOfOptions } from "./configuration-page.ts";
import { FAULT_SECTIONS, faultsPage, unknownBugs } from "./faults-page.ts";
import { formsTable } from "./forms-table.ts";
import { GUIDES, readGuide, STEPS } from "./load-guide.ts";

const plain = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join("\n");

describe("from a plain job to a resumable one:", () => {
  test("every file of the folder is a step", () => {
    expect(readdirSync(`${GUIDES}steps`).toSorted()).toEqual(STEPS.map(({ file }) => file));
  });

  test.each(STEPS)("$file has the code that the page shows", ({ file, code, says }) => {
    expect(plain(readGuide(`steps/${file}`))).toContain(plain(code).trim());
    expect(says[0]).toBe(`$ npx faultlane check scenarios/guides/steps/${file} --system aws-batch`);
  });
});

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const { defaultRetention, clearOnSuccess, sweepBatchSize, valueCharsMax } = STATE_STORE_DEFAULTS;

test.each([
  ["defaultRetention", `${(defaultRetention as DurationLike).days} days by default`],
  ["clearOnSuccess", `${clearOnSuccess} by default`],
  ["sweepBatchSize", `${grouped(sweepBatchSize)} by default`],
  ["valueCharsMax", `${grouped(valueCharsMax)} by default`],
  ["maxSubscriberQueue", `Default ${DEFAULT_SUBSCRIBER_QUEUE_MAX}`],
  ["ackTimeout", `Default ${DEFAULT_ACK_TIMEOUT.seconds} s`],
])("the page says the default of %s: %s", (setting, says) => {
  const rows = configurationPage().split("\n");
  const isRow = (line: string): boolean => line.startsWith(`| \`${setting}\` `);
  expect(rows.filter(isRow).filter((line) => line.includes(says))).not.toEqual([]);
});

test("the table of forms is what the runs come to", async () => {
  const page = readGuide("which-form.md");
  const table = await formsTable();
  const current = page.replace(
    /<!-- forms -->[\s\S]*<!-- \/forms -->/,
    `<!-- forms -->\n\n${table}\n<!-- /forms -->`,
  );
  await expect(current).toMatchFileSnapshot(`${GUIDES}which-form.md`);
});

test("the page of the configuration is that of the code, and has all options", async () => {
  const page = configurationPage();
  await expect(page).toMatchFileSnapshot(`${GUIDES}configuration.md`);
  expect(namesOfOptions().filter((name) => !page.includes(`### ${name}\n`))).toEqual([]);
});

test("what takes options is tried with one that it does not know, as the page says", () => {
  const tried = new Set(OPTION_TAKERS.map(({ takes }) => takes));
  const untried = namesOfOptions().filter((name) => !tried.has(name));
  // A backend is handed these by the stores, whoever wrote it.
  expect(untried).toEqual(["WriteOptions"]);
});

describe("the page of the faults", () => {
  test("is that of the code and the scenarios", async () => {
    await expect(faultsPage()).toMatchFileSnapshot(`${GUIDES}faults.md`);
  });

  test.each(FAULT_SECTIONS.filter(({ names }) => names !== undefined))(
    "has each of: $title",
    ({ rows, names = [] }) => {
      expect(rows.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    },
  );

  test("names no bug that its test does not know", () => {
    expect(unknownBugs()).toEqual([]);
  });
});

test("every file that a guide links to exists", () => {
  const missing: string[] = [];
  for (const name of readdirSync(GUIDES).filter((one) => one.endsWith(".md"))) {
    for (const [, target = ""] of readGuide(name).matchAll(/\]\(([^)#]+)\)/g)) {
      if (!existsSync(join(GUIDES, target))) missing.push(`${name}: ${target}`);
    }
  }
  expect(missing).toEqual([]);
});
