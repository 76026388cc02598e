import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CreateJob } from "../../sim/check/mod.ts";
import { top } from "./faces.ts";

/** The folder of the guides, with a slash at the end. */
export const GUIDES: string = `${top}scenarios/guides/`;

export const readGuide = (path: string): string => readFileSync(`${GUIDES}${path}`, "utf8");

/** Loads a file of the guides against the sources of the kit. */
export async function loadedGuide(path: string): Promise<{ readonly createJob: CreateJob }> {
  const text = readGuide(path)
    .replaceAll('"faultlane/check"', JSON.stringify(join(top, "sim/check/mod.ts")))
    .replaceAll('"faultlane"', JSON.stringify(join(top, "src/mod.ts")));
  const folder = mkdtempSync(join(tmpdir(), "faultlane-guides-"));
  try {
    const file = join(folder, "guide.ts");
    writeFileSync(file, text);
    return (await import(pathToFileURL(file).href)) as { readonly createJob: CreateJob };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A step of the guide "From a plain job to a resumable one". */
export interface Step {
  readonly file: string;
  readonly code: string;
  /** The command, and what it prints. */
  readonly says: readonly string[];
}

/** The steps that the page has. */
export const STEPS: readonly Step[] = readGuide("from-plain-to-resumable.md")
  .split(/^## Step /m)
  .slice(1)
  .map((section) => {
    const [, file = ""] = /\(steps\/([\w-]+\.ts)\)/.exec(section) ?? [];
    const [, code = ""] = /```typescript\n([\s\S]*?)```/.exec(section) ?? [];
    const [, output = ""] = /```text\n([\s\S]*?)```/.exec(section) ?? [];
    return { file, code, says: output.trimEnd().split("\n") };
  });
