import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { DecisionTableName } from "../../../sim/checkers/producer/decision-tables.ts";
import type { SharedStreamProducer } from "../../../src/shared-stream/mod.ts";

/** One known bug of the corpus, as a small change of a correct producer's source. */
export interface SourceBug {
  readonly id: string;
  readonly what: string;
  /** Any of these names it rightly. */
  readonly guarantees: readonly string[];
  /** The table by which it is a bug; default: also by the most lenient one. */
  readonly decide?: DecisionTableName;
  readonly edits: readonly (readonly [find: string, replace: string])[];
}

const PACKAGES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

type Create<Client> = (parts: { readonly client: Client }) => SharedStreamProducer<unknown>;

/**
 * The source of a producer with the bug in it.
 *
 * @throws {Error} when an edit does not fit the source any more: the list must follow the code
 */
export function sourceWithBug(source: URL, { id, edits }: SourceBug): string {
  let text = readFileSync(source, "utf8");
  for (const [find, replace] of edits) {
    const fits = text.split(find).length - 1;
    if (fits !== 1) throw new Error(`Cannot plant ${id}: its edit fits ${fits} times: ${find}`);
    text = text.replace(find, () => replace);
  }
  return text;
}

/**
 * Plants the bug in a copy of the producer at `source` and loads that copy.
 *
 * @throws {Error} as {@link sourceWithBug}
 */
export async function loadWithBug<Client>(source: URL, bug: SourceBug): Promise<Create<Client>> {
  const text = sourceWithBug(source, bug);
  const folder = mkdtempSync(join(tmpdir(), "faultlane-producer-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    // The runtime looks for what a producer imports beside the copy.
    symlinkSync(PACKAGES, join(folder, "node_modules"), "dir");
    const path = join(folder, `${bug.id}.ts`);
    writeFileSync(path, text);
    const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as {
      createProducer: Create<Client>;
    };
    return module.createProducer;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
