import type { SiteName } from "../../faults/site.ts";
import { type ArgumentReader, assertArity, assertSubcommand } from "./arguments.ts";
import { refusedCommands } from "./refused-commands.ts";
import { autoClaimRequestFrom, pendingRequestFrom } from "./claim-request.ts";
import { entriesBetween, positioned, readPlain } from "./plain-read.ts";
import { ReplyError, WRONG_TYPE } from "./reply-error.ts";
import { addRequestFrom, plainReadFrom, readFrom, trimmingFrom } from "./requests.ts";
import { expiryFrom, isMet } from "./expiry.ts";
import { lastIdFrom, setLastId } from "./set-last-id.ts";
import { streamInfo } from "./stream-info.ts";
import type { EntryReply } from "./stream-server.ts";
import type { RedisStream } from "./stream.ts";
import { NO_EXPIRY, type Strings } from "./strings.ts";
import { assertMemory, type Command, type CommandPlace } from "./command-place.ts";
import { SEVERAL } from "./several-keys.ts";

/** A read that may wait: what it finds now, or undefined. */
export interface WaitingRead {
  readonly blockMs: number | undefined;
  /** Looks into all streams, or into that in which something new came first. */
  find(
    place: CommandPlace,
    streams?: "all" | "first",
  ): readonly [string, EntryReply[]][] | undefined;
}

const SECOND_MS = 1_000;
const INTEGER_MIN = -0x8000_0000_0000_0000n;
const NO_STREAMS = { streamAt: (): undefined => undefined };

/** The commands of the model by their names in small letters. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  xadd: ofStream(
    "broker.produce",
    ({ server, who }, key, words) => {
      const { trimming, createsStream, id: wanted, fields } = addRequestFrom(words);
      if (!createsStream && !server.has(key)) return null;
      const id = server.add(key, fields, wanted);
      if (trimming !== undefined) server.trim(who, key, trimming);
      return id;
    },
    addRequestFrom,
  ),
  xack: ofStream("broker.settle", ({ server, who }, key, words) =>
    server.ack(who, key, words.word(), words.rest()),
  ),
  xclaim: ofStream("broker.session", ({ server, who }, key, words) =>
    server.claim(who, key, words),
  ),
  xautoclaim: ofStream(
    "broker.fetch",
    ({ server, who }, key, words) => server.autoClaim(who, key, words),
    autoClaimRequestFrom,
  ),
  xpending: ofStream(
    "broker.session",
    ({ server }, key, words) => server.pending(key, words),
    (words) => words.word() && !words.isAtEnd && pendingRequestFrom(words),
  ),
  xdel: ofStream("broker.settle", ({ server, who }, key, words) =>
    server.remove(who, key, words.rest()),
  ),
  xtrim: ofStream(
    "broker.settle",
    ({ server, who }, key, words) => server.trim(who, key, trimmingFrom(words)),
    trimmingFrom,
  ),
  xlen: ofStream("broker.session", ({ server }, key) => server.streamAt(key)?.entries.size ?? 0),
  xrange: ofStream(
    "broker.session",
    ({ server }, key, words) => entriesBetween(server, key, words, 1),
    (words) => entriesBetween(NO_STREAMS, "", words, 1),
  ),
  xrevrange: ofStream(
    "broker.session",
    ({ server }, key, words) => entriesBetween(server, key, words, -1),
    (words) => entriesBetween(NO_STREAMS, "", words, -1),
  ),
  xsetid: ofStream(
    "broker.session",
    ({ server }, key, words) => setLastId(server, key, words),
    lastIdFrom,
  ),
  xgroup: {
    site: "broker.session",
    execute: ({ server, strings, who }, words) =>
      server.group(who, words, (key) => assertNoString(strings, key)),
  },
  xinfo: {
    site: "broker.session",
    execute({ server, strings, now }, words) {
      const streamAt = (key: string): RedisStream | undefined => {
        assertNoString(strings, key);
        return server.streamAt(key);
      };
      return streamInfo({ now, major: server.major, streamAt }, words);
    },
  },
  xread: reading((words) => plainReadOf(words)),
  xreadgroup: reading((words) => groupReadOf(words)),
  set: {
    site: "broker.session",
    execute({ server, strings, who }, words) {
      assertMemory(server);
      const key = words.word();
      const { reply, isSet } = strings.set(key, words, server.streamAt(key));
      if (isSet) server.drop(who, key);
      return reply;
    },
  },
  get: ofString(({ strings }, key) => strings.get(key)),
  getdel: ofString(({ strings }, key) => {
    const value = strings.get(key);
    strings.delete(key);
    return value;
  }),
  setnx: replacing(({ server, strings }, key, words) =>
    server.has(key) ? 0 : strings.setIfNew(key, words.word()),
  ),
  setex: replacing((place, key, words) => setFor(place, key, words, SECOND_MS)),
  psetex: replacing((place, key, words) => setFor(place, key, words, 1)),
  incr: writing(({ strings }, key) => strings.add(key, 1n)),
  incrby: adding((by) => by),
  decr: writing(({ strings }, key) => strings.add(key, -1n)),
  decrby: adding(negated),
  expire: living(SECOND_MS),
  pexpire: living(1),
  ttl: {
    site: "broker.session",
    execute(place, words) {
      const ms = leftMs(place, words.word());
      return ms < 0 ? ms : Math.floor((ms + SECOND_MS / 2) / SECOND_MS);
    },
  },
  pttl: {
    site: "broker.session",
    execute: (place, words) => leftMs(place, words.word()),
  },
  del: { site: "broker.session", execute: deleteKeys },
  unlink: { site: "broker.session", execute: deleteKeys },
  exists: {
    site: "broker.session",
    execute: ({ server, strings }, words) =>
      words.rest().filter((key) => server.has(key) || strings.has(key)).length,
  },
  type: {
    site: "broker.session",
    execute({ server, strings }, words) {
      const key = words.word();
      if (server.has(key)) return "stream";
      return strings.has(key) ? "string" : "none";
    },
  },
  ping: {
    site: "broker.session",
    execute: (_, words) => (words.isAtEnd ? "PONG" : words.word()),
  },
  ...SEVERAL,
  time: {
    site: "broker.session",
    execute: ({ wallMs }) => [
      String(Math.floor(wallMs / SECOND_MS)),
      String((wallMs % SECOND_MS) * SECOND_MS),
    ],
  },
};

/** The commands that wait where they find nothing, but for those in a transaction. */
const WAITING: Readonly<Record<string, (words: ArgumentReader) => WaitingRead>> = {
  xread: plainReadOf,
  xreadgroup: groupReadOf,
};

/** Returns how a command reads that may wait, by its name in capitals or not. */
export function waitingFor(name: string): ((words: ArgumentReader) => WaitingRead) | undefined {
  return WAITING[name.toLowerCase()];
}

/** Returns where a command takes effect; a name may be in capitals or not. */
export function siteOf(name: string): SiteName {
  return COMMANDS[name.toLowerCase()]?.site ?? "broker.session";
}

const REFUSED: ReadonlySet<string> = new Set(refusedCommands());

/** Whether a server has a command that the model has not. */
export function isRefused(name: string): boolean {
  return REFUSED.has(name.toLowerCase());
}

/**
 * Executes a command at once.
 *
 * @throws {ReplyError} as the server does
 */
export function execute(place: CommandPlace, name: string, words: ArgumentReader): unknown {
  assertKnown(name, words);
  place.permissions.assertMayRun(name);
  return COMMANDS[name.toLowerCase()]?.execute(place, words);
}

/** @throws {ReplyError} for a command that is none, or has not the arguments that it needs */
export function assertKnown(name: string, words: ArgumentReader): void {
  const known = name.toLowerCase();
  if (COMMANDS[known] === undefined) throw unknownCommand(name, words.rest());
  assertArity(known, words);
  if (known === "xgroup" || known === "xinfo") assertSubcommand(known, words);
}

/** Source: redis, server.c; the words are cut to this length */
const WORDS_MAX = 128;

function unknownCommand(name: string, words: readonly string[]): ReplyError {
  let told = "";
  for (const word of words) {
    if (told.length < WORDS_MAX) told += `'${word.slice(0, WORDS_MAX - told.length)}' `;
  }
  const what = `'${name.slice(0, WORDS_MAX)}'`;
  return new ReplyError(`ERR unknown command ${what}, with args beginning with: ${told}`);
}

/** `parse` reads what the server looks at before it looks at the key. */
function ofStream(
  site: SiteName,
  run: (place: CommandPlace, key: string, words: ArgumentReader) => unknown,
  parse?: (words: ArgumentReader) => unknown,
): Command {
  return {
    site,
    execute(place, words) {
      const key = words.word();
      if (place.strings.has(key)) {
        parse?.(words);
        throw new ReplyError(WRONG_TYPE);
      }
      return run(place, key, words);
    },
  };
}

function ofString(
  run: (place: CommandPlace, key: string, words: ArgumentReader) => unknown,
): Command {
  return {
    site: "broker.session",
    execute(place, words) {
      const key = words.word();
      if (place.server.has(key)) throw new ReplyError(WRONG_TYPE);
      return run(place, key, words);
    },
  };
}

/** A command that needs memory, of which there may be none. */
function writing(
  run: (place: CommandPlace, key: string, words: ArgumentReader) => unknown,
): Command {
  return ofString((place, key, words) => {
    assertMemory(place.server);
    return run(place, key, words);
  });
}

/** A command that needs memory, and takes the place of whatever is there. */
function replacing(
  run: (place: CommandPlace, key: string, words: ArgumentReader) => unknown,
): Command {
  return {
    site: "broker.session",
    execute(place, words) {
      assertMemory(place.server);
      return run(place, words.word(), words);
    },
  };
}

function setFor(
  { server, strings, who }: CommandPlace,
  key: string,
  words: ArgumentReader,
  unitMs: number,
): "OK" {
  const ms = words.number() * unitMs;
  const reply = strings.setFor(key, words.word(), ms, unitMs === 1 ? "psetex" : "setex");
  server.drop(who, key);
  return reply;
}

/** @throws {ReplyError} for the least number of 64 bits, without its sign none of them */
function negated(by: bigint): bigint {
  if (by === INTEGER_MIN) throw new ReplyError("ERR decrement would overflow");
  return -by;
}

/** The number is looked at before the key is. */
function adding(from: (by: bigint) => bigint): Command {
  return {
    site: "broker.session",
    execute({ server, strings }, words) {
      assertMemory(server);
      const key = words.word();
      const by = from(words.integer());
      if (server.has(key)) throw new ReplyError(WRONG_TYPE);
      return strings.add(key, by);
    },
  };
}

/** A command that says how long a key lives, a stream or a string. */
function living(unitMs: number): Command {
  return {
    site: "broker.session",
    execute({ server, strings, who, wallMs }, words) {
      const key = words.word();
      const { time, conditions } = expiryFrom(words);
      const until = wallMs + time * unitMs;
      const before = server.has(key) ? server.streamAt(key)?.until : strings.untilOf(key);
      if (!(server.has(key) || strings.has(key)) || !isMet(conditions, before, until)) return 0;
      if (server.has(key)) server.expire(who, key, until);
      else strings.expire(key, until);
      return 1;
    },
  };
}

/** Returns how long a key lives. */
function leftMs({ server, strings, wallMs }: CommandPlace, key: string): number {
  if (!server.has(key)) return strings.leftMs(key);
  const until = server.streamAt(key)?.until;
  return until === undefined ? NO_EXPIRY : until - wallMs;
}

function reading(readOf: (words: ArgumentReader) => WaitingRead): Command {
  return {
    site: "broker.fetch",
    execute: (place, words) => readOf(words).find(place) ?? null,
  };
}

function groupReadOf(words: ArgumentReader): WaitingRead {
  const { blockMs, request } = readFrom(words);
  return {
    blockMs,
    find({ server, strings, who }, streams = "all") {
      const assertKey = (key: string): void => assertNoString(strings, key);
      return server.readGroup(who, request, { assertKey, streams });
    },
  };
}

function plainReadOf(words: ArgumentReader): WaitingRead {
  const { blockMs, request } = plainReadFrom(words);
  let from: ReturnType<typeof positioned> | undefined;
  return {
    blockMs,
    find({ server, strings, who }, streams = "all") {
      if (from === undefined) {
        from = positioned(server, request, (key) => assertNoString(strings, key));
      }
      const at = streams === "all" ? from.streams : server.order.first(from.streams, server);
      const found = readPlain(server, { ...from, streams: at });
      for (const [key, entries] of found ?? []) server.traceRead(who, key, entries);
      return found;
    },
  };
}

function assertNoString(strings: Strings, key: string): void {
  if (strings.has(key)) throw new ReplyError(WRONG_TYPE);
}

function deleteKeys({ server, strings, who }: CommandPlace, words: ArgumentReader): number {
  let count = 0;
  for (const key of words.rest()) if (strings.delete(key) || server.drop(who, key)) count += 1;
  return count;
}
