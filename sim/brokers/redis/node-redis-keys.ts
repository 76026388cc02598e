import { NotModelled } from "../not-modelled.ts";
import { isRefused } from "./commands.ts";
import { NodeRedisSortedSets } from "./node-redis-sorted-sets.ts";
import type { NodeRedisSender, SentWords } from "./node-redis-connection.ts";
import { asMaps, factsFrom, messagesFrom, type StreamMessages } from "./node-redis-replies.ts";
import {
  type ExpireMode,
  type LastIdOptions,
  lastIdWords,
  listOf,
  modeWords,
  type Pairs,
  pairWords,
  type PlainReadOptions,
  plainReadWords,
  type SetOptions,
  setWords,
  type StreamKey,
  textOrBytes,
  type Word,
  type Words,
} from "./node-redis-words.ts";
import type { RedisCommands } from "./redis-commands.ts";

/**
 * What a client of node-redis does with strings and keys, and with streams without a group.
 *
 * @example
 * ```ts
 * import type { NodeRedisKeys } from "faultlane/check";
 *
 * async function isNew(client: NodeRedisKeys, id: string) {
 *   return (await client.set(`seen:${id}`, "1", { EX: 3_600, NX: true })) === "OK";
 * }
 * console.log(isNew.length); // => 2
 * ```
 */
export class NodeRedisKeys extends NodeRedisSortedSets {
  readonly #sender: NodeRedisSender;

  /** @internal */
  constructor(sender: NodeRedisSender) {
    super(sender);
    this.#sender = sender;
  }

  /**
   * Sends SET.
   *
   * @internal
   */
  set(key: Word, value: Word | number, options?: SetOptions): Promise<string | null> {
    const words = [key, textOrBytes(value), ...setWords(options)];
    return this.#send(words, (to, [at, given = "", ...rest]) => to.set(at, given, ...rest));
  }

  /**
   * Sends GET.
   *
   * @internal
   */
  get(key: Word): Promise<string | null> {
    return this.#send([key], (to, [at]) => to.get(at));
  }

  /**
   * Sends GETDEL.
   *
   * @internal
   */
  getDel(key: Word): Promise<string | null> {
    return this.#send([key], (to, [at]) => to.getdel(at));
  }

  /**
   * Sends MGET.
   *
   * @internal
   */
  mGet(keys: Words): Promise<(string | null)[]> {
    return this.#send([...listOf(keys)], (to, words) => to.mget(...words));
  }

  /**
   * Sends MSET, with pairs in an object, in lists or one behind the other.
   *
   * @internal
   */
  mSet(pairs: Pairs): Promise<string> {
    return this.#send(pairWords(pairs), (to, words) => to.mset(...words));
  }

  /**
   * Sends PERSIST.
   *
   * @internal
   */
  persist(key: Word): Promise<number> {
    return this.#send([key], (to, [at]) => to.persist(at));
  }

  /**
   * Sends SETNX.
   *
   * @internal
   */
  setNX(key: Word, value: Word): Promise<number> {
    return this.#send([key, value], (to, [at, first = ""]) => to.setnx(at, first));
  }

  /**
   * Sends SETEX.
   *
   * @internal
   */
  setEx(key: Word, seconds: number, value: Word): Promise<string> {
    return this.#send([key, seconds.toString(), value], (to, [at, first = "", second = ""]) =>
      to.setex(at, first, second),
    );
  }

  /**
   * Sends PSETEX.
   *
   * @internal
   */
  pSetEx(key: Word, ms: number, value: Word): Promise<string> {
    return this.#send([key, ms.toString(), value], (to, [at, first = "", second = ""]) =>
      to.psetex(at, first, second),
    );
  }

  /**
   * Sends DEL.
   *
   * @internal
   */
  del(keys: Words): Promise<number> {
    return this.#send([...listOf(keys)], (to, words) => to.del(...words));
  }

  /**
   * Sends UNLINK.
   *
   * @internal
   */
  unlink(keys: Words): Promise<number> {
    return this.#send([...listOf(keys)], (to, words) => to.unlink(...words));
  }

  /**
   * Sends EXISTS.
   *
   * @internal
   */
  exists(keys: Words): Promise<number> {
    return this.#send([...listOf(keys)], (to, words) => to.exists(...words));
  }

  /**
   * Sends EXPIRE.
   *
   * @internal
   */
  expire(key: Word, seconds: number, mode?: ExpireMode): Promise<number> {
    const words = [key, seconds.toString(), ...modeWords(mode)];
    return this.#send(words, (to, [at, first = "", ...rest]) => to.expire(at, first, ...rest));
  }

  /**
   * Sends PEXPIRE.
   *
   * @internal
   */
  pExpire(key: Word, ms: number, mode?: ExpireMode): Promise<number> {
    const words = [key, ms.toString(), ...modeWords(mode)];
    return this.#send(words, (to, [at, first = "", ...rest]) => to.pexpire(at, first, ...rest));
  }

  /**
   * Sends TTL.
   *
   * @internal
   */
  ttl(key: Word): Promise<number> {
    return this.#send([key], (to, [at]) => to.ttl(at));
  }

  /**
   * Sends PTTL.
   *
   * @internal
   */
  pTTL(key: Word): Promise<number> {
    return this.#send([key], (to, [at]) => to.pttl(at));
  }

  /**
   * Sends INCR.
   *
   * @internal
   */
  incr(key: Word): Promise<number> {
    return this.#send([key], (to, [at]) => to.incr(at));
  }

  /**
   * Sends INCRBY.
   *
   * @internal
   */
  incrBy(key: Word, by: number): Promise<number> {
    return this.#send([key, by.toString()], (to, [at, first = ""]) => to.incrby(at, first));
  }

  /**
   * Sends DECR.
   *
   * @internal
   */
  decr(key: Word): Promise<number> {
    return this.#send([key], (to, [at]) => to.decr(at));
  }

  /**
   * Sends DECRBY.
   *
   * @internal
   */
  decrBy(key: Word, by: number): Promise<number> {
    return this.#send([key, by.toString()], (to, [at, first = ""]) => to.decrby(at, first));
  }

  /**
   * Sends RENAME.
   *
   * @internal
   */
  rename(key: Word, newKey: Word): Promise<string> {
    return this.#send([key, newKey], (to, [at, name = ""]) => to.rename(at, name));
  }

  /**
   * Sends RENAMENX.
   *
   * @internal
   */
  renameNX(key: Word, newKey: Word): Promise<number> {
    return this.#send([key, newKey], (to, [at, name = ""]) => to.renamenx(at, name));
  }

  /**
   * Sends TYPE.
   *
   * @internal
   */
  type(key: Word): Promise<string> {
    return this.#send([key], (to, [at]) => to.type(at));
  }

  /**
   * Sends PING.
   *
   * @internal
   */
  ping(message?: Word): Promise<string> {
    const words = message === undefined ? [] : [message];
    return this.#sender.send(words, 1, (to, [...rest]) => to.ping(...rest));
  }

  /**
   * Sends XREAD; what it returns is not delivered to a group.
   *
   * @internal
   */
  xRead(
    streams: StreamKey | readonly StreamKey[],
    options?: PlainReadOptions,
  ): Promise<StreamMessages[] | null> {
    const words = plainReadWords(streams, options);
    return this.#send(words, (to, all) => to.xread(...all)).then(messagesFrom);
  }

  /**
   * Sends XINFO STREAM.
   *
   * @internal
   */
  xInfoStream(key: Word): Promise<Record<string, unknown>> {
    return this.#info(["STREAM", key]).then(factsFrom);
  }

  /**
   * Sends XINFO GROUPS.
   *
   * @internal
   */
  xInfoGroups(key: Word): Promise<Record<string, unknown>[]> {
    return this.#info(["GROUPS", key]).then(allFactsFrom);
  }

  /**
   * Sends XINFO CONSUMERS.
   *
   * @internal
   */
  xInfoConsumers(key: Word, group: Word): Promise<Record<string, unknown>[]> {
    return this.#info(["CONSUMERS", key, group]).then(allFactsFrom);
  }

  /**
   * Sends XSETID.
   *
   * @internal
   */
  xSetId(key: Word, id: Word, options?: LastIdOptions): Promise<string> {
    const words = [key, id, ...lastIdWords(options)];
    return this.#send(words, (to, [at, last = "", ...rest]) => to.xsetid(at, last, ...rest));
  }

  /**
   * Sends a command by its words; the reply is the server's, not the library's.
   *
   * @internal
   */
  sendCommand(words: readonly Word[]): Promise<unknown> {
    return this.#sender.send(words, 0, (to, [name, ...rest]) => {
      if (isRefused(name)) throw new NotModelled(`sendCommand(["${name}"])`, "brokers.nodeRedis");
      return to.call(name, ...rest).then((reply) => asMaps(name, rest, reply));
    });
  }

  #info(words: readonly Word[]): Promise<unknown> {
    return this.#sender.send(words, 1, (to, [what, ...rest]) => to.xinfo(what, ...rest));
  }

  #send<T>(
    words: readonly Word[],
    run: (to: RedisCommands, words: SentWords) => Promise<T>,
  ): Promise<T> {
    return this.#sender.send(words, 1, run);
  }
}

function allFactsFrom(reply: unknown): Record<string, unknown>[] {
  return (reply as readonly unknown[]).map(factsFrom);
}
