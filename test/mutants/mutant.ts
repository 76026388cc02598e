import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { SharedStreamManager } from "../../src/shared-stream/mod.ts";
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
  async load({ bug, edits }: Mutant): Promise<ManagerClass> {
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
    const face = pathToFileURL(join(root, "src/shared-stream/mod.ts")).href;
    const room = (await import(/* @vite-ignore */ face)) as { SharedStreamManager: ManagerClass };
    return room.SharedStreamManager;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
