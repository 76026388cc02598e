import { type ArgumentReader, wholeFrom } from "./arguments.ts";
import type { World } from "../../kernel/world.ts";
import { ReplyError } from "./reply-error.ts";

/** When EXPIRE has an effect. */
export type ExpiryConditions = ReadonlySet<"NX" | "XX" | "GT" | "LT">;

/**
 * Reads the arguments of EXPIRE behind the key: the conditions are looked at before the time.
 *
 * @throws {ReplyError} when they are not valid
 *
 * Source: redis, expire.c, parseExtendedExpireArgumentsOrReply
 */
export function expiryFrom(words: ArgumentReader): {
  readonly time: number;
  readonly conditions: ExpiryConditions;
} {
  const [time = "", ...options] = words.rest();
  const conditions = new Set<"NX" | "XX" | "GT" | "LT">();
  for (const option of options) {
    const condition = option.toUpperCase();
    if (!isCondition(condition)) throw new ReplyError(`ERR Unsupported option ${option}`);
    conditions.add(condition);
  }
  const others = ["XX", "GT", "LT"] as const;
  if (conditions.has("NX") && others.some((one) => conditions.has(one))) {
    const what = "NX and XX, GT or LT options at the same time are not compatible";
    throw new ReplyError(`ERR ${what}`);
  }
  if (conditions.has("GT") && conditions.has("LT")) {
    throw new ReplyError("ERR GT and LT options at the same time are not compatible");
  }
  return { time: Number(wholeFrom(time)), conditions };
}

function isCondition(word: string): word is "NX" | "XX" | "GT" | "LT" {
  return word === "NX" || word === "XX" || word === "GT" || word === "LT";
}

/** Whether a key that lives until `before`, or for ever, is to live until `until`. */
export function isMet(
  conditions: ExpiryConditions,
  before: number | undefined,
  until: number,
): boolean {
  const lives = before ?? Number.POSITIVE_INFINITY;
  if (conditions.has("NX") && before !== undefined) return false;
  if (conditions.has("XX") && before === undefined) return false;
  if (conditions.has("GT") && until <= lives) return false;
  return !(conditions.has("LT") && until >= lives);
}

/** Ends a stream then by the server's clock; says whether that is over already. */
export function expireThen(
  world: World,
  { stream, until }: { readonly stream: { until: number | undefined }; readonly until: number },
  end: (isOver: boolean) => void,
): void {
  stream.until = until;
  const leftMs = until - world.wallMs;
  if (leftMs <= 0) {
    end(true);
    return;
  }
  world.schedule(leftMs, { lane: "redis", hop: false }, () => {
    if (stream.until === until) end(false);
  });
}
