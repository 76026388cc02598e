import { builtinModule } from "../../src/platform/mod.ts";
import { htmlPageFrom, type PageCode } from "../report/html-page.ts";
import type { RunReport } from "../run/run-report.ts";

/** The environment variable that names the folder where an option does not. */
const FOLDER_VARIABLE = "FAULTLANE_REPORT";

/** Where the page's program lies: in a package beside this room; in a checkout, where it is built. */
const PAGE_CODE = ["../page/page.bundle.json", "../../dist/sim/page/page.bundle.json"] as const;

/** A run whose page is to be written. */
export interface RunToShow {
  /** What the name of the page begins with: "kafka.G1.seed-33". */
  readonly name: string;
  /** How to make the run again. */
  readonly rerun: string;
  /** Makes the run, with its trace. */
  readonly run: () => Promise<RunReport>;
}

/** Where the page of a violation lies, or why there is none; empty where none was asked for. */
export interface WrittenPage {
  readonly report?: string;
  readonly reportProblem?: string;
}

/**
 * Writes the report of a run as a page into a folder; nothing where nobody has asked for it, or
 * the runtime has no file system, as a browser.
 *
 * Holds: a page that cannot be written keeps no violation from being thrown.
 *
 * @param asked - the folder; default: what the environment variable FAULTLANE_REPORT names
 */
export async function writeViolationPage(
  asked: string | undefined,
  { name, rerun, run }: RunToShow,
): Promise<WrittenPage> {
  const files = builtinModule("node:fs") as Files | undefined;
  const folder = asked ?? environment()[FOLDER_VARIABLE] ?? "";
  if (files === undefined || folder === "") return {};
  try {
    const code = pageCodeFrom(files);
    const report = await run();
    const html = htmlPageFrom(code, { kitVersion: versionFrom(files), run: { report, rerun } });
    // The digest keeps two tests of one folder apart.
    const path = `${folder}/${name}.${report.digest.slice(0, 8)}.html`;
    files.mkdirSync(folder, { recursive: true });
    files.writeFileSync(path, html);
    return { report: path };
  } catch (error) {
    return { reportProblem: error instanceof Error ? error.message : String(error) };
  }
}

/** The part of "node:fs" that is needed. */
interface Files {
  existsSync(path: URL): boolean;
  readFileSync(path: URL, encoding: "utf8"): string;
  writeFileSync(path: string, text: string): void;
  mkdirSync(path: string, options: { readonly recursive: true }): void;
}

function environment(): Readonly<Record<string, string | undefined>> {
  const process = builtinModule("node:process") as
    | { readonly env: Readonly<Record<string, string | undefined>> }
    | undefined;
  return process?.env ?? {};
}

function pageCodeFrom(files: Files): PageCode {
  const url = PAGE_CODE.map((path) => new URL(path, import.meta.url)).find((one) =>
    files.existsSync(one),
  );
  if (url === undefined) throw new Error("the page is not built: npm run build");
  return JSON.parse(files.readFileSync(url, "utf8")) as PageCode;
}

/** The file lies two folders above this one, in the package one more. */
function versionFrom(files: Files): string {
  const url = ["../../package.json", "../../../package.json"]
    .map((path) => new URL(path, import.meta.url))
    .find((one) => files.existsSync(one));
  if (url === undefined) return "";
  return (JSON.parse(files.readFileSync(url, "utf8")) as { readonly version: string }).version;
}
