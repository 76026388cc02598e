import type { ArgumentReader } from "./arguments.ts";
import { ReplyError } from "./reply-error.ts";
import { entryId, rangeEnd, rangeStart } from "./stream-id.ts";
import type { PendingRequest } from "./stream.ts";

/** For each entry that it may claim, XAUTOCLAIM looks at so many. Source: redis, t_stream.c */
export const AUTOCLAIM_SCANNED = 10;

/** How a pending entry is transferred to another consumer. */
export interface Claim {
  readonly consumer: string;
  readonly minIdleMs: number;
  readonly justId: boolean;
  readonly idleMs?: number;
  readonly retryCount?: number | undefined;
}

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
  const consumer = args.word();
  const minIdleMs = args.number("ERR Invalid min-idle-time argument for XCLAIM");
  const ids = idsFrom(args);
  let [idleMs, force, justId] = [0, false, false];
  let retryCount: number | undefined;
  let lastId: string | undefined;
  while (!args.isAtEnd) {
    const flag = args.option("FORCE", "JUSTID");
    const option = flag ?? args.optionWithValue("IDLE", "TIME", "RETRYCOUNT", "LASTID");
    if (option === undefined) {
      throw new ReplyError(`ERR Unrecognized XCLAIM option '${args.word()}'`);
    }
    const refusal = `ERR Invalid ${option} option argument for XCLAIM`;
    if (option === "IDLE") idleMs = Math.max(0, args.number(refusal));
    else if (option === "TIME") idleMs = Math.max(0, wallNow - args.number(refusal));
    else if (option === "RETRYCOUNT") retryCount = countFrom(args.number(refusal));
    else if (option === "FORCE") force = true;
    else if (option === "JUSTID") justId = true;
    else lastId = entryId(args.word());
  }
  return { consumer, minIdleMs, ids, idleMs, retryCount, force, justId, lastId };
}

/** The arguments of XAUTOCLAIM behind the stream. */
interface AutoClaimRequest {
  readonly groupName: string;
  readonly consumer: string;
  readonly minIdleMs: number;
  readonly start: string;
  readonly count: number;
  readonly justId: boolean;
}

const AUTOCLAIM_COUNT = 100;

/**
 * Reads the arguments of XAUTOCLAIM.
 *
 * @throws {ReplyError} when they are not valid
 */
export function autoClaimRequestFrom(args: ArgumentReader): AutoClaimRequest {
  const [groupName, consumer] = [args.word(), args.word()];
  const minIdleMs = args.number("ERR Invalid min-idle-time argument for XAUTOCLAIM");
  const start = rangeStart(args.word());
  let count = AUTOCLAIM_COUNT;
  let justId = false;
  while (!args.isAtEnd) {
    const option = args.optionWithValue("COUNT") ?? args.option("JUSTID");
    if (option === undefined) throw new ReplyError("ERR syntax error");
    if (option === "JUSTID") justId = true;
    else count = args.number("ERR COUNT must be > 0");
    if (count <= 0) throw new ReplyError("ERR COUNT must be > 0");
  }
  return { groupName, consumer, minIdleMs, start, count, justId };
}

/** More are refused; what stands behind the consumer is not looked at. */
const PENDING_ARGUMENTS_MAX = 6;

/**
 * Reads the arguments of XPENDING.
 *
 * @throws {ReplyError} when they are not valid
 */
export function pendingRequestFrom(args: ArgumentReader): PendingRequest {
  if (args.left > PENDING_ARGUMENTS_MAX) throw new ReplyError("ERR syntax error");
  const minIdleMs = args.option("IDLE") === undefined ? 0 : args.number();
  const [from, to] = [args.word(), args.word()];
  const count = Math.max(0, args.number());
  const [start, end] = [rangeStart(from), rangeEnd(to)];
  const consumer = args.isAtEnd ? undefined : args.word();
  return { minIdleMs, start, end, count, consumer };
}

/** Takes arguments as long as they are ids; what follows is an option. */
function idsFrom(args: ArgumentReader): readonly string[] {
  const ids: string[] = [];
  for (let id = args.idOrNone(); id !== undefined; id = args.idOrNone()) ids.push(entryId(id));
  return ids;
}

/** A negative count is taken for none. */
function countFrom(given: number): number | undefined {
  return given < 0 ? undefined : given;
}
