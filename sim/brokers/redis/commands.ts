import type { SiteName } from "../../faults/site.ts";
import type { ArgumentReader } from "./arguments.ts";
import { assertArity, assertSubcommand } from "./arity.ts";
import { refusedCommands } from "./refused-commands.ts";
import { autoClaimRequestFrom, pendingRequestFrom } from "./claim-request.ts";
import { entriesBetween, positioned, readPlain } from "./plain-read.ts";
import { ReplyError, WRONG_TYPE } from "./reply-error.ts";
import { addRequestFrom, plainReadFrom, readFrom, trimmingFrom } from "./requests.ts";
import { HASHES } from "./hash-commands.ts";
import { KEYS } from "./key-commands.ts";
import { LISTS } from "./list-commands.ts";
import { lastIdFrom, setLastId } from "./set-last-id.ts";
import { streamInfo } from "./stream-info.ts";
import type { EntryReply } from "./stream-server.ts";
import { groupIn, pendingLines, pendingSummary, type RedisStream } from "./stream.ts";
import { SETS } from "./set-commands.ts";
import { SORTED_SETS } from "./sorted-set-commands.ts";
import { STRINGS } from "./string-commands.ts";
import type { Command, CommandPlace } from "./command-place.ts";

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
const NO_STREAMS = { streamAt: (): undefined => undefined };

/** The commands of the model by their names in small letters. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  xadd: ofStream(
    "broker.produce",
    ({ server, who }, key, words) => {
      const { trimming, createsStream, id: wanted, fields } = addRequestFrom(words);
      if (!createsStream && server.streamAt(key) === undefined) return null;
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
    ({ server, now }, key, words) => pendingReply(server.streamAt(key), key, words, now),
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
    execute: ({ server, keys, who }, words) =>
      server.group(who, words, (key) => void keys.of("stream", key)),
  },
  xinfo: {
    site: "broker.session",
    execute({ server, keys, now }, words) {
      const streamAt = (key: string): RedisStream | undefined => keys.of("stream", key);
      return streamInfo({ now, major: server.major, streamAt }, words);
    },
  },
  xread: reading((words) => plainReadOf(words)),
  xreadgroup: reading((words) => groupReadOf(words)),
  ...STRINGS,
  ...KEYS,
  ...HASHES,
  ...LISTS,
  ...SETS,
  ...SORTED_SETS,
  ping: {
    site: "broker.session",
    execute: (_, words) => (words.isAtEnd ? "PONG" : words.word()),
  },
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
      if ((place.keys.at(key)?.kind ?? "stream") !== "stream") {
        parse?.(words);
        throw new ReplyError(WRONG_TYPE);
      }
      return run(place, key, words);
    },
  };
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
    find({ server, keys, who }, streams = "all") {
      const assertKey = (key: string): void => void keys.of("stream", key);
      return server.readGroup(who, request, { assertKey, streams });
    },
  };
}

function plainReadOf(words: ArgumentReader): WaitingRead {
  const { blockMs, request } = plainReadFrom(words);
  let from: ReturnType<typeof positioned> | undefined;
  return {
    blockMs,
    find({ server, keys, who }, streams = "all") {
      if (from === undefined) {
        from = positioned(server, request, (key) => void keys.of("stream", key));
      }
      const at = streams === "all" ? from.streams : server.order.first(from.streams, server);
      const found = readPlain(server, { ...from, streams: at });
      for (const [key, entries] of found ?? []) server.traceRead(who, key, entries);
      return found;
    },
  };
}

function pendingReply(
  stream: RedisStream | undefined,
  key: string,
  words: ArgumentReader,
  now: number,
): unknown[] {
  const groupName = words.word();
  const request = words.isAtEnd ? undefined : pendingRequestFrom(words);
  const group = groupIn(stream, key, groupName);
  return request === undefined ? pendingSummary(group) : pendingLines(group, request, now);
}
