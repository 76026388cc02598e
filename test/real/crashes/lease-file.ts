import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Who reads a shard, until when unless renewed, and after which record the next one begins. */
export interface Lease {
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** The last record that is done with; undefined before the first. */
  readonly checkpoint: string | undefined;
}

const NOBODYS: Lease = { owner: "", until: 0, checkpoint: undefined };

/**
 * The lease of one shard, in a file that outlives each process, in a folder that is there. A
 * process that is killed leaves the old lease or the new one, nothing between. Only one process at
 * a time may write it.
 */
export class LeaseFile {
  readonly #path: string;

  constructor(folder: string, shardId: string) {
    this.#path = join(folder, `${shardId}.json`);
  }

  read(): Lease {
    try {
      return JSON.parse(readFileSync(this.#path, "utf8")) as Lease;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return NOBODYS;
      throw error;
    }
  }

  write(lease: Lease): void {
    const aside = `${this.#path}.new`;
    writeFileSync(aside, JSON.stringify(lease));
    renameSync(aside, this.#path);
  }
}
