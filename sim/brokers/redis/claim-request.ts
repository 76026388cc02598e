import type { ArgumentReader } from "./arguments.ts";
import { ReplyError } from "./reply-error.ts";
import { entryId } from "./stream-id.ts";

/** The arguments of XCLAIM behind the group. */
export interface ClaimRequest {
  readonly consumer: string;
  readonly minIdleMs: number;
  readonly ids: readonly string[];
  /** The idle time that the claimed entries get; 0 unless set. */
  readonly idleMs: number;
  /** What the delivery counter is set to, instead of being increased. */
  readonly retryCount: number | undefined;
  /** Whether entries that are not pending are claimed, too. */
  readonly force: boolean;
  readonly justId: boolean;
  /** Moves the group's last delivered entry to this one, unless it is behind it already. */
  readonly lastId: string | undefined;
}

/**
 * Reads the arguments of XCLAIM.
 *
 * @throws {ReplyError} for an id or an option that is none
 */
export function claimRequestFrom(args: ArgumentReader, wallNow: number): ClaimRequest {
  const [consumer, minIdleMs] = [args.word(), args.number()];
  const ids = [entryId(args.word())];
  let [idleMs, force, justId] = [0, false, false];
  let retryCount: number | undefined;
  let lastId: string | undefined;
  while (!args.isAtEnd) {
    const option = args.option("IDLE", "TIME", "RETRYCOUNT", "FORCE", "JUSTID", "LASTID");
    if (option === "IDLE") idleMs = args.number();
    else if (option === "TIME") idleMs = Math.max(0, wallNow - args.number());
    else if (option === "RETRYCOUNT") retryCount = args.number();
    else if (option === "FORCE") force = true;
    else if (option === "JUSTID") justId = true;
    else if (option === "LASTID") lastId = entryId(args.word());
    else ids.push(idBehindIds(args.word()));
  }
  return { consumer, minIdleMs, ids, idleMs, retryCount, force, justId, lastId };
}

function idBehindIds(word: string): string {
  if (!/^\d/.test(word)) throw new ReplyError(`ERR Unrecognized XCLAIM option '${word}'`);
  return entryId(word);
}
