import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { StreamCode } from "../../sim/worlds/manager/profiles.ts";
import type { LedgerParts } from "../shared-stream/ledger-match.ts";
import { checkoutRoot } from "./checkout-root.ts";
import { applyMutant, type Mutant } from "./mutant.ts";
import { type Rewrite, rewriteSources } from "./source-copy.ts";

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
    return (await this.#import(this.#plant(mutant), "mod.ts")) as StreamCode;
  }

  /** As `load`, for the ledger alone. */
  async loadLedger(mutant: Mutant): Promise<LedgerParts> {
    const room = this.#plant(mutant);
    const parts = await Promise.all(
      ["cursor.ts", "ledger.ts", "seq-index.ts"].map((file) =>
        this.#import(room, `ledger/${file}`),
      ),
    );
    return Object.assign({}, ...parts) as LedgerParts;
  }

  /** Returns the folder of the broken room. */
  #plant(mutant: Mutant): string {
    const root = join(this.#folder, mutant.bug);
    mkdirSync(root, { recursive: true });
    for (const part of ["invariant.ts", "time", "platform", "shared-stream"]) {
      cpSync(join(checkoutRoot, "src", part), join(root, "src", part), { recursive: true });
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
