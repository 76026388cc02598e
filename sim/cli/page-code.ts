import { existsSync, readFileSync } from "node:fs";
import type { PageCode } from "../report/html-page.ts";
import { WrongInput } from "./output.ts";

/** Where `npm run build` puts the page's program and style in a package. */
const BUILT = new URL("../page/page.bundle.json", import.meta.url);

let bundled: Promise<PageCode> | undefined;

/**
 * Returns the program and the style of the report's page: those that the package came with; in a
 * checkout, where there are none beside the sources, they are bundled from these once.
 *
 * @throws {WrongInput} in a checkout without the bundler
 */
export function pageCode(): Promise<PageCode> {
  bundled ??= existsSync(BUILT)
    ? Promise.resolve(JSON.parse(readFileSync(BUILT, "utf8")) as PageCode)
    : bundle();
  return bundled;
}

async function bundle(): Promise<PageCode> {
  try {
    const { bundlePage } = await import("./bundle-page.ts");
    return await bundlePage();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WrongInput(`Cannot make the report's page in a checkout; try npm ci: ${why}`, {
      cause,
    });
  }
}
