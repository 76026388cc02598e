import type { NodeRedisSender, SentWords } from "./node-redis-connection.ts";
import { NodeRedisKeys } from "./node-redis-keys.ts";
import { messageFrom, type StreamMessage } from "./node-redis-replies.ts";
import {
  type AddOptions,
  addWords,
  type CountOption,
  countWords,
  listOf,
  type TrimOptions,
  trimWords,
  type Word,
  type Words,
} from "./node-redis-words.ts";
import type { RedisCommands } from "./redis-commands.ts";
import type { EntryReply } from "./stream-server.ts";

/**
 * What a client of node-redis does with streams as a whole, and with groups.
 *
 * @example
 * ```ts
 * import type { NodeRedisStreams } from "faultlane/check";
 *
 * function bury(client: NodeRedisStreams, ref: string) {
 *   return client.xAdd("orders:dead", "*", { ref });
 * }
 * console.log(bury.length); // => 2
 * ```
 */
export class NodeRedisStreams extends NodeRedisKeys {
  readonly #sender: NodeRedisSender;

  /** @internal */
  constructor(sender: NodeRedisSender) {
    super(sender);
    this.#sender = sender;
  }

  /**
   * Sends XADD.
   *
   * @internal
   */
  xAdd(key: Word, id: Word, message: Record<string, Word>, options?: AddOptions): Promise<string> {
    const words = [key, ...addWords(id, message, options)];
    return this.#send(words, (to, [at, ...rest]) => to.xadd(at, ...rest) as Promise<string>);
  }

  /**
   * Sends XADD to a stream that has to exist.
   *
   * @internal
   */
  xAddNoMkStream(
    key: Word,
    id: Word,
    message: Record<string, Word>,
    options?: AddOptions,
  ): Promise<string | null> {
    const words = [key, "NOMKSTREAM", ...addWords(id, message, options)];
    return this.#send(words, (to, [at, ...rest]) => to.xadd(at, ...rest));
  }

  /**
   * Sends XDEL.
   *
   * @internal
   */
  xDel(key: Word, id: Words): Promise<number> {
    return this.#send([key, ...listOf(id)], (to, [at, ...rest]) => to.xdel(at, ...rest));
  }

  /**
   * Sends XGROUP CREATE.
   *
   * @internal
   */
  xGroupCreate(
    key: Word,
    group: Word,
    id: Word,
    options?: { readonly MKSTREAM?: boolean; readonly ENTRIESREAD?: number },
  ): Promise<"OK"> {
    const { MKSTREAM: makes, ENTRIESREAD: read } = options ?? {};
    const words = [
      ...[key, group, id, ...(makes ? ["MKSTREAM"] : [])],
      ...(read === undefined ? [] : ["ENTRIESREAD", read.toString()]),
    ];
    return this.#group("CREATE", words) as Promise<"OK">;
  }

  /**
   * Sends XGROUP CREATECONSUMER.
   *
   * @internal
   */
  xGroupCreateConsumer(key: Word, group: Word, consumer: Word): Promise<number> {
    return this.#group("CREATECONSUMER", [key, group, consumer]) as Promise<number>;
  }

  /**
   * Sends XGROUP DELCONSUMER; returns how many entries the consumer had pending.
   *
   * @internal
   */
  xGroupDelConsumer(key: Word, group: Word, consumer: Word): Promise<number> {
    return this.#group("DELCONSUMER", [key, group, consumer]) as Promise<number>;
  }

  /**
   * Sends XGROUP DESTROY.
   *
   * @internal
   */
  xGroupDestroy(key: Word, group: Word): Promise<number> {
    return this.#group("DESTROY", [key, group]) as Promise<number>;
  }

  /**
   * Sends XGROUP SETID.
   *
   * @internal
   */
  xGroupSetId(
    key: Word,
    group: Word,
    id: Word,
    options?: { readonly ENTRIESREAD?: number },
  ): Promise<"OK"> {
    const { ENTRIESREAD: read } = options ?? {};
    const words = [key, group, id, ...(read === undefined ? [] : ["ENTRIESREAD", read.toString()])];
    return this.#group("SETID", words) as Promise<"OK">;
  }

  /**
   * Sends XLEN.
   *
   * @internal
   */
  xLen(key: Word): Promise<number> {
    return this.#send([key], (to, [at]) => to.xlen(at));
  }

  /**
   * Sends XRANGE.
   *
   * @internal
   */
  xRange(key: Word, start: Word, end: Word, options?: CountOption): Promise<StreamMessage[]> {
    const words = [key, start, end, ...countWords(options)];
    return this.#range(words, (to, [at, ...rest]) => to.xrange(at, ...rest));
  }

  /**
   * Sends XREVRANGE.
   *
   * @internal
   */
  xRevRange(key: Word, start: Word, end: Word, options?: CountOption): Promise<StreamMessage[]> {
    const words = [key, start, end, ...countWords(options)];
    return this.#range(words, (to, [at, ...rest]) => to.xrevrange(at, ...rest));
  }

  /**
   * Sends XTRIM.
   *
   * @internal
   */
  xTrim(
    key: Word,
    strategy: "MAXLEN" | "MINID",
    threshold: number | string,
    options?: TrimOptions,
  ): Promise<number> {
    const words = [key, ...trimWords(strategy, threshold, options)];
    return this.#send(words, (to, [at, ...rest]) => to.xtrim(at, ...rest));
  }

  #group(subcommand: string, words: readonly Word[]): Promise<unknown> {
    return this.#send([subcommand, ...words], (to, [name, ...rest]) => to.xgroup(name, ...rest));
  }

  /** For a COUNT of 0 the server replies with nil, which the library's type does not tell. */
  #range(
    words: readonly Word[],
    run: (to: RedisCommands, words: SentWords) => Promise<EntryReply[] | null>,
  ): Promise<StreamMessage[]> {
    return this.#send(words, run).then((reply) => reply?.map(messageFrom) ?? reply) as Promise<
      StreamMessage[]
    >;
  }

  #send<T>(
    words: readonly Word[],
    run: (to: RedisCommands, words: SentWords) => Promise<T>,
  ): Promise<T> {
    return this.#sender.send(words, 1, run);
  }
}
