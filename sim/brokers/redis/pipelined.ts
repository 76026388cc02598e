import { argumentsFrom, callBack, keptWords, type RedisArgument } from "./arguments.ts";
import { type CommandResult, isReplyError, type QueuedCommand } from "./command-errors.ts";
import { abortedByClose, isConnectionClosed, type SentCommand } from "./reply-error.ts";

type Send = (name: string, args: readonly RedisArgument[]) => Promise<unknown>;

/**
 * Sends the commands of a pipeline of ioredis. What waits behind a reply to an earlier one is
 * aborted when the connection closes: it is not rejected with the other commands that wait.
 *
 * Source: ioredis 6, event_handler.ts, abortIncompletePipelines
 */
export function pipelined(send: Send, commands: readonly QueuedCommand[]): Promise<unknown>[] {
  const progress = { hasReply: false };
  return commands.map(({ name, args }) => {
    const { words, callback } = argumentsFrom(args);
    const reply = settledIn(progress, send(name, words), { name, args: keptWords(words) });
    if (callback !== undefined) callBack(reply, callback);
    return reply;
  });
}

async function settledIn(
  progress: { hasReply: boolean },
  reply: Promise<unknown>,
  command: SentCommand,
): Promise<unknown> {
  try {
    const value = await reply;
    progress.hasReply = true;
    return value;
  } catch (error) {
    if (progress.hasReply && isConnectionClosed(error)) throw abortedByClose(command);
    if (isReplyError(error)) progress.hasReply = true;
    throw error;
  }
}

export async function resultsOf(
  replies: readonly Promise<unknown>[],
): Promise<readonly CommandResult[]> {
  const settled = await Promise.allSettled(replies);
  return settled.map((one) =>
    one.status === "fulfilled"
      ? { ok: true, value: one.value }
      : { ok: false, error: one.reason as Error },
  );
}
