import type { NodeRedisSender } from "./node-redis-connection.ts";
import { NodeRedisSets } from "./node-redis-sets.ts";
import {
  type ScoredMember,
  type RankedScore,
  type PoppedMembers,
  numberFrom,
  numbersFrom,
  rankFrom,
  scoredFrom,
  poppedFrom,
  poppedMembersFrom,
} from "./node-redis-scores.ts";
import {
  numberedKeys,
  type Members,
  type AddMemberOptions,
  addMemberWords,
  addIncrementWords,
  memberWords,
  scoreText,
  scoreWord,
  type RangeOptions,
  rangeWords,
  type LimitedOptions,
  limitedWords,
} from "./node-redis-collection-words.ts";
import { type Word, type Words, listOf, type CountOption, claimCount } from "./node-redis-words.ts";

/**
 * What a client of node-redis does with sorted sets.
 *
 * @example
 * ```ts
 * import type { NodeRedisSortedSets } from "faultlane/check";
 *
 * function due(client: NodeRedisSortedSets, nowMs: number) {
 *   return client.zRangeByScore("retries", "-inf", nowMs, { LIMIT: { offset: 0, count: 10 } });
 * }
 * console.log(due.length); // => 2
 * ```
 */
export class NodeRedisSortedSets extends NodeRedisSets {
  readonly #sender: NodeRedisSender;

  /** @internal */
  constructor(sender: NodeRedisSender) {
    super(sender);
    this.#sender = sender;
  }

  /**
   * Sends ZADD.
   *
   * @internal
   */
  zAdd(key: Word, members: Members, options?: AddMemberOptions): Promise<number> {
    return this.#send("zadd", [key, ...addMemberWords(options), ...memberWords(members)]).then(
      numberFrom,
    ) as Promise<number>;
  }

  /**
   * Sends ZADD.
   *
   * @internal
   */
  zAddIncr(key: Word, members: Members, options?: AddMemberOptions): Promise<number | null> {
    return this.#send("zadd", [
      key,
      ...addIncrementWords(options),
      "INCR",
      ...memberWords(members),
    ]).then(numberFrom);
  }

  /**
   * Sends ZINCRBY.
   *
   * @internal
   */
  zIncrBy(key: Word, by: number, member: Word): Promise<number> {
    return this.#send("zincrby", [key, scoreText(by), member]).then(numberFrom) as Promise<number>;
  }

  /**
   * Sends ZREM.
   *
   * @internal
   */
  zRem(key: Word, members: Words): Promise<number> {
    return this.#send("zrem", [key, ...listOf(members)]) as Promise<number>;
  }

  /**
   * Sends ZCARD.
   *
   * @internal
   */
  zCard(key: Word): Promise<number> {
    return this.#send("zcard", [key]) as Promise<number>;
  }

  /**
   * Sends ZSCORE.
   *
   * @internal
   */
  zScore(key: Word, member: Word): Promise<number | null> {
    return this.#send("zscore", [key, member]).then(numberFrom);
  }

  /**
   * Sends ZMSCORE.
   *
   * @internal
   */
  zmScore(key: Word, members: Words): Promise<(number | null)[]> {
    return this.#send("zmscore", [key, ...listOf(members)]).then(numbersFrom);
  }

  /**
   * Sends ZCOUNT.
   *
   * @internal
   */
  zCount(key: Word, min: Word | number, max: Word | number): Promise<number> {
    return this.#send("zcount", [key, scoreWord(min), scoreWord(max)]) as Promise<number>;
  }

  /**
   * Sends ZLEXCOUNT.
   *
   * @internal
   */
  zLexCount(key: Word, min: Word, max: Word): Promise<number> {
    return this.#send("zlexcount", [key, min, max]) as Promise<number>;
  }

  /**
   * Sends ZRANK.
   *
   * @internal
   */
  zRank(key: Word, member: Word): Promise<number | null> {
    return this.#send("zrank", [key, member]) as Promise<number | null>;
  }

  /**
   * Sends ZRANK.
   *
   * @internal
   */
  zRankWithScore(key: Word, member: Word): Promise<RankedScore | null> {
    return this.#send("zrank", [key, member, "WITHSCORE"]).then(rankFrom);
  }

  /**
   * Sends ZREVRANK.
   *
   * @internal
   */
  zRevRank(key: Word, member: Word): Promise<number | null> {
    return this.#send("zrevrank", [key, member]) as Promise<number | null>;
  }

  /**
   * Sends ZREVRANK.
   *
   * @internal
   */
  zRevRankWithScore(key: Word, member: Word): Promise<RankedScore | null> {
    return this.#send("zrevrank", [key, member, "WITHSCORE"]).then(rankFrom);
  }

  /**
   * Sends ZRANGE.
   *
   * @internal
   */
  zRange(
    key: Word,
    min: Word | number,
    max: Word | number,
    options?: RangeOptions,
  ): Promise<string[]> {
    return this.#send("zrange", [
      key,
      scoreWord(min),
      scoreWord(max),
      ...rangeWords(options),
    ]) as Promise<string[]>;
  }

  /**
   * Sends ZRANGE.
   *
   * @internal
   */
  zRangeWithScores(
    key: Word,
    min: Word | number,
    max: Word | number,
    options?: RangeOptions,
  ): Promise<ScoredMember[]> {
    return this.#send("zrange", [
      key,
      scoreWord(min),
      scoreWord(max),
      ...rangeWords(options),
      "WITHSCORES",
    ]).then(scoredFrom);
  }

  /**
   * Sends ZRANGEBYSCORE.
   *
   * @internal
   */
  zRangeByScore(
    key: Word,
    min: Word | number,
    max: Word | number,
    options?: LimitedOptions,
  ): Promise<string[]> {
    return this.#send("zrangebyscore", [
      key,
      scoreWord(min),
      scoreWord(max),
      ...limitedWords(options),
    ]) as Promise<string[]>;
  }

  /**
   * Sends ZRANGEBYSCORE.
   *
   * @internal
   */
  zRangeByScoreWithScores(
    key: Word,
    min: Word | number,
    max: Word | number,
    options?: LimitedOptions,
  ): Promise<ScoredMember[]> {
    return this.#send("zrangebyscore", [
      key,
      scoreWord(min),
      scoreWord(max),
      ...limitedWords(options),
      "WITHSCORES",
    ]).then(scoredFrom);
  }

  /**
   * Sends ZRANGEBYLEX.
   *
   * @internal
   */
  zRangeByLex(
    key: Word,
    min: Word | number,
    max: Word | number,
    options?: LimitedOptions,
  ): Promise<string[]> {
    return this.#send("zrangebylex", [
      key,
      scoreWord(min),
      scoreWord(max),
      ...limitedWords(options),
    ]) as Promise<string[]>;
  }

  /**
   * Sends ZRANGESTORE.
   *
   * @internal
   */
  zRangeStore(
    destination: Word,
    source: Word,
    min: Word | number,
    max: Word | number,
    options?: RangeOptions,
  ): Promise<number> {
    return this.#send("zrangestore", [
      destination,
      source,
      scoreWord(min),
      scoreWord(max),
      ...rangeWords(options),
    ]) as Promise<number>;
  }

  /**
   * Sends ZPOPMIN.
   *
   * @internal
   */
  zPopMin(key: Word): Promise<ScoredMember | null> {
    return this.#send("zpopmin", [key]).then(poppedFrom);
  }

  /**
   * Sends ZPOPMIN.
   *
   * @internal
   */
  zPopMinCount(key: Word, count: number): Promise<ScoredMember[]> {
    return this.#send("zpopmin", [key, count.toString()]).then(scoredFrom);
  }

  /**
   * Sends ZPOPMAX.
   *
   * @internal
   */
  zPopMax(key: Word): Promise<ScoredMember | null> {
    return this.#send("zpopmax", [key]).then(poppedFrom);
  }

  /**
   * Sends ZPOPMAX.
   *
   * @internal
   */
  zPopMaxCount(key: Word, count: number): Promise<ScoredMember[]> {
    return this.#send("zpopmax", [key, count.toString()]).then(scoredFrom);
  }

  /**
   * Sends ZMPOP.
   *
   * @internal
   */
  zmPop(keys: Words, side: "MIN" | "MAX", options?: CountOption): Promise<PoppedMembers | null> {
    return this.#send("zmpop", [...numberedKeys(keys), side, ...claimCount(options)]).then(
      poppedMembersFrom,
    );
  }

  /**
   * Sends ZREMRANGEBYRANK.
   *
   * @internal
   */
  zRemRangeByRank(key: Word, start: number, stop: number): Promise<number> {
    return this.#send("zremrangebyrank", [
      key,
      start.toString(),
      stop.toString(),
    ]) as Promise<number>;
  }

  /**
   * Sends ZREMRANGEBYSCORE.
   *
   * @internal
   */
  zRemRangeByScore(key: Word, min: Word | number, max: Word | number): Promise<number> {
    return this.#send("zremrangebyscore", [key, scoreWord(min), scoreWord(max)]) as Promise<number>;
  }

  /**
   * Sends ZREMRANGEBYLEX.
   *
   * @internal
   */
  zRemRangeByLex(key: Word, min: Word | number, max: Word | number): Promise<number> {
    return this.#send("zremrangebylex", [key, scoreWord(min), scoreWord(max)]) as Promise<number>;
  }

  #send(name: string, words: readonly Word[]): Promise<unknown> {
    return this.#sender.send(words, 1, (to, sent) => to.call(name, ...sent));
  }
}
