import { builtinModule } from "../../src/platform/mod.ts";
import type { Realm } from "./realm.ts";

interface FileConstants {
  readonly O_WRONLY: number;
  readonly O_RDWR: number;
  readonly O_CREAT: number;
  readonly O_TRUNC: number;
}

const STANDARD_INPUT = 0;
const TO_READ = new Set<unknown>(["r", "rs", "sr"]);
/** Files in which the machine shows its own time, load and chance. */
const OF_MACHINE = /^\/(proc|sys|dev)\/(?!null$)/;

/**
 * Checks that a call of node:fs only reads, and only files.
 *
 * @param use - the call, "fs.openSync"
 * @throws when it opens a file to write it, or reads standard input or what the machine shows as
 *   files; while a module is loaded, the latter is left to the comparison of runs
 */
export function assertReads(realm: Realm, use: string, args: readonly unknown[]): void {
  const [target, flags] = args;
  const path = pathOf(target);
  const isInput = target === STANDARD_INPUT || path === "/dev/stdin";
  if (isInput) throw realm.refuse(`${use} of standard input`);
  if (path !== undefined && OF_MACHINE.test(path) && realm.isLoading !== true) {
    throw realm.refuse(`${use} of ${path}`);
  }
  if (/open(Sync)?$/.test(use) && !isToRead(flags)) throw realm.refuse(`${use} for writing`);
}

function pathOf(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (target instanceof URL) return target.pathname;
  return target instanceof Uint8Array ? new TextDecoder().decode(target) : undefined;
}

function isToRead(flags: unknown): boolean {
  if (typeof flags !== "number") return typeof flags !== "string" || TO_READ.has(flags);
  const { constants } = builtinModule("node:fs") as { readonly constants: FileConstants };
  const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC } = constants;
  return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) === 0;
}
