import type { ArgumentReader } from "./arguments.ts";
import { ReplyError } from "./reply-error.ts";
import type { StreamServer } from "./stream-server.ts";

/** `BLOCK 0` waits without limit; no run is longer than this. */
const FOREVER_MS = 1_000_000_000;
const COUNT_MAX = 1_000;

/**
 * Reads the arguments of XREADGROUP.
 *
 * @throws {ReplyError} when they are not valid
 */
export function readFrom(words: ArgumentReader): {
  readonly blockMs: number | undefined;
  readonly request: Parameters<StreamServer["readGroup"]>[1];
} {
  if (words.option("GROUP") === undefined) throw new ReplyError("ERR syntax error");
  const [group, consumer] = [words.word(), words.word()];
  let count = COUNT_MAX;
  let blockMs: number | undefined;
  let noAck = false;
  for (;;) {
    const option = words.option("COUNT", "BLOCK", "NOACK", "STREAMS");
    if (option === "COUNT") count = words.number();
    else if (option === "BLOCK") blockMs = words.number() || FOREVER_MS;
    else if (option === "NOACK") noAck = true;
    else if (option === "STREAMS") break;
    else throw new ReplyError("ERR syntax error");
  }
  const names = words.rest();
  if (names.length === 0 || names.length % 2 === 1) {
    throw new ReplyError("ERR Unbalanced 'xreadgroup' list of streams");
  }
  const half = names.length / 2;
  const streams = names.slice(0, half).map((key, at) => [key, names[half + at] as string] as const);
  return { blockMs, request: { group, consumer, count, noAck, streams } };
}

/** Takes the trimming that stands between the stream and the id of XADD. */
export function trimmingFrom(words: ArgumentReader): readonly string[] {
  const how = words.option("MAXLEN", "MINID");
  if (how === undefined) return [];
  const about = words.option("=", "~") ?? "=";
  const threshold = words.word();
  if (words.option("LIMIT") !== undefined) words.number();
  return [how, about, threshold];
}
