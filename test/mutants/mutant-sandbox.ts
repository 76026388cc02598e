import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { simulate } from "../../sim/run/simulate.ts";
import type { StreamCode } from "../../sim/worlds/manager/profiles.ts";
import type { LedgerParts } from "../shared-stream/ledger-match.ts";
import { checkoutRoot } from "./checkout-root.ts";
import { applyMutant, type Mutant } from "./mutant.ts";
import { type Rewrite, rewriteSources } from "./source-copy.ts";

/** What shared streams are made of. */
const STREAM_PARTS = [
  "airflow-settings.ts",
  "any-copy.ts",
  "checked-options.ts",
  "invariant.ts",
  "time",
  "platform",
  "shared-stream",
].map((part) => `src/${part}`);

/** A folder of broken copies; dispose of it when done. */
export class MutantSandbox implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "faultlane-mutants-"));
  readonly #rewrite: Rewrite | undefined;

  /** Each source file of a copy is passed through `rewrite` after the patch. */
  constructor(rewrite?: Rewrite) {
    this.#rewrite = rewrite;
    writeFileSync(join(this.#folder, "package.json"), '{ "type": "module" }');
  }

  /**
   * Copies the sources, applies the patch and loads the broken shared streams.
   *
   * @throws {Error} when the patch does not fit the sources any more
   */
  async load(mutant: Mutant): Promise<StreamCode> {
    return (await this.#import(this.#plant(mutant, STREAM_PARTS), "mod.ts")) as StreamCode;
  }

  /** As `load`, for the ledger alone. */
  async loadLedger(mutant: Mutant): Promise<LedgerParts> {
    const room = this.#plant(mutant, STREAM_PARTS);
    const parts = await Promise.all(
      ["cursor.ts", "ledger.ts", "seq-index.ts"].map((file) =>
        this.#import(room, `ledger/${file}`),
      ),
    );
    return Object.assign({}, ...parts) as LedgerParts;
  }

  /** As `load`, for the whole simulator, whose worlds then run the broken code. */
  async loadWorlds(mutant: Mutant): Promise<{ readonly simulate: typeof simulate }> {
    const room = this.#plant(mutant, ["src", "sim", "package.json"]);
    const modules = join(room, "../../node_modules");
    symlinkSync(join(checkoutRoot, "node_modules"), modules, "dir");
    return (await this.#import(room, "../../sim/run/simulate.ts")) as {
      readonly simulate: typeof simulate;
    };
  }

  /** Returns the folder of the shared streams in a broken copy of `parts`. */
  #plant(mutant: Mutant, parts: readonly string[]): string {
    const root = join(this.#folder, mutant.bug);
    mkdirSync(root, { recursive: true });
    for (const part of parts) {
      cpSync(join(checkoutRoot, part), join(root, part), { recursive: true });
    }
    const read = (path: string): string => readFileSync(join(root, path), "utf8");
    for (const [path, text] of applyMutant(mutant, read)) writeFileSync(join(root, path), text);
    if (this.#rewrite !== undefined) rewriteSources(root, this.#rewrite);
    return join(root, "src/shared-stream");
  }

  async #import(room: string, file: string): Promise<object> {
    const url = pathToFileURL(join(room, file)).href;
    return (await import(/* @vite-ignore */ url)) as object;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
