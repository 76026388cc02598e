import { type ArgumentReader, integerFrom, readInteger } from "./arguments.ts";
import { wrongArity } from "./arity.ts";
import { type Commands, growing, plain } from "./collection-commands.ts";
import type { CommandPlace } from "./command-place.ts";
import { floatFrom, scoreFrom } from "./floats.ts";
import { longDoubleSum } from "./long-double.ts";
import type { RedisHash } from "./hash.ts";
import { ReplyError } from "./reply-error.ts";

const OVERFLOW = "ERR increment or decrement would overflow";

type HashCommand =
  | ("hset" | "hmset" | "hsetnx" | "hget" | "hmget" | "hgetall" | "hdel" | "hexists" | "hlen")
  | ("hstrlen" | "hkeys" | "hvals" | "hincrby" | "hincrbyfloat");

/**
 * The commands of hashes, but for those of fields that expire.
 *
 * Source: redis, t_hash.c
 */
export const HASHES: Commands<HashCommand> = {
  hset: growing((place, words) => setFields(place, words, "hset")),
  hmset: growing((place, words) => {
    setFields(place, words, "hmset");
    return "OK";
  }),
  hsetnx: growing(({ keys }, words) => {
    const { fields } = keys.made("hash", words.word());
    const field = words.word();
    if (fields.has(field)) return 0;
    fields.set(field, words.word());
    return 1;
  }),
  hget: ofHash((hash, words) => hash?.fields.get(words.word()) ?? null),
  hmget: ofHash((hash, words) => words.rest().map((field) => hash?.fields.get(field) ?? null)),
  hgetall: ofHash((hash) => [...(hash?.fields ?? [])].flat()),
  hkeys: ofHash((hash) => [...(hash?.fields.keys() ?? [])]),
  hvals: ofHash((hash) => [...(hash?.fields.values() ?? [])]),
  hlen: ofHash((hash) => hash?.size ?? 0),
  hexists: ofHash((hash, words) => (hash?.fields.has(words.word()) ? 1 : 0)),
  hstrlen: ofHash(
    (hash, words) => new TextEncoder().encode(hash?.fields.get(words.word()) ?? "").length,
  ),
  hdel: plain(({ keys }, words) => {
    const key = words.word();
    const hash = keys.of("hash", key);
    if (hash === undefined) return 0;
    const gone = words.rest().filter((field) => hash.fields.delete(field)).length;
    keys.taken(key, hash);
    return gone;
  }),
  hincrby: growing(({ keys }, words) => {
    const [key, field, by] = [words.word(), words.word(), words.integer()];
    const before = integerFrom(keys.of("hash", key)?.fields.get(field) ?? "0");
    if (before === undefined) throw new ReplyError("ERR hash value is not an integer");
    const sum = before + by;
    if (integerFrom(String(sum)) === undefined) throw new ReplyError(OVERFLOW);
    keys.made("hash", key).fields.set(field, String(sum));
    return readInteger(sum);
  }),
  hincrbyfloat: growing(({ keys }, words) => {
    const [key, field, by] = [words.word(), words.word(), words.word()];
    if (!Number.isFinite(scoreFrom(by))) throw new ReplyError("ERR value is NaN or Infinity");
    const before = keys.of("hash", key)?.fields.get(field) ?? "0";
    if (floatFrom(before) === undefined) throw new ReplyError("ERR hash value is not a float");
    if (!Number.isFinite(floatFrom(before))) {
      throw new ReplyError("ERR increment would produce NaN or Infinity");
    }
    const sum = longDoubleSum(before, by);
    keys.made("hash", key).fields.set(field, sum);
    return sum;
  }),
};

function ofHash(run: (hash: RedisHash | undefined, words: ArgumentReader) => unknown) {
  return plain(({ keys }, words) => run(keys.of("hash", words.word()), words));
}

/** Returns how many fields are new. */
function setFields({ keys }: CommandPlace, words: ArgumentReader, name: string): number {
  if (words.left % 2 === 0) throw wrongArity(name);
  const { fields } = keys.made("hash", words.word());
  const before = fields.size;
  while (!words.isAtEnd) fields.set(words.word(), words.word());
  return fields.size - before;
}
