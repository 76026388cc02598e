import { EPOCH_MS } from "../../realm/epoch.ts";
import type { World } from "../../kernel/world.ts";
import { Arrivals } from "../arrivals.ts";
import { NO_EFFECT, type SettlementLog } from "../settlement-log.ts";
import { refIn } from "../ref-in.ts";
import { Refusal } from "../refusal.ts";
import type { ArgumentReader } from "./arguments.ts";
import { ReplyError } from "./reply-error.ts";
import { pendingBetween, type PendingEntry, RedisStream, type StreamGroup } from "./stream.ts";
import { claimRequestFrom } from "./claim-request.ts";
import { compareIds, entryId, fullId, rangeEnd, rangeStart } from "./stream-id.ts";

/** An entry in a reply; the fields are null when it is pending but was deleted. */
export type EntryReply = [id: string, fields: string[] | null];

/** The reply of a claim for one entry: the id alone with JUSTID; null if deleted, before Redis 7. */
export type ClaimReply = EntryReply | string | null;

export interface GroupRead {
  readonly group: string;
  readonly consumer: string;
  readonly count: number;
  readonly noAck: boolean;
  readonly streams: readonly (readonly [key: string, id: string])[];
}

/** How a pending entry is transferred to another consumer. */
interface Claim {
  readonly consumer: string;
  readonly minIdleMs: number;
  readonly justId: boolean;
  readonly idleMs?: number;
  readonly retryCount?: number | undefined;
}

/** From this version on, a claim removes a deleted entry from the pending list. */
const DROPS_DELETED_MAJOR = 7;
const AUTOCLAIM_COUNT = 100;
/** "MAXLEN ~" removes whole nodes of so many entries. Source: redis.conf, stream-node-max-entries */
const NODE_ENTRIES = 100;

/**
 * The streams of a Redis server: entries, consumer groups and their pending lists.
 *
 * Holds: a delivered entry stays pending for one consumer until XACK; it is redelivered only on
 * request (XREADGROUP with an id, XCLAIM, XAUTOCLAIM); XDEL and XTRIM delete the entry and leave it
 * in the pending list; XACK does not check which consumer the entry belongs to.
 *
 * Source: redis.io, commands XREADGROUP, XACK, XCLAIM, XAUTOCLAIM, XPENDING, XADD, XDEL, XTRIM,
 * XGROUP
 */
export class StreamServer {
  readonly arrivals: Arrivals = new Arrivals();
  /** While on, memory is exhausted: only the source stream accepts entries. */
  readonly refusal: Refusal;
  readonly #world: World;
  readonly #settlements: SettlementLog;
  readonly #streams = new Map<string, RedisStream>();
  /** The stream with the records; an entry added to any other stream is a dead letter. */
  readonly #source: string;
  readonly #major: number;

  constructor(
    world: World,
    settlements: SettlementLog,
    options: { readonly source: string; readonly major: number },
  ) {
    this.refusal = new Refusal(world);
    this.#world = world;
    this.#settlements = settlements;
    this.#source = options.source;
    this.#major = options.major;
  }

  /** @throws {ReplyError} OOM, while memory is exhausted and the stream is not the source */
  add(key: string, fields: readonly string[]): string {
    if (this.refusal.isOn && key !== this.#source) {
      throw new ReplyError("OOM command not allowed when used memory > 'maxmemory'.");
    }
    if (fields.length === 0 || fields.length % 2 === 1) {
      throw new ReplyError("ERR wrong number of arguments for 'xadd' command");
    }
    const ref = refIn(fields.join(" "));
    const { id } = this.#streamFor(key).add(EPOCH_MS + this.#world.now, fields, ref);
    if (key !== this.#source) this.#settlements.deadLettered(ref);
    this.arrivals.notify();
    return id;
  }

  /** Returns undefined when there is nothing new, so that the reader may block. */
  readGroup(who: string, request: GroupRead): [string, EntryReply[]][] | undefined {
    const replies: [string, EntryReply[]][] = [];
    for (const [key, id] of request.streams) {
      const group = this.#groupOf(key, request.group);
      group.consumers.add(request.consumer);
      const entries =
        id === ">" ? this.#readNew(who, key, request) : this.#readAgain(who, key, id, request);
      if (entries.length > 0 || id !== ">") replies.push([key, entries]);
    }
    return replies.length === 0 ? undefined : replies;
  }

  ack(who: string, key: string, groupName: string, ids: readonly string[]): number {
    if (ids.length === 0) throw new ReplyError("ERR wrong number of arguments for 'xack' command");
    const group = this.#streams.get(key)?.groups.get(groupName);
    let acknowledged = 0;
    for (const id of ids.map(entryId)) {
      const pending = group?.pending.get(id);
      const consumer = `${who}/${pending?.consumer ?? groupName}`;
      const ref = pending?.ref ?? this.#streams.get(key)?.entries.get(id)?.ref;
      const refused = pending === undefined ? NO_EFFECT : "";
      this.#settlements.attempted({ ref, consumer, handle: id, act: "ack", refused });
      if (pending === undefined) continue;
      group?.pending.delete(id);
      this.#settlements.settled(ref, consumer);
      acknowledged += 1;
    }
    return acknowledged;
  }

  claim(who: string, key: string, args: ArgumentReader): ClaimReply[] {
    const group = this.#groupOf(key, args.word());
    const request = claimRequestFrom(args, EPOCH_MS + this.#world.now);
    const { consumer, minIdleMs, ids, force, lastId } = request;
    group.consumers.add(consumer);
    if (lastId !== undefined && compareIds(lastId, group.lastDelivered) > 0) {
      group.lastDelivered = lastId;
    }
    return ids.flatMap((id) => {
      const entry = this.#streamFor(key).entries.get(id);
      if (force && entry !== undefined && !group.pending.has(id)) {
        const parts = { id, ref: entry.ref, consumer, deliveries: 0 };
        group.pending.set(id, { ...parts, deliveredAt: Number.MIN_SAFE_INTEGER });
      }
      const pending = group.pending.get(id);
      if (pending === undefined || this.#world.now - pending.deliveredAt < minIdleMs) return [];
      const reply = this.#claimOne(who, key, group, pending, request);
      return reply === undefined ? [] : [reply];
    });
  }

  /** Returns the entries of a range in order, or from its end. */
  range(key: string, args: ArgumentReader, direction: 1 | -1): EntryReply[] {
    const words = [args.word(), args.word()] as const;
    const [from, to] = direction === 1 ? words : [words[1], words[0]];
    const [first, last] = [rangeStart(from), rangeEnd(to)];
    const count = args.option("COUNT") === undefined ? Number.MAX_SAFE_INTEGER : args.number();
    if (!args.isAtEnd) throw new ReplyError("ERR syntax error");
    if (!this.has(key)) return [];
    const inside = [...this.#streamFor(key).entries]
      .filter(([id]) => compareIds(id, first) >= 0 && compareIds(id, last) <= 0)
      .toSorted(([a], [b]) => direction * compareIds(a, b));
    return inside.slice(0, Math.max(0, count)).map(([id, { fields }]) => [id, [...fields]]);
  }

  autoClaim(
    who: string,
    key: string,
    args: ArgumentReader,
  ): [cursor: string, entries: ClaimReply[], deleted: string[]] {
    const group = this.#groupOf(key, args.word());
    const consumer = args.word();
    const minIdleMs = args.number();
    const start = rangeStart(args.word());
    const count = args.option("COUNT") === undefined ? AUTOCLAIM_COUNT : args.number();
    if (count <= 0) throw new ReplyError("ERR COUNT must be > 0");
    const justId = args.option("JUSTID") !== undefined;
    group.consumers.add(consumer);
    const entries: ClaimReply[] = [];
    const deleted: string[] = [];
    let cursor = "0-0";
    for (const pending of pendingBetween(group, start, fullId("+"))) {
      if (entries.length + deleted.length >= count) {
        cursor = pending.id;
        break;
      }
      if (this.#world.now - pending.deliveredAt < minIdleMs) continue;
      const reply = this.#claimOne(who, key, group, pending, { consumer, minIdleMs, justId });
      if (reply === undefined) deleted.push(pending.id);
      else entries.push(reply);
    }
    return [cursor, entries, deleted];
  }

  pending(key: string, args: ArgumentReader): unknown[] {
    const group = this.#groupOf(key, args.word());
    if (args.isAtEnd) return pendingSummary(group);
    const minIdleMs = args.option("IDLE") === undefined ? 0 : args.number();
    const [start, end] = [rangeStart(args.word()), rangeEnd(args.word())];
    const count = args.number();
    const consumer = args.isAtEnd ? undefined : args.word();
    const { now } = this.#world;
    return pendingBetween(group, start, end)
      .filter((entry) => now - entry.deliveredAt >= minIdleMs)
      .filter((entry) => consumer === undefined || entry.consumer === consumer)
      .slice(0, count)
      .map((entry) => [entry.id, entry.consumer, now - entry.deliveredAt, entry.deliveries]);
  }

  /** Deletes entries; pending ones stay pending. An undefined `who` means retention. */
  remove(who: string | undefined, key: string, ids: readonly string[]): number {
    const stream = this.#streams.get(key);
    let removed = 0;
    for (const id of ids.map(entryId)) {
      const entry = stream?.entries.get(id);
      if (entry === undefined) continue;
      stream?.entries.delete(id);
      removed += 1;
      if (key !== this.#source) continue;
      const isPending = [...(stream?.groups.values() ?? [])].some((one) => one.pending.has(id));
      if (who === undefined) this.#settlements.expired(entry.ref);
      else if (!isPending) this.#settlements.settled(entry.ref, `${who}/${key}`);
    }
    return removed;
  }

  trim(who: string, key: string, args: ArgumentReader): number {
    const how = args.option("MAXLEN", "MINID");
    if (how === undefined) throw new ReplyError("ERR syntax error");
    const isAbout = args.option("=", "~") === "~";
    const ids = [...(this.#streams.get(key)?.entries.keys() ?? [])];
    const least = how === "MINID" ? entryId(args.word()) : undefined;
    const surplus =
      least === undefined
        ? ids.length - args.number()
        : ids.filter((id) => compareIds(id, least) < 0).length;
    if (isAbout && args.option("LIMIT") !== undefined) args.number();
    const count = isAbout ? surplus - (surplus % NODE_ENTRIES) : surplus;
    return this.remove(who, key, ids.slice(0, Math.max(0, count)));
  }

  has(key: string): boolean {
    return this.#streams.has(key);
  }

  length(key: string): number {
    return this.#streams.get(key)?.entries.size ?? 0;
  }

  group(who: string, args: ArgumentReader): "OK" | number {
    const what = args.word().toUpperCase();
    const [key, name] = [args.word(), args.word()];
    switch (what) {
      case "CREATE":
        return this.#createGroup(key, name, args);
      case "SETID": {
        this.#groupOf(key, name).lastDelivered = this.#position(key, args.word());
        return "OK";
      }
      case "CREATECONSUMER": {
        const { consumers } = this.#groupOf(key, name);
        const consumer = args.word();
        const isNew = !consumers.has(consumer);
        consumers.add(consumer);
        return isNew ? 1 : 0;
      }
      case "DELCONSUMER":
        return this.#deleteConsumer(who, this.#groupOf(key, name), args.word());
      case "DESTROY":
        return this.#streams.get(key)?.groups.delete(name) === true ? 1 : 0;
      default:
        throw new ReplyError(`ERR Unknown XGROUP subcommand or wrong arguments for '${what}'`);
    }
  }

  /** Returns the id of the oldest entry whose record is one of `refs`, if there is one. */
  oldestOf(key: string, refs: readonly string[]): readonly string[] {
    const entries = [...(this.#streams.get(key)?.entries.values() ?? [])];
    const oldest = entries.find(({ ref }) => ref !== undefined && refs.includes(ref));
    return oldest === undefined ? [] : [oldest.id];
  }

  #readNew(
    who: string,
    key: string,
    { group: name, consumer, count, noAck }: GroupRead,
  ): EntryReply[] {
    const group = this.#groupOf(key, name);
    const found = this.#streamFor(key).after(group.lastDelivered, count);
    for (const { id, ref } of found) {
      group.lastDelivered = id;
      const deliveredAt = this.#world.now;
      this.#settlements.delivered(ref, `${who}/${consumer}`);
      if (noAck) this.#settlements.settled(ref, `${who}/${consumer}`);
      else group.pending.set(id, { id, ref, consumer, deliveredAt, deliveries: 1 });
    }
    return found.map(({ id, fields }) => [id, [...fields]]);
  }

  #readAgain(
    who: string,
    key: string,
    after: string,
    { group: name, consumer, count }: GroupRead,
  ): EntryReply[] {
    const stream = this.#streamFor(key);
    return pendingBetween(this.#groupOf(key, name), fullId(after), fullId("+"))
      .filter((entry) => entry.consumer === consumer && entry.id !== fullId(after))
      .slice(0, count)
      .map((pending) => {
        const entry = stream.entries.get(pending.id);
        if (entry === undefined) return [pending.id, null];
        pending.deliveredAt = this.#world.now;
        pending.deliveries += 1;
        this.#settlements.delivered(entry.ref, `${who}/${consumer}`);
        return [pending.id, [...entry.fields]];
      });
  }

  /** Returns undefined, and drops the pending entry, if the entry was deleted (from Redis 7 on). */
  #claimOne(
    who: string,
    key: string,
    group: StreamGroup,
    pending: PendingEntry,
    { consumer, minIdleMs, justId, idleMs = 0, retryCount }: Claim,
  ): ClaimReply | undefined {
    const entry = this.#streamFor(key).entries.get(pending.id);
    const { id, ref } = pending;
    const claimant = `${who}/${consumer}`;
    if (entry === undefined && this.#major < DROPS_DELETED_MAJOR) {
      pending.consumer = consumer;
      pending.deliveredAt = this.#world.now;
      return null;
    }
    if (entry === undefined) {
      group.pending.delete(id);
      this.#settlements.settled(ref, claimant);
      return undefined;
    }
    if (minIdleMs > 0 && !justId) this.#settlements.lapsed(ref ?? "", `${who}/${pending.consumer}`);
    pending.consumer = consumer;
    pending.deliveredAt = this.#world.now - idleMs;
    if (retryCount !== undefined) pending.deliveries = retryCount;
    if (justId) {
      this.#settlements.attempted({
        ref,
        consumer: claimant,
        handle: id,
        act: "extend",
        refused: "",
      });
      return id;
    }
    if (retryCount === undefined) pending.deliveries += 1;
    this.#settlements.delivered(ref, claimant);
    return [id, [...entry.fields]];
  }

  #createGroup(key: string, name: string, args: ArgumentReader): "OK" {
    const start = args.word();
    const stream = this.#streams.get(key);
    if (stream === undefined && args.option("MKSTREAM") === undefined) {
      throw new ReplyError("ERR The XGROUP subcommand requires the key to exist.");
    }
    const { groups } = this.#streamFor(key);
    if (groups.has(name)) throw new ReplyError("BUSYGROUP Consumer Group name already exists");
    const lastDelivered = this.#position(key, start);
    groups.set(name, { name, lastDelivered, pending: new Map(), consumers: new Set() });
    return "OK";
  }

  /** Drops the consumer's pending entries, which will never be delivered again. */
  #deleteConsumer(who: string, group: StreamGroup, consumer: string): number {
    group.consumers.delete(consumer);
    const dropped = [...group.pending.values()].filter((entry) => entry.consumer === consumer);
    for (const { id, ref } of dropped) {
      group.pending.delete(id);
      this.#settlements.settled(ref, `${who}/${consumer}`);
    }
    return dropped.length;
  }

  #position(key: string, id: string): string {
    return id === "$" ? this.#streamFor(key).lastId : fullId(id);
  }

  #streamFor(key: string): RedisStream {
    const stream = this.#streams.get(key) ?? new RedisStream();
    this.#streams.set(key, stream);
    return stream;
  }

  #groupOf(key: string, name: string): StreamGroup {
    const group = this.#streams.get(key)?.groups.get(name);
    if (group !== undefined) return group;
    throw new ReplyError(`NOGROUP No such key '${key}' or consumer group '${name}'`);
  }
}

function pendingSummary(group: StreamGroup): unknown[] {
  const entries = pendingBetween(group, fullId("-"), fullId("+"));
  const counts = new Map<string, number>();
  for (const { consumer } of entries) counts.set(consumer, (counts.get(consumer) ?? 0) + 1);
  const byConsumer = [...counts].map(([consumer, count]) => [consumer, String(count)]);
  const [first, last] = [entries[0]?.id ?? null, entries.at(-1)?.id ?? null];
  return [entries.length, first, last, byConsumer.length === 0 ? null : byConsumer];
}
