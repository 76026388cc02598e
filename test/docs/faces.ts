import { readFileSync } from "node:fs";

/** The top of the repository, with a slash at the end. */
export const top: string = new URL("../../", import.meta.url).pathname;

/** The source file of each face by its specifier: `faultlane/sql` is `src/store/sql/mod.ts`. */
export function faces(): ReadonlyMap<string, string> {
  const manifest = JSON.parse(readFileSync(`${top}deno.json`, "utf8")) as {
    readonly exports: Readonly<Record<string, string>>;
  };
  return new Map(
    Object.entries(manifest.exports).map(([name, source]) => [
      name.replace(/^\./, "faultlane"),
      source.replace(/^\.\//, ""),
    ]),
  );
}
