import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { WrongInput } from "./output.ts";

/** A file cannot be written: its folder is none, is read-only, the disk is full. */
export class CannotWrite extends WrongInput {
  /** `cause` is the error of the file system. */
  constructor(path: string, cause: unknown) {
    super(`Cannot write "${path}": ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Writes a file whole or not at all, and its folder where there is none: whoever reads it, also
 * after this process was killed, finds the earlier text or the new one.
 *
 * @throws {CannotWrite} when the file system refuses
 */
export function writeWhole(path: string, text: string): void {
  try {
    makeFolder(dirname(path));
    const target = targetOf(path);
    if (target === undefined) writeFileSync(path, text);
    else replace(target, text);
  } catch (cause) {
    throw new CannotWrite(path, cause);
  }
}

/** Returns the file to replace behind any links; undefined for a device or a pipe. */
function targetOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return path;
  return stat.isFile() ? realpathSync(path) : undefined;
}

function replace(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Makes a folder and those above it. Why not `mkdir` with `recursive`: below /proc, where a new
 * folder is never found, Node tries again for ever.
 */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process was faster.
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would be too large",
  ENOTDIR: "a part of the path is a file, not a folder",
  EEXIST: "a part of the path is a file, not a folder",
  EISDIR: "it is a folder",
  ENOENT: "its folder cannot be made",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many files are open",
};

function reasonOf(error: unknown): string {
  const { code = "", message } = error as { code?: string; message: string };
  return REASONS[code] ?? message;
}
