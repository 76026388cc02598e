import { refusing } from "../not-modelled.ts";
import { argumentsFrom, callBack, type RedisArgument } from "./arguments.ts";
import {
  type CommandResult,
  executedFrom,
  type QueuedCommand,
  type Transacted,
} from "./command-errors.ts";
import { COMMANDS, isRefused } from "./commands.ts";
import { isConnectionClosed } from "./reply-error.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { refusedCommands } from "./refused-commands.ts";
import { spelledOut } from "./spelled-out.ts";

const SEE = "brokers.redis";

/** An error stands alone, which the library's type does not say. */
type PipelineResult = [error: Error | null, result: unknown][];
type Done = (error: Error | null, results?: PipelineResult) => void;
type Kind = "pipeline" | "transaction";

/**
 * The commands of a pipeline or a transaction of ioredis, which `exec()` sends; each method of a
 * command of the model's adds one, and what else the library has is refused by name.
 *
 * Holds: with a further `exec()` all commands are sent again, and it resolves with the replies of
 * the first.
 */
export class RedisPipeline {
  readonly #connection: RedisConnection;
  readonly #kind: Kind;
  readonly #commands: QueuedCommand[] = [];
  /** How many of them are between MULTI and EXEC, once that was sent. */
  #inTransaction: number | undefined;
  /** How many of a pipeline were sent already. */
  #sentBefore = 0;
  /** What the first `exec()` sent resolves with, of MULTI and EXEC, too. */
  #replies: Promise<PipelineResult> | undefined;

  static {
    for (const name of Object.keys(COMMANDS)) {
      const value = function (this: RedisPipeline, ...args: RedisArgument[]): RedisPipeline {
        return this.#added(name, args);
      };
      Object.defineProperty(this.prototype, name, { value });
    }
    for (const name of [...refusedCommands(), "multi", "pipeline", "execBuffer"]) {
      if (name in this.prototype) continue;
      const value = refusing(`pipeline.${name}()`, SEE);
      Object.defineProperty(this.prototype, name, { value });
    }
  }

  constructor(
    connection: RedisConnection,
    kind: Kind,
    commands: readonly (readonly RedisArgument[])[],
  ) {
    this.#connection = connection;
    this.#kind = kind;
    const methods = this as unknown as Record<string, (...args: RedisArgument[]) => unknown>;
    for (const [name, ...args] of commands) {
      // What it has no method for is an error of the engine, as in the library.
      (methods[String(name)] as (...given: RedisArgument[]) => unknown).apply(this, args);
    }
  }

  /** How many commands it has; a transaction counts its beginning, and its end when that was sent. */
  get length(): number {
    const around = this.#kind === "pipeline" ? 0 : this.#replies === undefined ? 1 : 2;
    return this.#commands.length + around;
  }

  /** Adds a command by its name. */
  call(name: string, ...args: RedisArgument[]): this {
    if (isRefused(name)) refusing(`pipeline.call("${name}")`, SEE)();
    return this.#added(name, args);
  }

  /**
   * Sends the commands; resolves with an error or a result for each.
   *
   * @throws {Error} `EXECABORT`, when a command of a transaction could not be queued
   */
  exec(done?: Done): Promise<PipelineResult> {
    if (this.#replies !== undefined) {
      void this.#sent("again");
      return this.#replies;
    }
    this.#inTransaction = this.#kind === "pipeline" ? 0 : this.#commands.length;
    const sent = this.#sent("first");
    const replies = sent.then(({ end }) => {
      if (end instanceof Error) throw end;
      return end;
    });
    this.#replies = this.#kind === "pipeline" ? replies : sent.then(repliesAround);
    if (typeof done === "function") callBack(replies, done as never);
    return replies;
  }

  #added(name: string, args: readonly RedisArgument[]): this {
    this.#commands.push({ name, args: spelledOut(name, args) });
    return this;
  }

  async #sent(time: "again" | "first"): Promise<Sent> {
    const inside = this.#inTransaction ?? 0;
    const [first, rest] = [this.#commands.slice(0, inside), this.#commands.slice(inside)];
    if (this.#kind === "pipeline") {
      // What was called back is not called back again.
      const before = this.#sentBefore;
      this.#sentBefore = rest.length;
      const sent = rest.map((one, at) => (at < before ? withoutCallback(one) : one));
      return { around: [], end: resultsOf(await this.#connection.inTurn(sent)) };
    }
    const sent = this.#transacted(first, time);
    if (rest.length > 0) void this.#connection.inTurn(rest);
    return await sent;
  }

  /** A callback is told whether its command was queued. */
  async #transacted(commands: readonly QueuedCommand[], time: "again" | "first"): Promise<Sent> {
    const given = commands.map(({ name, args }) => ({ name, ...argumentsFrom(args) }));
    const queued = given.map(({ name, words: args }) => ({ name, args }));
    const told = time === "first" ? given.map(({ callback }) => callback) : [];
    try {
      const transacted = await this.#connection.transact(queued);
      const { refusals } = transacted;
      for (const [at, callback] of told.entries()) {
        const refusal = refusals[at];
        if (refusal === undefined) callback?.(null, "QUEUED" as never);
        else callback?.(refusal);
      }
      return { around: [undefined, ...refusals], end: executed(transacted) };
    } catch (error) {
      const end = error as Error;
      if (!isConnectionClosed(end)) return { around: [end, ...commands.map(() => end)], end };
      // MULTI and each command were rejected, too.
      const around = ["multi", ...commands].map(() => new Error(end.message));
      for (const [at, callback] of told.entries()) callback?.(around[at + 1]);
      return { around, end: Object.assign(end, { previousErrors: around }) };
    }
  }
}

/** What came of commands that were sent. */
interface Sent {
  /** Of MULTI and what was to be queued: why it was refused, if it was. */
  readonly around: readonly (Error | undefined)[];
  readonly end: PipelineResult | Error;
}

function withoutCallback({ name, args }: QueuedCommand): QueuedCommand {
  return { name, args: argumentsFrom(args).words };
}

function executed(transacted: Transacted): PipelineResult | Error {
  try {
    return resultsOf(executedFrom(transacted));
  } catch (error) {
    return error as Error;
  }
}

function resultsOf(results: readonly CommandResult[]): PipelineResult {
  return results.map((one) => (one.ok ? [null, one.value] : [one.error])) as PipelineResult;
}

/** Returns the replies to a transaction with those to MULTI, to EXEC, and to what was queued. */
function repliesAround({ around, end }: Sent): PipelineResult {
  const words = around.map((_, at) => (at === 0 ? "OK" : "QUEUED"));
  const replies = around.map((error, at) => (error === undefined ? [null, words[at]] : [error]));
  const last = end instanceof Error ? [end] : [null, end.map(([error, value]) => error ?? value)];
  return [...replies, last] as PipelineResult;
}
