import { assertModelled } from "../not-modelled.ts";
import { isBuffer } from "../library-buffer.ts";
import { listOf, type Word, type Words } from "./node-redis-words.ts";

const SEE = "brokers.nodeRedis";

type Value = Word | number;
type Tuples = readonly (Value | Tuples)[];

/** The fields of HSET: one with its value, or several in an object, a map or lists. */
export type FieldsGiven =
  | readonly [field: Value, value: Value]
  | readonly [fields: Readonly<Record<string, Value>> | ReadonlyMap<Value, Value> | Tuples];

/**
 * Returns fields and values one behind the other.
 *
 * Source: \@redis/client 6, commands/HSET.js
 */
export function fieldWords([first, value]: readonly unknown[]): readonly Word[] {
  if (typeof first === "string" || typeof first === "number" || isBuffer(first)) {
    return [textFrom(first), textFrom(value)];
  }
  if (first instanceof Map)
    return [...(first as ReadonlyMap<unknown, unknown>)].flat().map(textFrom);
  if (Array.isArray(first))
    return (first.flat(Number.POSITIVE_INFINITY) as unknown[]).map(textFrom);
  return Object.entries(first as object)
    .flat()
    .map(textFrom);
}

/** A number goes as a text; anything else as it is. */
function textFrom(value: unknown): Word {
  return typeof value === "number" ? value.toString() : (value as Word);
}

/** Several keys, and ahead of them how many they are. */
export function numberedKeys(keys: Words): readonly Word[] {
  const list = listOf(keys);
  return [list.length.toString(), ...list];
}

export type ListSide = "LEFT" | "RIGHT";

export interface PositionOptions {
  readonly RANK?: number;
  readonly MAXLEN?: number;
}

export function positionWords(given?: PositionOptions | null): readonly Word[] {
  const options = given ?? {};
  assertModelled("lPos()", options, ["RANK", "MAXLEN"], SEE);
  const { RANK, MAXLEN } = options;
  return [
    ...(RANK === undefined ? [] : ["RANK", RANK.toString()]),
    ...(MAXLEN === undefined ? [] : ["MAXLEN", MAXLEN.toString()]),
  ];
}

export interface LimitOption {
  readonly LIMIT?: number;
}

export function limitWords(given?: LimitOption | number | null): readonly Word[] {
  if (typeof given === "number") return ["LIMIT", given.toString()];
  const options = given ?? {};
  assertModelled("sInterCard()", options, ["LIMIT"], SEE);
  return options.LIMIT === undefined ? [] : ["LIMIT", options.LIMIT.toString()];
}

/** A member of a sorted set, with its score. */
interface GivenMember {
  readonly score: number;
  readonly value: Word;
}
export type Members = GivenMember | readonly GivenMember[];

/** The options of ZADD, in the library's newer and older form. */
export interface AddMemberOptions {
  readonly condition?: "NX" | "XX";
  readonly NX?: boolean;
  readonly XX?: boolean;
  readonly comparison?: "LT" | "GT";
  readonly LT?: boolean;
  readonly GT?: boolean;
  readonly CH?: boolean;
}

const ADD_OPTIONS = ["condition", "NX", "XX", "comparison", "LT", "GT", "CH"];

export function addMemberWords(given?: AddMemberOptions | null): readonly Word[] {
  const options = given ?? {};
  assertModelled("zAdd()", options, ADD_OPTIONS, SEE);
  const { condition, NX, XX, comparison, LT, GT, CH } = options;
  const only = condition || (NX ? "NX" : XX ? "XX" : undefined);
  const moves = comparison || (LT ? "LT" : GT ? "GT" : undefined);
  return [...(only ? [only] : []), ...(moves ? [moves] : []), ...(CH ? ["CH"] : [])];
}

/** The library has the newer form alone here. */
export function addIncrementWords(given?: AddMemberOptions | null): readonly Word[] {
  const { condition, comparison, CH, ...others } = given ?? {};
  assertModelled("zAddIncr()", others, ADD_OPTIONS, SEE);
  return addMemberWords({
    ...(condition ? { condition } : {}),
    ...(comparison ? { comparison } : {}),
    ...(CH ? { CH } : {}),
  });
}

export function memberWords(members: Members): readonly Word[] {
  const list = Array.isArray(members)
    ? (members as readonly GivenMember[])
    : [members as GivenMember];
  return list.flatMap(({ score, value }) => [scoreText(score), value]);
}

export function scoreText(score: number): string {
  if (score === Number.POSITIVE_INFINITY) return "+inf";
  return score === Number.NEGATIVE_INFINITY ? "-inf" : score.toString();
}

export function scoreWord(score: Word | number): Word {
  return typeof score === "number" ? scoreText(score) : score;
}

export interface LimitedOptions {
  readonly LIMIT?: { readonly offset: number; readonly count: number };
}

export interface RangeOptions extends LimitedOptions {
  readonly BY?: "SCORE" | "LEX";
  readonly REV?: boolean;
}

export function rangeWords(given?: RangeOptions | null): readonly Word[] {
  const { BY, REV, ...others } = given ?? {};
  return [
    ...(BY === "SCORE" ? ["BYSCORE"] : BY === "LEX" ? ["BYLEX"] : []),
    ...(REV ? ["REV"] : []),
    ...limitedWords(others),
  ];
}

export function limitedWords(given?: LimitedOptions | null): readonly Word[] {
  const options = given ?? {};
  assertModelled("a range", options, ["LIMIT"], SEE);
  const { LIMIT } = options;
  return LIMIT ? ["LIMIT", LIMIT.offset.toString(), LIMIT.count.toString()] : [];
}
