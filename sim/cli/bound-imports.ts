import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { NotVirtual } from "../realm/not-virtual.ts";

/** Modules whose members a run replaces. */
const GATED =
  /^(?:node:)?(timers|timers\/promises|crypto|zlib|fs|fs\/promises|os|process|child_process|dns|dns\/promises|net|tls|http|https|http2|dgram|worker_threads)$/;
const IMPORT = /^[ \t]*import\s+(?!type\b)([^;'"]*?)\s*from\s*["']([^"']+)["']/gm;
/** Names that mean the same within a run as outside. */
const HARMLESS =
  /^(type\s.*|.*Sync|create(Hash|Hmac|Cipheriv|Decipheriv)|constants|EOL|Socket|Server|Buffer|)$/;

/**
 * Refuses named imports of the runtime's modules on Deno, which binds them for good: they would be
 * real in the middle of a run. Looks at the module and at those that it imports by a relative path.
 *
 * @throws {NotVirtual} naming the import and its line
 */
export function assertNoBoundImports(file: string, seen: Set<string> = new Set()): void {
  const onDeno = process.versions["deno"] !== undefined;
  if (!onDeno || seen.has(file) || !existsSync(file)) return;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const { 1: clause = "", 2: specifier = "", index } of text.matchAll(IMPORT)) {
    if (specifier.startsWith(".")) assertNoBoundImports(resolve(dirname(file), specifier), seen);
    if (!GATED.test(specifier)) continue;
    const names = /\{([^}]*)\}/.exec(clause)?.[1]?.split(",") ?? [];
    const bound = names.map((name) => name.trim()).find((name) => !HARMLESS.test(name));
    if (bound === undefined) continue;
    const line = text.slice(0, index).split("\n").length;
    const use = `a named import of ${specifier}, { ${bound} }, which Deno binds for good (take the default import, or run it on Node)`;
    throw new NotVirtual("module", { use, where: `${file.split("/").at(-1)}:${line}` });
  }
}
