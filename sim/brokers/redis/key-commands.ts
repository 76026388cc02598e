import { NotModelled } from "../not-modelled.ts";
import type { ArgumentReader } from "./arguments.ts";
import { type Commands, plain } from "./collection-commands.ts";
import type { Command, CommandPlace } from "./command-place.ts";
import { expiryFrom, isMet } from "./expiry.ts";
import { ReplyError } from "./reply-error.ts";

type KeyCommand =
  | ("del" | "unlink" | "exists" | "type" | "expire" | "pexpire" | "ttl" | "pttl" | "persist")
  | ("rename" | "renamenx");

const SECOND_MS = 1_000;
const NO_KEY = -2;
/** How long a key lives that does not expire, as TTL has it. */
const NO_EXPIRY = -1;

/** The commands of keys, whatever they hold. */
export const KEYS: Commands<KeyCommand> = {
  del: plain(deleteKeys),
  unlink: plain(deleteKeys),
  exists: plain(({ keys }, words) => words.rest().filter((key) => keys.has(key)).length),
  type: plain(({ keys }, words) => keys.at(words.word())?.kind ?? "none"),
  expire: living(SECOND_MS),
  pexpire: living(1),
  ttl: plain((place, words) => {
    const ms = leftMs(place, words.word());
    return ms < 0 ? ms : Math.floor((ms + SECOND_MS / 2) / SECOND_MS);
  }),
  pttl: plain((place, words) => leftMs(place, words.word())),
  persist: plain(({ keys }, words) => {
    const stored = keys.at(words.word());
    if (stored?.until === undefined) return 0;
    stored.until = undefined;
    return 1;
  }),
  rename: plain((place, words) => {
    renamed(place, words.word(), words.word());
    return "OK";
  }),
  renamenx: plain((place, words) => {
    const [from, to] = [words.word(), words.word()];
    if (place.keys.has(from) && place.keys.has(to)) return 0;
    renamed(place, from, to);
    return 1;
  }),
};

/** A command that says how long a key lives. */
function living(unitMs: number): Command {
  return plain(({ server, keys, who, wallMs }, words) => {
    const key = words.word();
    const { time, conditions } = expiryFrom(words);
    const until = wallMs + time * unitMs;
    const stored = keys.at(key);
    if (stored === undefined || !isMet(conditions, stored.until, until)) return 0;
    if (stored.kind === "stream") server.expire(who, key, until);
    else stored.until = until;
    return 1;
  });
}

/** Returns how long a key lives. */
function leftMs({ keys, wallMs }: CommandPlace, key: string): number {
  const stored = keys.at(key);
  if (stored === undefined) return NO_KEY;
  return stored.until === undefined ? NO_EXPIRY : stored.until - wallMs;
}

function renamed({ server, keys, who }: CommandPlace, from: string, to: string): void {
  const stored = keys.at(from);
  if (stored === undefined) throw new ReplyError("ERR no such key");
  if (stored.kind === "stream") throw new NotModelled("RENAME of a stream", "brokers.redis");
  if (from === to) return;
  server.replace(who, to, stored);
  keys.delete(from);
}

function deleteKeys({ server, who }: CommandPlace, words: ArgumentReader): number {
  return words.rest().filter((key) => server.drop(who, key)).length;
}
