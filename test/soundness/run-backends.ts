// Checks each state backend of the corpus in this process, and prints one line of JSON for each:
// `node test/soundness/run-backends.ts <folder> [cases] [filter]`.
import { mkdirSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  checkStateBackend,
  type CreateStateBackend,
  StateBackendViolation,
} from "../../sim/check/backend/check-state-backend.ts";
import { NotDeterministic } from "../../sim/run/not-deterministic.ts";
import { BACKEND_CORPUS, backendModuleOf } from "./backend-corpus.ts";

const [folder = "", cases = "2", filter = ""] = process.argv.slice(2);
const root = fileURLToPath(new URL("../../", import.meta.url));
// Whatever the backends do to their process, this one ends when all of them were tried.
const exit = process.exit.bind(process);

mkdirSync(folder, { recursive: true });
for (const [at, row] of BACKEND_CORPUS.entries()) {
  if (!row.name.includes(filter)) continue;
  const file = join(folder, `backend-${at}.ts`);
  writeFileSync(file, backendModuleOf(row, root));
  const verdict = await verdictOf(file);
  writeSync(1, `${JSON.stringify({ name: row.name, verdict })}\n`);
}
exit(0);

async function verdictOf(file: string): Promise<string> {
  const { createBackend } = (await import(pathToFileURL(file).href)) as {
    createBackend: CreateStateBackend;
  };
  try {
    await checkStateBackend(createBackend, { numRuns: Number(cases) });
    return "held";
  } catch (error) {
    if (error instanceof NotDeterministic) return `not deterministic: ${error.likely}`;
    if (error instanceof StateBackendViolation) return `broken: ${error.message}`;
    return `threw: ${String(error)}`;
  }
}
