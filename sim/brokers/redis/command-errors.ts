import { ArgumentReader, type RedisArgument, sentWords } from "./arguments.ts";
import { assertKnown } from "./commands.ts";
import type { Permissions } from "./permissions.ts";
import { ReplyError } from "./reply-error.ts";

/** Its class is that of the user's own library, where there is one. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

/** @throws {ReplyError} where the server refuses to queue a command, and so to execute any */
export function assertQueued(
  name: string,
  args: readonly RedisArgument[],
  permissions: Permissions,
): void {
  try {
    told(name, args, () => {
      assertKnown(name, new ArgumentReader(args));
      permissions.assertMayRun(name);
    });
  } catch (error) {
    const message = "EXECABORT Transaction discarded because of previous errors.";
    const refusal = Object.assign(new ReplyError(message), { previousErrors: [error as Error] });
    throw Object.assign(refusal, { command: { name: "exec", args: [] } });
  }
}

/** Runs part of a command: an error of the server names the command, as the library has it. */
export function told<T>(name: string, args: readonly RedisArgument[], run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (isReplyError(error)) Object.assign(error, { command: { name, args: sentWords(args) } });
    throw error;
  }
}
