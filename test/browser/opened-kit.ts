import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { bundleKit } from "../../sim/cli/bundle-kit.ts";

const SUBJECTS = ["producers", "operators"];

/** The code under test that scenarios name, as a record of functions that import it. */
function subjectImports(): string {
  const entries = SUBJECTS.flatMap((folder) =>
    readdirSync(new URL(`../../scenarios/${folder}/`, import.meta.url))
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `"./${name}": () => import("./scenarios/${folder}/${name}")`),
  );
  return `{ ${entries.join(", ")} }`;
}

/** What the page of `openKit` offers to a test. */
export interface BrowserKit {
  digestOf(text: string, name: string, seed: number): Promise<string>;
}

const PROGRAM = `
import { loadInRealm } from "./sim/realm/loading-realm.ts";
import { simulate } from "./sim/run/simulate.ts";
import { parseScenario } from "./sim/scenario/parse.ts";
import { worldKindOf } from "./sim/scenario/world-kinds.ts";

const subjects = ${subjectImports()};

globalThis.kit = {
  digestOf: async (text, name, seed) => {
    const scenario = parseScenario(text, name);
    const { subject } = worldKindOf(scenario);
    const load = subject && subjects[subject.pathIn(scenario)];
    const module = load && (await loadInRealm(name, load));
    const parts = module === undefined ? {} : subject.partsFrom(module, scenario);
    return (await simulate(scenario, { ...parts, seed, trace: false })).digest;
  },
};`;

/** Opens a page from a file that has the simulator; `troubles` are errors and requests. */
export async function openKit(
  browser: Browser,
): Promise<{ readonly page: Page; readonly code: string; readonly troubles: readonly string[] }> {
  const code = await bundleKit(PROGRAM);
  const file = join(mkdtempSync(join(tmpdir(), "faultlane-kit-")), "kit.html");
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script>${code}</script>`,
  );
  const page = await browser.newPage();
  const troubles: string[] = [];
  page.on("console", (message) => troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== `file://${file}` && !url.startsWith("data:")) troubles.push(`request: ${url}`);
  });
  await page.goto(`file://${file}`);
  return { page, code, troubles };
}
