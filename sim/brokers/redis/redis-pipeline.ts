import { refusing } from "../not-modelled.ts";
import type { RedisArgument } from "./arguments.ts";
import { COMMANDS, isRefused } from "./commands.ts";
import type { QueuedCommand, RedisConnection } from "./redis-connection.ts";
import { refusedCommands } from "./refused-commands.ts";

const SEE = "brokers.redis";

type PipelineResult = [error: Error | null, result: unknown][];
type Done = (error: Error | null, results?: PipelineResult) => void;

/**
 * The commands of a pipeline or a transaction of ioredis, which `exec()` sends; each method of a
 * command of the model's adds one, and what else the library has is refused by name.
 */
export class RedisPipeline {
  readonly #connection: RedisConnection;
  readonly #kind: "pipeline" | "transaction";
  readonly #commands: QueuedCommand[] = [];

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
    kind: "pipeline" | "transaction",
    commands: readonly (readonly RedisArgument[])[],
  ) {
    this.#connection = connection;
    this.#kind = kind;
    for (const [name, ...args] of commands) this.call(String(name), ...args);
  }

  /** How many commands it has; a transaction counts its beginning. */
  get length(): number {
    return this.#commands.length + (this.#kind === "transaction" ? 1 : 0);
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
  async exec(done?: Done): Promise<PipelineResult> {
    const results = this.#results();
    if (done !== undefined) results.then((all) => done(null, all), done);
    return await results;
  }

  #added(name: string, args: readonly RedisArgument[]): this {
    this.#commands.push({ name, args });
    return this;
  }

  async #results(): Promise<PipelineResult> {
    const commands = this.#commands;
    const results = await (this.#kind === "pipeline"
      ? this.#connection.inTurn(commands)
      : this.#connection.transact(commands));
    // An error stands alone, which the library's type does not say.
    return results.map((one) => (one.ok ? [null, one.value] : [one.error])) as PipelineResult;
  }
}
