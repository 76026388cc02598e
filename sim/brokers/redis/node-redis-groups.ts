import type { NodeRedisSender, SentWords } from "./node-redis-connection.ts";
import {
  type AutoClaimed,
  claimedFrom,
  messagesFrom,
  type PendingLine,
  pendingLineFrom,
  type PendingSummary,
  pendingSummaryFrom,
  type StreamMessage,
  type StreamMessages,
} from "./node-redis-replies.ts";
import { NodeRedisStreams } from "./node-redis-streams.ts";
import type { RedisCommands } from "./redis-commands.ts";
import type { ClaimReply } from "./stream-server.ts";
import {
  type ClaimOptions,
  claimWords,
  type CountOption,
  claimCount,
  listOf,
  type PendingOptions,
  pendingWords,
  type ReadOptions,
  readWords,
  type StreamKey,
  type Word,
  type Words,
} from "./node-redis-words.ts";

/**
 * What a client of node-redis does as a member of a group.
 *
 * @example
 * ```ts
 * import type { NodeRedisGroups } from "faultlane/check";
 *
 * function settle(client: NodeRedisGroups, id: string) {
 *   return client.xAck("orders", "triggerer", id);
 * }
 * console.log(settle.length); // => 2
 * ```
 */
export class NodeRedisGroups extends NodeRedisStreams {
  readonly #sender: NodeRedisSender;

  /** @internal */
  constructor(sender: NodeRedisSender) {
    super(sender);
    this.#sender = sender;
  }

  /**
   * Sends XACK.
   *
   * @internal
   */
  xAck(key: Word, group: Word, id: Words): Promise<number> {
    return this.#send([key, group, ...listOf(id)], (to, [at, name = "", ...ids]) =>
      to.xack(at, name, ...ids),
    );
  }

  /**
   * Sends XAUTOCLAIM.
   *
   * @internal
   */
  xAutoClaim(
    key: Word,
    group: Word,
    consumer: Word,
    minIdleTime: number,
    start: Word,
    options?: CountOption,
  ): Promise<AutoClaimed<StreamMessage | null>> {
    const words = [key, group, consumer, minIdleTime.toString(), start, ...claimCount(options)];
    return this.#autoClaim(words).then(([nextId, messages, deleted]) => ({
      ...{ nextId, messages: claimedFrom(messages), deletedMessages: [...deleted] },
    }));
  }

  /**
   * Sends XAUTOCLAIM for the ids alone, which counts no delivery.
   *
   * @internal
   */
  xAutoClaimJustId(
    key: Word,
    group: Word,
    consumer: Word,
    minIdleTime: number,
    start: Word,
    options?: CountOption,
  ): Promise<AutoClaimed<string>> {
    const words = [key, group, consumer, minIdleTime.toString(), start, ...claimCount(options)];
    return this.#autoClaim([...words, "JUSTID"]).then(([nextId, messages, deleted]) => ({
      ...{ nextId, messages: messages as string[], deletedMessages: [...deleted] },
    }));
  }

  /**
   * Sends XCLAIM.
   *
   * @internal
   */
  xClaim(
    key: Word,
    group: Word,
    consumer: Word,
    minIdleTime: number,
    id: Words,
    options?: ClaimOptions,
  ): Promise<(StreamMessage | null)[]> {
    const words = [
      key,
      group,
      consumer,
      minIdleTime.toString(),
      ...listOf(id),
      ...claimWords(options),
    ];
    return this.#send(words, (to, [at, ...rest]) => to.xclaim(at, ...rest)).then((reply) =>
      claimedFrom(reply as ClaimReply[]),
    );
  }

  /**
   * Sends XCLAIM for the ids alone, which counts no delivery.
   *
   * @internal
   */
  xClaimJustId(
    key: Word,
    group: Word,
    consumer: Word,
    minIdleTime: number,
    id: Words,
    options?: ClaimOptions,
  ): Promise<string[]> {
    const ids = [...listOf(id), ...claimWords(options), "JUSTID"];
    const words = [key, group, consumer, minIdleTime.toString(), ...ids];
    return this.#send(words, (to, [at, ...rest]) => to.xclaim(at, ...rest) as Promise<string[]>);
  }

  /**
   * Sends XPENDING in its short form.
   *
   * @internal
   */
  xPending(key: Word, group: Word): Promise<PendingSummary> {
    return this.#send([key, group], (to, [at, name]) => to.xpending(at, name)).then(
      pendingSummaryFrom,
    );
  }

  /**
   * Sends XPENDING in its long form.
   *
   * @internal
   */
  xPendingRange(
    key: Word,
    group: Word,
    start: Word,
    end: Word,
    count: number,
    options?: PendingOptions,
  ): Promise<PendingLine[]> {
    const words = [key, group, ...pendingWords(start, end, count, options)];
    return this.#send(words, (to, [at, ...rest]) => to.xpending(at, ...rest)).then((reply) =>
      reply.map(pendingLineFrom),
    );
  }

  /**
   * Sends XREADGROUP.
   *
   * @internal
   */
  xReadGroup(
    group: Word,
    consumer: Word,
    streams: StreamKey | readonly StreamKey[],
    options?: ReadOptions,
  ): Promise<StreamMessages[] | null> {
    const words = readWords(group, consumer, streams, options);
    return this.#send(words, (to, all) => to.xreadgroup(...all)).then(messagesFrom);
  }

  #autoClaim(words: readonly Word[]): Promise<[string, ClaimReply[], string[]]> {
    return this.#send(
      words,
      (to, [at, ...rest]) =>
        to.xautoclaim(at, ...rest) as Promise<[string, ClaimReply[], string[]]>,
    );
  }

  #send<T>(
    words: readonly Word[],
    run: (to: RedisCommands, words: SentWords) => Promise<T>,
  ): Promise<T> {
    return this.#sender.send(words, 1, run);
  }
}
