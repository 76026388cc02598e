import { assertModelled } from "../not-modelled.ts";
import { isDate } from "../stored-date.ts";

const SEE = "brokers.nodeRedis";

/** A word of a command. */
export type Word = string | Uint8Array;
/** One or more of them. */
export type Words = Word | readonly Word[];

/** A stream, and the id behind which it is read. */
export interface StreamKey {
  readonly key: Word;
  readonly id: Word;
}

export interface CountOption {
  readonly COUNT?: number;
}

export interface ReadOptions extends CountOption {
  readonly BLOCK?: number;
  readonly NOACK?: boolean;
}

export interface PlainReadOptions extends CountOption {
  readonly BLOCK?: number;
}

/** The options of SET, in the library's newer and older form. */
export interface SetOptions {
  readonly expiration?:
    | { readonly type: "EX" | "PX" | "EXAT" | "PXAT"; readonly value: number }
    | { readonly type: "KEEPTTL" }
    | "KEEPTTL";
  readonly EX?: number;
  readonly PX?: number;
  readonly EXAT?: number;
  readonly PXAT?: number;
  readonly KEEPTTL?: boolean;
  readonly condition?: "NX" | "XX";
  readonly NX?: boolean;
  readonly XX?: boolean;
  readonly GET?: boolean;
}

export interface ClaimOptions {
  readonly IDLE?: number;
  readonly TIME?: number | Date;
  readonly RETRYCOUNT?: number;
  readonly FORCE?: boolean;
  readonly LASTID?: Word;
}

export interface PendingOptions {
  readonly IDLE?: number;
  readonly consumer?: Word;
}

export interface TrimOptions {
  readonly strategyModifier?: "=" | "~";
  readonly LIMIT?: number;
}

export interface AddOptions {
  readonly NOMKSTREAM?: boolean;
  readonly TRIM?: {
    readonly strategy?: "MAXLEN" | "MINID";
    readonly strategyModifier?: "=" | "~";
    readonly threshold: number;
    readonly limit?: number;
  };
}

/** When EXPIRE has an effect. */
export type ExpireMode = "NX" | "XX" | "GT" | "LT";

export interface LastIdOptions {
  readonly ENTRIESADDED?: number;
  readonly MAXDELETEDID?: Word;
}

/** As the library, it leaves out what is nothing, and sends all else as it is. */
export function modeWords(mode?: ExpireMode): readonly Word[] {
  return mode ? [mode] : [];
}

export function lastIdWords(given?: LastIdOptions | null): readonly Word[] {
  const options = given ?? {};
  assertModelled("xSetId()", options, ["ENTRIESADDED", "MAXDELETEDID"], SEE);
  const { ENTRIESADDED: added, MAXDELETEDID: deleted } = options;
  return [
    ...(added === undefined ? [] : ["ENTRIESADDED", added.toString()]),
    ...(deleted ? ["MAXDELETEDID", deleted] : []),
  ];
}

export function listOf(words: Words): readonly Word[] {
  return Array.isArray(words) ? (words as readonly Word[]) : [words as Word];
}

export function countWords(given?: CountOption | null): readonly Word[] {
  const options = given ?? {};
  assertModelled("a count", options, ["COUNT"], SEE);
  return options.COUNT === undefined ? [] : ["COUNT", options.COUNT.toString()];
}

/** For XAUTOCLAIM the library leaves out a count of 0. */
export function claimCount(given?: CountOption | null): readonly Word[] {
  const options = given ?? {};
  return countWords(options.COUNT === 0 ? {} : options);
}

export function readWords(
  group: Word,
  consumer: Word,
  streams: StreamKey | readonly StreamKey[],
  given?: ReadOptions | null,
): readonly Word[] {
  const options = given ?? {};
  assertModelled("xReadGroup()", options, ["COUNT", "BLOCK", "NOACK"], SEE);
  return [
    ...["GROUP", group, consumer, ...readOptionWords(options)],
    ...(options.NOACK ? ["NOACK"] : []),
    ...streamWords(streams),
  ];
}

function readOptionWords({ COUNT, BLOCK }: PlainReadOptions): readonly Word[] {
  return [
    ...(COUNT === undefined ? [] : ["COUNT", COUNT.toString()]),
    ...(BLOCK === undefined ? [] : ["BLOCK", BLOCK.toString()]),
  ];
}

function streamWords(streams: StreamKey | readonly StreamKey[]): readonly Word[] {
  const all = Array.isArray(streams) ? (streams as readonly StreamKey[]) : [streams as StreamKey];
  return ["STREAMS", ...all.map((one) => one.key), ...all.map((one) => one.id)];
}

export function plainReadWords(
  streams: StreamKey | readonly StreamKey[],
  given?: PlainReadOptions | null,
): readonly Word[] {
  const options = given ?? {};
  assertModelled("xRead()", options, ["COUNT", "BLOCK"], SEE);
  return [...readOptionWords(options), ...streamWords(streams)];
}

/** A number goes as a text; anything else as it is. */
export function textOrBytes(value: Word | number): Word {
  return typeof value === "number" ? value.toString() : value;
}

/** Keys with their values. */
export type Pairs =
  | Readonly<Record<string, Word>>
  | readonly (readonly [Word, Word])[]
  | readonly Word[];

/**
 * Returns keys and values one behind the other; the last key of a list may have none.
 *
 * @throws {Error} for a list without any, as the library does
 *
 * Source: @redis/client 6, commands/MSET.js
 */
export function pairWords(pairs: Pairs): readonly Word[] {
  if (!Array.isArray(pairs)) return Object.entries(pairs).flat() as Word[];
  if (pairs.length === 0) throw new Error("empty toSet Argument");
  const words = pairs.flat() as (Word | undefined)[];
  return (words.length % 2 === 0 ? words : [...words, undefined]) as Word[];
}

export function setWords(given?: SetOptions | null): readonly Word[] {
  const options = given ?? {};
  const { expiration, condition, KEEPTTL, NX, XX, GET, ...times } = options;
  const known = ["EX", "PX", "EXAT", "PXAT"];
  assertModelled("set()", times, known, SEE);
  const timed = known.flatMap((name) => {
    const value = times[name as keyof typeof times];
    return value === undefined ? [] : [name, value.toString()];
  });
  const keptOrTimed = (given: NonNullable<typeof expiration>): readonly Word[] => {
    if (typeof given === "string") return [given];
    return given.type === "KEEPTTL" ? ["KEEPTTL"] : [given.type, given.value.toString()];
  };
  const keeping = KEEPTTL ? ["KEEPTTL"] : [];
  const only = NX ? ["NX"] : XX ? ["XX"] : [];
  return [
    ...(expiration ? keptOrTimed(expiration) : timed.length > 0 ? timed.slice(0, 2) : keeping),
    ...(condition ? [condition] : only),
    ...(GET ? ["GET"] : []),
  ];
}

export function claimWords(given?: ClaimOptions | null): readonly Word[] {
  const options = given ?? {};
  const { IDLE, TIME, RETRYCOUNT, FORCE, LASTID } = options;
  assertModelled("xClaim()", options, ["IDLE", "TIME", "RETRYCOUNT", "FORCE", "LASTID"], SEE);
  const at = isDate(TIME) ? TIME.getTime() : TIME;
  return [
    ...(IDLE === undefined ? [] : ["IDLE", IDLE.toString()]),
    ...(at === undefined ? [] : ["TIME", at.toString()]),
    ...(RETRYCOUNT === undefined ? [] : ["RETRYCOUNT", RETRYCOUNT.toString()]),
    ...(FORCE ? ["FORCE"] : []),
    ...(LASTID === undefined ? [] : ["LASTID", LASTID]),
  ];
}

export function pendingWords(
  start: Word,
  end: Word,
  count: number,
  given?: PendingOptions | null,
): readonly Word[] {
  const options = given ?? {};
  assertModelled("xPendingRange()", options, ["IDLE", "consumer"], SEE);
  const { IDLE, consumer } = options;
  return [
    ...(IDLE === undefined ? [] : ["IDLE", IDLE.toString()]),
    ...[start, end, count.toString()],
    ...(consumer ? [consumer] : []),
  ];
}

/** A limit goes only with "~", as in the library. */
export function trimWords(
  strategy: "MAXLEN" | "MINID",
  threshold: number | string,
  given?: TrimOptions | null,
): readonly Word[] {
  const options = given ?? {};
  assertModelled("xTrim()", options, ["strategyModifier", "LIMIT"], SEE);
  const { strategyModifier: modifier, LIMIT } = options;
  return [
    strategy,
    ...(modifier === undefined ? [] : [modifier]),
    threshold.toString(),
    ...(modifier === "~" && LIMIT !== undefined ? ["LIMIT", LIMIT.toString()] : []),
  ];
}

export function addWords(
  id: Word,
  message: Readonly<Record<string, Word>>,
  given?: AddOptions | null,
): readonly Word[] {
  const options = given ?? {};
  // The library has another command for NOMKSTREAM, and takes no notice of it here.
  assertModelled("xAdd()", options, ["TRIM", "NOMKSTREAM"], SEE);
  const trim = options.TRIM || undefined;
  const {
    strategy,
    strategyModifier: modifier,
    threshold,
    limit,
    ...others
  } = trim ?? {
    threshold: 0,
  };
  assertModelled("xAdd() with TRIM", others, [], SEE);
  return [
    // A caller without types may name no strategy, which the library does not send.
    ...(trim === undefined ? [] : [strategy as Word]),
    ...(trim && modifier ? [modifier] : []),
    ...(trim === undefined ? [] : [threshold.toString()]),
    ...(limit === undefined ? [] : ["LIMIT", limit.toString()]),
    id,
    ...Object.entries(message).flat(),
  ];
}
