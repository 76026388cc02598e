import type { ArgumentReader } from "./arguments.ts";
import { wrongArity } from "./arity.ts";
import { ReplyError } from "./reply-error.ts";
import { entryId, FIRST_ID } from "./stream-id.ts";
import type { Trimming } from "./stream.ts";

/** `BLOCK 0` waits without limit; no run is longer than this. */
const FOREVER_MS = 1_000_000_000;
const NODES_TRIMMED_MAX = 100;
/** "MAXLEN ~" removes whole nodes of so many entries. Source: redis.conf, stream-node-max-entries */
const NODE_ENTRIES = 100;

/** What XREADGROUP asks for. */
export interface GroupRead {
  readonly group: string;
  readonly consumer: string;
  /** Undefined: no limit. */
  readonly count: number | undefined;
  readonly noAck: boolean;
  readonly streams: readonly (readonly [key: string, id: string])[];
}

/** How a group is read from. */
export interface GroupReadFrom {
  /** @throws {ReplyError} where there is no stream at a key but something else */
  readonly assertKey?: (key: string) => void;
  /** All, or the one in which something new came first; all by default. */
  readonly streams?: "all" | "first";
}

/**
 * Reads the arguments of XREADGROUP.
 *
 * @throws {ReplyError} when they are not valid
 */
export function readFrom(words: ArgumentReader): {
  readonly blockMs: number | undefined;
  readonly request: GroupRead;
} {
  const { named, blockMs, count, noAck, streams } = readWordsFrom(words);
  if (named === undefined) throw new ReplyError("ERR Missing GROUP option for XREADGROUP");
  const [group, consumer] = named;
  return { blockMs, request: { group, consumer, count, noAck, streams } };
}

/** What XREAD asks for. */
export interface PlainRead {
  /** Undefined: no limit. */
  readonly count: number | undefined;
  readonly streams: readonly (readonly [key: string, id: string])[];
}

/**
 * Reads the arguments of XREAD; the server looks at an id when it has looked at its key.
 *
 * @throws {ReplyError} when they are not valid
 */
export function plainReadFrom(words: ArgumentReader): {
  readonly blockMs: number | undefined;
  readonly request: PlainRead;
} {
  const { named, blockMs, count, noAck, streams } = readWordsFrom(words);
  if (named !== undefined) {
    const why = "The GROUP option is only supported by XREADGROUP. You called XREAD instead.";
    throw new ReplyError(`ERR ${why}`);
  }
  if (noAck) {
    const why = "The NOACK option is only supported by XREADGROUP. You called XREAD instead.";
    throw new ReplyError(`ERR ${why}`);
  }
  return { blockMs, request: { count, streams } };
}

function readWordsFrom(words: ArgumentReader) {
  let named: readonly [group: string, consumer: string] | undefined;
  let count = 0;
  let blockMs: number | undefined;
  let noAck = false;
  for (;;) {
    const option =
      words.option("GROUP", "NOACK") ?? words.optionWithValue("COUNT", "BLOCK", "STREAMS");
    if (option === "GROUP") named = [words.word(), words.word()];
    else if (option === "COUNT") count = words.number();
    else if (option === "BLOCK") blockMs = timeoutFrom(words);
    else if (option === "NOACK") noAck = true;
    else if (option === "STREAMS") break;
    else throw new ReplyError("ERR syntax error");
  }
  const names = words.rest();
  if (names.length % 2 === 1) {
    throw new ReplyError(
      "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
    );
  }
  const half = names.length / 2;
  const streams = names.slice(0, half).map((key, at) => [key, names[half + at] as string] as const);
  // Without a number of its own, and with none, a read has no limit.
  return { named, blockMs, count: count > 0 ? count : undefined, noAck, streams };
}

function timeoutFrom(words: ArgumentReader): number {
  const ms = words.number("ERR timeout is not an integer or out of range");
  if (ms < 0) throw new ReplyError("ERR timeout is negative");
  return ms || FOREVER_MS;
}

/** An entry to be added. */
export interface AddRequest {
  readonly trimming: Trimming | undefined;
  readonly createsStream: boolean;
  /** The id that the entry is to get; undefined: the server's choice. */
  readonly id: string | undefined;
  readonly fields: readonly string[];
}

/**
 * Reads the arguments of XADD behind the stream.
 *
 * @throws {ReplyError} when they are not valid
 */
export function addRequestFrom(words: ArgumentReader): AddRequest {
  const options = new TrimOptions();
  let createsStream = true;
  let id: string | undefined;
  for (;;) {
    if (words.isAtEnd || words.option("*") !== undefined) break;
    if (words.option("NOMKSTREAM") !== undefined) createsStream = false;
    else if (!options.take(words)) {
      const word = words.word();
      id = /^\d+-\*$/.test(word) ? word : entryId(word);
      break;
    }
  }
  const trimming = options.trimming();
  const fields = words.rest();
  if (fields.length < 2 || fields.length % 2 === 1) throw wrongArity("xadd");
  if (id === FIRST_ID) {
    throw new ReplyError("ERR The ID specified in XADD must be greater than 0-0");
  }
  return { trimming, createsStream, id, fields };
}

/**
 * Reads the arguments of XTRIM behind the stream.
 *
 * @throws {ReplyError} when they are not valid
 */
export function trimmingFrom(words: ArgumentReader): Trimming {
  const options = new TrimOptions();
  while (!words.isAtEnd) {
    if (!options.take(words)) throw new ReplyError("ERR syntax error");
  }
  const trimming = options.trimming(
    "ERR syntax error, XTRIM must be called with a trimming strategy",
  );
  return trimming as Trimming;
}

/** The options of trimming, which XADD and XTRIM take in any order. */
class TrimOptions {
  #by: Pick<Trimming, "lengthMax" | "least"> | undefined;
  #isAbout = false;
  #limit: number | undefined;

  /** Takes the next option, if it is one of these. */
  take(words: ArgumentReader): boolean {
    const option = words.optionWithValue("MAXLEN", "MINID", "LIMIT");
    if (option === undefined) return false;
    if (option === "LIMIT") {
      this.#limit = words.number();
      if (this.#limit < 0) throw new ReplyError("ERR The LIMIT argument must be >= 0.");
      return true;
    }
    if (this.#by !== undefined) {
      throw new ReplyError(
        "ERR syntax error, MAXLEN and MINID options at the same time are not compatible",
      );
    }
    this.#isAbout = words.optionWithValue("=", "~") === "~";
    if (option === "MINID") {
      this.#by = { least: entryId(words.word()), lengthMax: undefined };
      return true;
    }
    const lengthMax = words.number();
    if (lengthMax < 0) throw new ReplyError("ERR The MAXLEN argument must be >= 0.");
    this.#by = { lengthMax, least: undefined };
    return true;
  }

  /** @throws {ReplyError} for a limit where there is none; `refusal` where nothing is to be trimmed */
  trimming(refusal?: string): Trimming | undefined {
    const limit = this.#limit;
    if (this.#by === undefined && limit !== undefined && limit > 0) {
      throw new ReplyError(
        "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy",
      );
    }
    if (this.#by === undefined && refusal !== undefined) throw new ReplyError(refusal);
    if (limit !== undefined && !this.#isAbout) {
      throw new ReplyError("ERR syntax error, LIMIT cannot be used without the special ~ option");
    }
    if (this.#by === undefined) return undefined;
    const entriesMax = limit ?? NODES_TRIMMED_MAX * NODE_ENTRIES;
    return { ...this.#by, wholeNodesMax: this.#isAbout ? entriesMax : undefined };
  }
}
