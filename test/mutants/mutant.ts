import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { SharedStreamManager } from "../../src/shared-stream/mod.ts";
import type { Books } from "../shared-stream/ledger-match.ts";
import { checkoutRoot } from "./checkout-root.ts";

/** One change of one file: what stands there, and what stands there instead. */
export type Edit = readonly [file: string, find: string, replace: string];

/** A planted bug: a broken copy of a part, made by edits, with the number of the bug list. */
export interface Mutant {
  readonly bug: string;
  readonly what: string;
  readonly edits: readonly Edit[];
  /** Where its kind of trouble is sought; default: the hostile client. */
  readonly scenarios?: readonly string[];
}

type ManagerClass = typeof SharedStreamManager;

/** A folder of broken copies; dispose of it when done. */
export class MutantShop implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "faultlane-mutants-"));

  constructor() {
    writeFileSync(join(this.#folder, "package.json"), '{ "type": "module" }');
  }

  /**
   * Copies the sources, applies the edits and loads the broken manager.
   *
   * @throws {Error} when an edit does not fit the sources any more: the list must follow the code
   */
  async load(mutant: Mutant): Promise<ManagerClass> {
    const { SharedStreamManager } = (await this.#import(this.#plant(mutant), "mod.ts")) as {
      SharedStreamManager: ManagerClass;
    };
    return SharedStreamManager;
  }

  /** As `load`, for the books alone. */
  async loadBooks(mutant: Mutant): Promise<Books> {
    const room = this.#plant(mutant);
    const parts = await Promise.all(
      ["account.ts", "ledger.ts", "seq-index.ts"].map((file) => this.#import(room, file)),
    );
    return Object.assign({}, ...parts) as Books;
  }

  /** Answers the broken room. */
  #plant({ bug, edits }: Mutant): string {
    const root = join(this.#folder, bug);
    mkdirSync(root, { recursive: true });
    for (const part of ["invariant.ts", "time", "platform", "shared-stream"]) {
      cpSync(join(checkoutRoot, "src", part), join(root, "src", part), { recursive: true });
    }
    for (const [file, find, replace] of edits) {
      const path = join(root, "src/shared-stream", file);
      const text = readFileSync(path, "utf8");
      if (text.split(find).length !== 2) {
        throw new Error(
          `Cannot plant ${bug}: its edit fits ${file} ${text.split(find).length - 1} times`,
        );
      }
      writeFileSync(
        path,
        text.replace(find, () => replace),
      );
    }
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
