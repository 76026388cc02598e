import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the new text of a source file; `path` is seen from the top of the copy. */
export type Rewrite = (path: string, text: string) => string;

/** Rewrites each source file of a copy of the tree in place. */
export function rewriteSources(root: string, rewrite: Rewrite): void {
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts")) continue;
    const file = join(root, path);
    const text = readFileSync(file, "utf8");
    const rewritten = rewrite(path, text);
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}
