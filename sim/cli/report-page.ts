import { basename, join } from "node:path";
import { htmlPageFrom, type PageParts } from "../report/html-page.ts";
import { OWN_FOLDER } from "./own-folder.ts";
import { pageCode } from "./page-code.ts";
import { versionOfKit } from "./version.ts";
import { writeWhole } from "./write-file.ts";

/**
 * Writes the report of a run as a page.
 *
 * @throws {CannotWrite} when the file system refuses
 */
export async function writePage(path: string, parts: Omit<PageParts, "kitVersion">): Promise<void> {
  writeWhole(path, htmlPageFrom(await pageCode(), { ...parts, kitVersion: versionOfKit() }));
}

/** Returns where the page of an artifact or a scenario lies: beside it, under its name. */
export function pagePathOf(path: string): string {
  return `${path.replace(/\.(json|ya?ml)$/, "")}.html`;
}

/** Returns where the page of a run is written: beside its artifact; of a scenario, in a folder. */
export function pageOfRun(path: string, { seed }: { readonly seed: number }): string {
  const page = pagePathOf(path);
  if (path.endsWith(".json")) return page;
  return join(OWN_FOLDER, `${basename(page, ".html")}.seed-${seed}.html`);
}
