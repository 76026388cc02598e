/** A member of a sorted set as node-redis shows it. */
export interface ScoredMember {
  readonly value: string;
  readonly score: number;
}

/** What ZRANK replies with a score. */
export interface RankedScore {
  readonly rank: number;
  readonly score: number;
}

/** What ZMPOP replies. */
export interface PoppedMembers {
  readonly key: string;
  readonly members: ScoredMember[];
}

type Pair = readonly [member: string, score: string];

/** Scores come as numbers, of which the server has some that are infinite. */
export function numberFrom(reply: unknown): number | null {
  if (reply === null || typeof reply === "number") return reply;
  const text = reply as string;
  if (!text.endsWith("inf")) return Number(text);
  return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

export function numbersFrom(reply: unknown): (number | null)[] {
  return (reply as readonly unknown[]).map(numberFrom);
}

export function scoredFrom(reply: unknown): ScoredMember[] {
  return (reply as readonly Pair[]).map(scored);
}

function scored([value, score]: Pair): ScoredMember {
  return { value, score: numberFrom(score) ?? 0 };
}

export function poppedFrom(reply: unknown): ScoredMember | null {
  const pair = reply as Pair | readonly [];
  return pair.length === 0 ? null : scored(pair);
}

export function poppedMembersFrom(reply: unknown): PoppedMembers | null {
  if (reply === null) return null;
  const [key, pairs] = reply as readonly [string, readonly Pair[]];
  return { key, members: pairs.map(scored) };
}

export function rankFrom(reply: unknown): RankedScore | null {
  if (reply === null) return null;
  const [rank, score] = reply as readonly [number, string];
  return { rank, score: numberFrom(score) ?? 0 };
}

export function pairsAsObject(reply: unknown): Record<string, string> {
  const pairs = reply as readonly string[];
  const object: Record<string, string> = {};
  // As in the library, a field whose name is that of the prototype is lost.
  for (let at = 0; at < pairs.length; at += 2) object[String(pairs[at])] = String(pairs[at + 1]);
  return object;
}

/** The commands whose whole reply is a score, or scores. */
const SCORES: ReadonlySet<string> = new Set(["ZSCORE", "ZINCRBY", "ZMSCORE"]);
const PAIRS: ReadonlySet<string> = new Set([
  ...["ZRANGE", "ZRANGEBYSCORE", "ZREVRANGE", "ZREVRANGEBYSCORE", "ZPOPMIN", "ZPOPMAX", "ZMPOP"],
  ...["ZRANK", "ZREVRANK"],
]);

/** Returns a reply to a command that was sent by its words, with scores as numbers in it. */
export function withScores(command: string, words: readonly unknown[], reply: unknown): unknown {
  const isIncrement =
    command === "ZADD" && words.some((word) => String(word).toUpperCase() === "INCR");
  if (isIncrement) return numberFrom(reply);
  if (SCORES.has(command)) return Array.isArray(reply) ? reply.map(numberFrom) : numberFrom(reply);
  if (!PAIRS.has(command) || !Array.isArray(reply)) return reply;
  if (command === "ZMPOP") return [reply[0], (reply[1] as unknown[]).map(scoreLast)];
  if (reply.every((one) => Array.isArray(one))) return reply.map(scoreLast);
  const isPair = command.startsWith("ZPOP") || command.endsWith("RANK");
  return isPair ? scoreLast(reply) : (reply as unknown);
}

function scoreLast(pair: unknown): unknown {
  const [first, score] = pair as readonly unknown[];
  return score === undefined ? pair : [first, numberFrom(score)];
}
