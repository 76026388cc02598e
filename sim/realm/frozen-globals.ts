/** How many names a message lists. */
const LISTED_MAX = 5;

/**
 * Functions of the runtime were frozen before the realm was put in place, so that code under test
 * would see the machine's time or chance in the middle of a run.
 *
 * @example
 * ```ts
 * import { FrozenGlobals } from "faultlane/virtual";
 *
 * console.log(new FrozenGlobals(["Date.now"]).message.split(";")[0]);
 * // => Cannot make Date.now virtual: it is frozen
 * ```
 */
export class FrozenGlobals extends Error {
  /** Always "FrozenGlobals". */
  override readonly name = "FrozenGlobals";
  /** What is frozen, as code writes it: "setTimeout", "Date.now". */
  readonly frozen: readonly string[];

  /** Creates the error for what could not be replaced. */
  constructor(frozen: readonly string[]) {
    const more = frozen.length - LISTED_MAX;
    const shown = frozen.slice(0, LISTED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
    super(
      `Cannot make ${shown} virtual: ${frozen.length === 1 ? "it is" : "they are"} frozen; import "faultlane/virtual" before what freezes the globals`,
    );
    this.frozen = frozen;
  }
}
