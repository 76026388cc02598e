import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

/** Where Debian and others put it. */
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where Chromium lies on this machine; undefined where there is none. */
export const chromiumPath: string | undefined = PLACES.find((path) => existsSync(path));

/** Whether a missing browser is a failure: CI installs it. */
export const isBrowserOwed: boolean = process.env["FAULTLANE_CI"] === "1";

/** For what hangs: a machine that is busy with something else takes many times as long. */
const TIMEOUT_MS = 300_000;

export function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath ?? "";
  return chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: TIMEOUT_MS });
}

/** A report in a browser, and all that went wrong in it. */
export interface OpenedPage {
  readonly page: Page;
  /** Console messages above the level of a note, exceptions, and requests for anything. */
  readonly troubles: readonly string[];
}

export interface ViewOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
  /** Whether it is the report of a run, which says when it has opened. */
  readonly isReport?: boolean;
}

/** Opens the text of a report as a file, and waits until it has opened. */
export async function openPage(
  browser: Browser,
  html: string,
  { width = 1440, height = 900, theme = "light", isReport = true }: ViewOptions = {},
): Promise<OpenedPage> {
  const file = join(mkdtempSync(join(tmpdir(), "faultlane-page-")), "run.html");
  writeFileSync(file, html);
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
  page.setDefaultTimeout(TIMEOUT_MS);
  const troubles: string[] = [];
  page.on("console", (message) => {
    if (!["log", "info", "debug"].includes(message.type())) troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== `file://${file}` && !url.startsWith("data:,")) troubles.push(`request: ${url}`);
  });
  await page.goto(`file://${file}`);
  if (isReport) await page.waitForSelector('#report[data-state="open"]');
  return { page, troubles };
}

/** A finding of axe-core. */
interface AxeFinding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** Returns what axe-core finds that is serious or critical, a line each. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // The page's own policy forbids a script element; evaluating is the debugger's business.
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: AxeFinding[] }> };
    };
    return (await axe.run()).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}
