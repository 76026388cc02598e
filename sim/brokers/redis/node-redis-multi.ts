import { refusing } from "../not-modelled.ts";
import type { NodeRedisConnection, NodeRedisSender, SentWords } from "./node-redis-connection.ts";
import { multiError, refusedByServer, wordsFrom } from "./node-redis-errors.ts";
import { NodeRedisGroups } from "./node-redis-groups.ts";
import { refusedByNodeRedis } from "./node-redis-refused.ts";
import type { RedisArgument } from "./arguments.ts";
import { RedisCommands } from "./redis-commands.ts";
import { asMaps } from "./node-redis-replies.ts";
import type { CommandResult, QueuedCommand } from "./command-errors.ts";

/** Commands whose other name is not the same in capitals. */
const SERVER_NAMES: Readonly<Record<string, string>> = {
  ...{ xAddNoMkStream: "XADD_NOMKSTREAM", xAutoClaimJustId: "XAUTOCLAIM_JUSTID" },
  ...{ xClaimJustId: "XCLAIM_JUSTID", xPendingRange: "XPENDING_RANGE" },
  ...{ xGroupCreate: "XGROUP_CREATE", xGroupCreateConsumer: "XGROUP_CREATECONSUMER" },
  ...{ xGroupDelConsumer: "XGROUP_DELCONSUMER", xGroupDestroy: "XGROUP_DESTROY" },
  ...{ xGroupSetId: "XGROUP_SETID", xInfoStream: "XINFO_STREAM", xInfoGroups: "XINFO_GROUPS" },
  ...{ xInfoConsumers: "XINFO_CONSUMERS" },
  ...{ lPopCount: "LPOP_COUNT", rPopCount: "RPOP_COUNT", lPosCount: "LPOS_COUNT" },
  ...{ zAddIncr: "ZADD_INCR", zRankWithScore: "ZRANK_WITHSCORE" },
  ...{ zRevRankWithScore: "ZREVRANK_WITHSCORE", zRangeWithScores: "ZRANGE_WITHSCORES" },
  ...{ zRangeByScoreWithScores: "ZRANGEBYSCORE_WITHSCORES", zPopMinCount: "ZPOPMIN_COUNT" },
  ...{ zPopMaxCount: "ZPOPMAX_COUNT" },
};
const COMMANDS = [
  ...["xAck", "xAdd", "xAutoClaim", "xClaim", "xDel", "xLen", "xPending", "xRange"],
  ...["xRead", "xReadGroup", "xRevRange", "xSetId", "xTrim"],
  ...["set", "get", "getDel", "setNX", "setEx", "pSetEx", "del", "unlink", "exists", "expire"],
  ...["pExpire", "ttl", "pTTL", "incr", "incrBy", "decr", "decrBy", "type", "ping"],
  ...["mGet", "mSet", "persist"],
  ...["hSet", "hSetNX", "hGet", "hmGet", "hGetAll", "hDel", "hExists", "hLen", "hStrLen"],
  ...["hKeys", "hVals", "hIncrBy", "hIncrByFloat", "lPush", "rPush", "lPushX", "rPushX", "lPop"],
  ...["rPop", "lLen", "lRange", "lTrim", "lIndex", "lSet", "lRem", "lInsert", "lPos", "lMove"],
  ...["rPopLPush", "lmPop", "sAdd", "sRem", "sIsMember", "smIsMember", "sMembers", "sCard"],
  ...["sMove", "sInter", "sInterStore", "sUnion", "sUnionStore", "sDiff", "sDiffStore"],
  ...["sInterCard", "zAdd", "zIncrBy", "zRem", "zCard", "zScore", "zmScore", "zCount"],
  ...["zLexCount", "zRank", "zRevRank", "zRange", "zRangeByScore", "zRangeByLex", "zRangeStore"],
  ...["zPopMin", "zPopMax", "zmPop", "zRemRangeByRank", "zRemRangeByScore", "zRemRangeByLex"],
  ...["rename", "renameNX"],
];

/** Returns the names of the commands, each with its other name. */
export function namesOnServer(): readonly (readonly [name: string, other: string])[] {
  return [
    ...COMMANDS.map((name) => [name, name.toUpperCase()] as const),
    ...Object.entries(SERVER_NAMES),
  ];
}

/** A command that waits for `exec()`. */
interface Queued extends QueuedCommand {
  readonly settle: (value: unknown) => void;
}

/**
 * A transaction of node-redis: each method of a command of the model's adds one, and `exec()` sends
 * them. What else the library has is refused by name.
 */
export class NodeRedisMulti {
  readonly #connection: NodeRedisConnection;
  readonly #calls: (() => Promise<unknown>)[] = [];
  #queue: Queued[] = [];
  /** Of each command what its method returns, once the command has its reply. */
  #replies: Promise<unknown>[] = [];
  #words: SentFrom[] = [];
  readonly #sender: NodeRedisSender;
  readonly #recorded: NodeRedisGroups;

  static {
    for (const [name, other] of namesOnServer()) {
      const method = Reflect.get(NodeRedisGroups.prototype, name) as (
        ...args: never[]
      ) => Promise<unknown>;
      const value = function (this: NodeRedisMulti, ...args: never[]): NodeRedisMulti {
        return this.#added(() => method.apply(this.#recorded, args));
      };
      Object.defineProperty(this.prototype, name, { value });
      Object.defineProperty(this.prototype, other, { value });
    }
    for (const name of [...refusedByNodeRedis(), "EXEC"]) {
      if (name in this.prototype) continue;
      const value = refusing(`multi.${name}()`, "brokers.nodeRedis");
      Object.defineProperty(this.prototype, name, { value });
    }
  }

  constructor(connection: NodeRedisConnection) {
    this.#connection = connection;
    const commands = new RedisCommands({ command: (name, args) => this.#queued(name, args) });
    const sender: NodeRedisSender = {
      send: (words, from, run) => {
        const one = { words, from };
        this.#words.push(one);
        // What cannot be encoded is never sent, and nothing settles it.
        if (errorOfSending(one) !== undefined) return this.#queued("", []) as Promise<never>;
        return run(commands, Array.from(words) as unknown as SentWords);
      },
    };
    this.#sender = sender;
    this.#recorded = new NodeRedisGroups(sender);
  }

  /** As `addCommand`. */
  sendCommand(args: readonly string[]): this {
    return this.addCommand(args.slice());
  }

  /** Adds a command by its words, whose reply comes as the server gives it. */
  addCommand(words: readonly string[]): this {
    return this.#added(() =>
      this.#sender.send(words, 0, (to, [name, ...rest]) =>
        to.call(name, ...rest).then((reply) => asMaps(name, rest, reply)),
      ),
    );
  }

  /**
   * Sends the commands; resolves with a reply for each.
   *
   * @throws {Error} `MultiErrorReply`, when some failed: it has the replies of all
   */
  async exec(asPipeline?: unknown): Promise<unknown[]> {
    if (asPipeline) return await this.execAsPipeline();
    const { replies, failed } = await this.#repliesOf((commands) =>
      this.#connection.transact(commands),
    );
    if (failed.length > 0) throw multiError(replies, failed);
    return replies;
  }

  /** As `exec`, which has the same reply with other types. */
  execTyped(asPipeline?: unknown): Promise<unknown[]> {
    return this.exec(asPipeline);
  }

  /** As `execAsPipeline`, which has the same reply with other types. */
  execAsPipelineTyped(): Promise<unknown[]> {
    return this.execAsPipeline();
  }

  /**
   * As `exec`, but commands of others may come between these.
   *
   * @throws {Error} `SimpleError`, the first of those that failed
   */
  async execAsPipeline(): Promise<unknown[]> {
    if (this.#calls.length === 0) return [];
    const { replies, failed } = await this.#repliesOf((commands) =>
      this.#connection.inTurn(commands),
    );
    const [first] = failed;
    if (first !== undefined) throw replies[first];
    return replies;
  }

  async #repliesOf(
    send: (commands: readonly QueuedCommand[]) => Promise<readonly CommandResult[]>,
  ): Promise<{ readonly replies: unknown[]; readonly failed: number[] }> {
    this.#connection.assertOpen();
    // Each time all are sent, and each has a reply of its own.
    for (const list of [this.#queue, this.#replies, this.#words]) list.length = 0;
    for (const call of this.#calls) this.#replies.push(call());
    const errors = this.#words.map(errorOfSending);
    const error = errors.find((one) => one !== undefined);
    if (error !== undefined) {
      // The library leaves out what it cannot encode; the others are executed all the same.
      const others = this.#queue.filter((_, at) => errors[at] === undefined);
      if (others.length > 0) send(others).catch(() => undefined);
      throw error;
    }
    const results = await send(this.#queue);
    const replies: unknown[] = [];
    const failed: number[] = [];
    for (const [at, result] of results.entries()) {
      if (result.ok) {
        this.#queue[at]?.settle(result.value);
        replies.push(await this.#replies[at]);
      } else {
        failed.push(at);
        replies.push(refusedByServer(result.error.message));
      }
    }
    return { replies, failed };
  }

  /** What cannot be made words of throws here. */
  #added(call: () => Promise<unknown>): this {
    call().catch(() => undefined);
    this.#calls.push(call);
    return this;
  }

  #queued(name: string, args: readonly RedisArgument[]): Promise<unknown> {
    return new Promise((settle) => void this.#queue.push({ name, args, settle }));
  }
}

/** The words of a command, and which number the first has. */
interface SentFrom {
  readonly words: ArrayLike<unknown>;
  readonly from: number;
}

/** Returns the library's error for a word that it cannot encode, if there is one. */
function errorOfSending({ words, from }: SentFrom): Error | undefined {
  try {
    wordsFrom(words, from);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
