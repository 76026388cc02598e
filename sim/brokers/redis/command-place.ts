import type { SiteName } from "../../faults/site.ts";
import type { ArgumentReader } from "./arguments.ts";
import type { Keyspace } from "./keyspace.ts";
import type { Permissions } from "./permissions.ts";
import { OUT_OF_MEMORY, ReplyError } from "./reply-error.ts";
import type { StreamServer } from "./stream-server.ts";

/** Where a command is executed, and on whose behalf. */
export interface CommandPlace {
  readonly server: StreamServer;
  readonly keys: Keyspace;
  readonly permissions: Permissions;
  readonly who: string;
  /** The server's time, in epoch milliseconds. */
  readonly wallMs: number;
  /** The time of the world, in milliseconds. */
  readonly now: number;
}

/** A command of the server: where it takes effect, and how. */
export interface Command {
  readonly site: SiteName;
  execute(place: CommandPlace, words: ArgumentReader): unknown;
}

/** @throws {ReplyError} while the server has no memory for what is to be kept */
export function assertMemory({ refusal }: StreamServer): void {
  if (refusal.isOn) throw new ReplyError(OUT_OF_MEMORY);
}
