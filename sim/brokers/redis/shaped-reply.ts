/** Their pairs of a member and a score ioredis gives one behind the other. */
const PAIRED: ReadonlySet<string> = new Set([
  ...["zpopmax", "zpopmin", "zrange", "zrangebyscore", "zrevrange", "zrevrangebyscore"],
]);
const READS: ReadonlySet<string> = new Set(["xread", "xreadgroup"]);

/**
 * Returns a reply as ioredis shows it, which knows its commands by their names in small letters: by
 * another name it leaves a reply as it came, a map as one list.
 *
 * Source: ioredis 6, replyTransformers.js, and Command.js on "hgetall"
 */
export function shapedReply(name: string, reply: unknown): unknown {
  if (!Array.isArray(reply)) return reply;
  if (PAIRED.has(name)) return reply.flat(1);
  if (name === "hgetall") return objectOf(reply as readonly string[]);
  const isOtherwiseNamed = name !== name.toLowerCase();
  return isOtherwiseNamed && READS.has(name.toLowerCase()) ? reply.flat(1) : reply;
}

function objectOf(pairs: readonly string[]): Record<string, string | undefined> {
  const entries: [string, string | undefined][] = [];
  for (let at = 0; at < pairs.length; at += 2) entries.push([String(pairs[at]), pairs[at + 1]]);
  return Object.fromEntries(entries);
}
