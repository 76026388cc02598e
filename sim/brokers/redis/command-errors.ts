import { ArgumentReader, keptWords, type RedisArgument } from "./arguments.ts";
import { assertMemory, type CommandPlace } from "./command-place.ts";
import { assertKnown } from "./commands.ts";
import { ReplyError } from "./reply-error.ts";

/** A command of a transaction. */
export interface QueuedCommand {
  readonly name: string;
  readonly args: readonly RedisArgument[];
}

/** What came of one command of a transaction. */
export type CommandResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Error };

/** Its class is that of the user's own library, where there is one. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

/** What came of a transaction: where a command is not queued, none is executed. */
export interface Transacted {
  /** Of each command why it was not queued, if it was not. */
  readonly refusals: readonly (Error | undefined)[];
  readonly results: readonly CommandResult[];
}

/** @throws {ReplyError} `EXECABORT`, where a command was not queued */
export function executedFrom({ refusals, results }: Transacted): readonly CommandResult[] {
  const previousErrors = refusals.filter((one) => one !== undefined);
  if (previousErrors.length === 0) return results;
  const message = "EXECABORT Transaction discarded because of previous errors.";
  const refusal = Object.assign(new ReplyError(message), { previousErrors });
  throw Object.assign(refusal, { command: { name: "exec", args: [] } });
}

/** Returns why the server does not queue a command, if it does not. */
export function queueingError(
  { name, args }: QueuedCommand,
  { permissions, server }: Pick<CommandPlace, "permissions" | "server">,
): Error | undefined {
  try {
    told(name, args, () => {
      assertKnown(name, new ArgumentReader(args));
      permissions.assertMayRun(name);
      // What is queued takes memory, whatever the command needs itself.
      assertMemory(server);
    });
    return undefined;
  } catch (error) {
    if (isReplyError(error)) return error;
    throw error;
  }
}

/** Runs part of a command: an error of the server names the command, as the library has it. */
export function told<T>(name: string, args: readonly RedisArgument[], run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (isReplyError(error)) Object.assign(error, { command: { name, args: keptWords(args) } });
    throw error;
  }
}
