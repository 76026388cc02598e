import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import type { PageCode } from "../report/html-page.ts";

/** The browsers that open a report; all have `DecompressionStream` for raw deflate. */
const TARGET = ["chrome103", "firefox113", "safari16.4"];

/** Bundles the program and the style of the report's page from their sources. */
export async function bundlePage(): Promise<PageCode> {
  const source = (name: string): string =>
    fileURLToPath(new URL(`../page/${name}`, import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [source("main.ts")],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: TARGET,
    charset: "ascii",
    legalComments: "none",
  });
  const style = readFileSync(source("page.css"), "utf8");
  const { code } = await transform(style, { loader: "css", minify: true, target: TARGET });
  return { script: outputFiles[0]?.text ?? "", style: code };
}

// `npm run build` calls it with the file that it writes.
if (import.meta.main) writeFileSync(process.argv[2] ?? "", JSON.stringify(await bundlePage()));
