import { readFileSync } from "node:fs";

/** Returns the package's version; package.json is one folder higher when built. */
export function versionOfKit(): string {
  for (const up of ["../../", "../../../"]) {
    try {
      const text = readFileSync(new URL(`${up}package.json`, import.meta.url), "utf8");
      return (JSON.parse(text) as { version: string }).version;
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") throw error;
    }
  }
  return "unknown";
}
