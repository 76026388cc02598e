import type { World } from "../../kernel/world.ts";
import { Arrivals } from "../arrivals.ts";
import { NotModelled } from "../not-modelled.ts";
import { NO_EFFECT, type SettlementLog } from "../settlement-log.ts";
import { refIn } from "../ref-in.ts";
import { Refusal } from "../refusal.ts";
import { ArrivalOrder } from "./arrival-order.ts";
import { type ArgumentReader, type GroupPosition, positionFrom } from "./arguments.ts";
import { MEANINGLESS, NO_STREAM, OUT_OF_MEMORY, ReplyError } from "./reply-error.ts";
import {
  groupIn,
  pendingBetween,
  type PendingEntry,
  positionIn,
  type RedisStream,
  type StreamGroup,
  type Trimming,
} from "./stream.ts";
import {
  AUTOCLAIM_SCANNED,
  autoClaimRequestFrom,
  type Claim,
  claimRequestFrom,
} from "./claim-request.ts";
import { expireThen } from "./expiry.ts";
import type { Keyspace, Stored } from "./keyspace.ts";
import type { GroupRead, GroupReadFrom } from "./requests.ts";
import { compareIds, entryId, fullId, ID } from "./stream-id.ts";
import { readAfter } from "./stream-info.ts";

/** An entry in a reply; the fields are null when it is pending but was deleted. */
export type EntryReply = [id: string, fields: string[] | null];

/** The reply of a claim for one entry: the id alone with JUSTID; null if deleted, before Redis 7. */
export type ClaimReply = EntryReply | string | null;

/** From this version on, a claim removes a deleted entry from the pending list. */
const DROPS_DELETED_MAJOR = 7;
/** From this version on (7.2 to be exact), a read or claim of nothing creates its consumer, too. */
const CREATES_EAGERLY_MAJOR = 8;

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
  readonly order: ArrivalOrder = new ArrivalOrder();
  /** While on, memory is exhausted: only the source stream accepts entries. */
  readonly refusal: Refusal;
  /** The server's version. */
  readonly major: number;
  readonly #world: World;
  readonly settlements: SettlementLog;
  readonly #keys: Keyspace;
  /** The stream with the records; an entry added to any other stream is a dead letter. */
  readonly #source: string;

  constructor(
    world: World,
    settlements: SettlementLog,
    options: { readonly source: string; readonly major: number; readonly keys: Keyspace },
  ) {
    this.refusal = new Refusal(world);
    this.#world = world;
    this.settlements = settlements;
    this.#source = options.source;
    this.major = options.major;
    this.#keys = options.keys;
  }

  /** @throws {ReplyError} OOM, while memory is exhausted and the stream is not the source */
  add(key: string, fields: readonly string[], wantedId?: string): string {
    if (this.refusal.isOn && key !== this.#source) throw new ReplyError(OUT_OF_MEMORY);
    const ref = refIn(fields.join(" "));
    const entry = this.#streamFor(key).add(this.#world.wallMs, fields, ref, wantedId);
    this.order.note(entry);
    if (key === this.#source) this.settlements.copied(ref);
    else this.settlements.deadLettered(ref);
    this.arrivals.notify();
    return entry.id;
  }

  /** Returns undefined when there is nothing new, so that the reader may block. */
  readGroup(
    who: string,
    request: GroupRead,
    { assertKey, streams = "all" }: GroupReadFrom = {},
  ): [string, EntryReply[]][] | undefined {
    const replies: [string, EntryReply[]][] = [];
    for (const [key, id] of request.streams) {
      assertKey?.(key);
      this.#groupOf(key, request.group, " in XREADGROUP with GROUP option");
      if (id === "$") throw new ReplyError(MEANINGLESS);
      if (id !== ">") entryId(id);
    }
    const read = streams === "all" ? request.streams : this.order.firstUnread(request, this);
    for (const [key, id] of read) {
      const group = this.#groupOf(key, request.group);
      if (id !== ">") this.#see(group, request.consumer);
      this.#createEagerly(group, request.consumer);
      const entries =
        id === ">" ? this.#readNew(who, key, request) : this.#readAgain(who, key, id, request);
      if (entries.length > 0 || id !== ">") replies.push([key, entries]);
    }
    return replies.length === 0 ? undefined : replies;
  }

  ack(who: string, key: string, groupName: string, ids: readonly string[]): number {
    const group = this.streamAt(key)?.groups.get(groupName);
    let acknowledged = 0;
    // Without a group nobody looks whether these are ids.
    for (const id of group === undefined ? ids.filter((one) => ID.test(one)) : ids.map(entryId)) {
      const pending = group?.pending.get(id);
      const consumer = `${who}/${pending?.consumer ?? groupName}`;
      const ref = pending?.ref ?? this.streamAt(key)?.entries.get(id)?.ref;
      const refused = pending === undefined ? NO_EFFECT : "";
      this.settlements.attempted({ ref, consumer, handle: id, act: "ack", refused });
      if (pending === undefined) continue;
      group?.pending.delete(id);
      this.settlements.settled(ref, consumer);
      acknowledged += 1;
    }
    return acknowledged;
  }

  claim(who: string, key: string, args: ArgumentReader): ClaimReply[] {
    const group = this.#groupOf(key, args.word());
    const request = claimRequestFrom(args, this.#world.wallMs);
    const { consumer, minIdleMs, ids, force, lastId } = request;
    this.#createEagerly(group, consumer);
    if (lastId !== undefined && compareIds(lastId, group.lastDelivered) > 0) {
      group.lastDelivered = lastId;
    }
    return ids.flatMap((id) => {
      const entry = this.#streamFor(key).entries.get(id);
      if (force && entry !== undefined && !group.pending.has(id)) {
        const parts = { id, ref: entry.ref, consumer, deliveries: 1 };
        group.pending.set(id, { ...parts, deliveredAt: Number.MIN_SAFE_INTEGER });
      }
      const pending = group.pending.get(id);
      if (pending === undefined || !this.#isClaimable(key, pending, minIdleMs)) return [];
      const reply = this.#claimOne(who, key, group, pending, request);
      return reply === undefined ? [] : [reply];
    });
  }

  autoClaim(
    who: string,
    key: string,
    args: ArgumentReader,
  ): [cursor: string, entries: ClaimReply[], deleted: string[]] {
    const request = autoClaimRequestFrom(args);
    const { groupName, consumer, minIdleMs, start, count } = request;
    const group = this.#groupOf(key, groupName);
    this.#createEagerly(group, consumer);
    const entries: ClaimReply[] = [];
    const deleted: string[] = [];
    let cursor = "0-0";
    for (const [at, pending] of pendingBetween(group, start, fullId("+")).entries()) {
      if (entries.length + deleted.length >= count || at >= count * AUTOCLAIM_SCANNED) {
        cursor = pending.id;
        break;
      }
      if (!this.#isClaimable(key, pending, minIdleMs)) continue;
      const reply = this.#claimOne(who, key, group, pending, request);
      if (reply === undefined) deleted.push(pending.id);
      else entries.push(reply);
    }
    return [cursor, entries, deleted];
  }

  /** Deletes entries; pending ones stay pending. An undefined `who` means retention. */
  remove(
    who: string | undefined,
    key: string,
    ids: readonly string[],
    why: "deleted" | "trimmed" = "deleted",
  ): number {
    const stream = this.streamAt(key);
    if (stream === undefined) return 0;
    let removed = 0;
    for (const id of ids.map(entryId)) {
      const old = stream.remove(id, why);
      if (old === undefined) continue;
      removed += 1;
      if (key !== this.#source) {
        if (why === "trimmed") this.settlements.deadLetterDropped(old.ref);
        continue;
      }
      const isPending = [...stream.groups.values()].some((one) => one.pending.has(id));
      if (who === undefined) this.settlements.expired(old.ref);
      else if (!isPending) this.settlements.settled(old.ref, `${who}/${key}`, stream.whyGone(id));
    }
    return removed;
  }

  trim(who: string, key: string, trimming: Trimming): number {
    return this.remove(who, key, this.streamAt(key)?.surplusOf(trimming) ?? [], "trimmed");
  }

  streamAt(key: string): RedisStream | undefined {
    const stored = this.#keys.at(key);
    return stored?.kind === "stream" ? stored : undefined;
  }

  /** Entries of the source were read without a group. */
  traceRead(who: string, key: string, entries: readonly EntryReply[]): void {
    if (key !== this.#source) return;
    const { entries: known } = this.#streamFor(key);
    for (const [id] of entries) this.settlements.delivered(known.get(id)?.ref, `${who}/${key}`);
  }

  /** Deletes what a key holds, a stream with its groups; returns whether there was something. */
  drop(who: string | undefined, key: string): boolean {
    const stream = this.streamAt(key);
    if (stream !== undefined) {
      this.remove(who, key, [...stream.entries.keys()]);
      this.arrivals.notify();
    }
    return this.#keys.delete(key);
  }

  /** Puts something in the place of what a key holds; undefined: nothing. */
  replace(who: string, key: string, value: Stored | undefined): void {
    this.drop(who, key);
    if (value !== undefined) this.#keys.put(key, value);
  }

  group(who: string, args: ArgumentReader, assertKey?: (key: string) => void): "OK" | number {
    const word = args.word();
    const what = word.toUpperCase();
    if (what === "HELP") throw new NotModelled("XGROUP HELP", "brokers.redis");
    const [key, name] = [args.word(), args.word()];
    const position = positionFrom(what, args, word);
    assertKey?.(key);
    if (what === "CREATE" && position !== undefined) return this.#createGroup(key, name, position);
    const stream = this.streamAt(key);
    if (stream === undefined) throw new ReplyError(NO_STREAM);
    if (what === "DESTROY") {
      this.arrivals.notify();
      return stream.groups.delete(name) ? 1 : 0;
    }
    const group = stream.groups.get(name);
    if (group === undefined) {
      throw new ReplyError(`NOGROUP No such consumer group '${name}' for key name '${key}'`);
    }
    if (position !== undefined) {
      group.lastDelivered = positionIn(stream, position.id);
      group.entriesRead = position.entriesRead;
      return "OK";
    }
    const consumer = args.word();
    if (what === "DELCONSUMER") return this.#deleteConsumer(who, group, consumer);
    if (group.consumers.has(consumer)) return 0;
    this.#see(group, consumer);
    return 1;
  }

  /** Has a stream expire then, at once where that is over. */
  expire(who: string, key: string, until: number): void {
    const stream = this.#streamFor(key);
    expireThen(this.#world, { stream, until }, (isOver) => {
      if (this.streamAt(key) === stream) this.drop(isOver ? who : undefined, key);
    });
  }

  #readNew(
    who: string,
    key: string,
    { group: name, consumer, count, noAck }: GroupRead,
  ): EntryReply[] {
    const group = this.#groupOf(key, name);
    const stream = this.#streamFor(key);
    const found = stream.after(group.lastDelivered, count);
    if (found.length > 0) this.#see(group, consumer, "active");
    for (const { id, ref } of found) {
      group.entriesRead = readAfter(stream, group, id);
      group.lastDelivered = id;
      const deliveredAt = this.#world.now;
      this.settlements.delivered(ref, `${who}/${consumer}`);
      if (noAck) this.settlements.settled(ref, `${who}/${consumer}`, "it is read with NOACK");
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
        this.settlements.delivered(entry.ref, `${who}/${consumer}`);
        return [pending.id, [...entry.fields]];
      });
  }

  /** A deleted entry is dropped however short it was pending (from Redis 7 on). */
  #isClaimable(key: string, { id, deliveredAt }: PendingEntry, minIdleMs: number): boolean {
    if (this.#world.now - deliveredAt >= minIdleMs) return true;
    return this.major >= DROPS_DELETED_MAJOR && !this.#streamFor(key).entries.has(id);
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
    if (entry === undefined && this.major < DROPS_DELETED_MAJOR) {
      pending.consumer = consumer;
      pending.deliveredAt = this.#world.now;
      return null;
    }
    if (entry === undefined) {
      group.pending.delete(id);
      this.settlements.settled(ref, claimant, this.#streamFor(key).whyGone(id));
      return undefined;
    }
    this.#see(group, consumer, "active");
    if (minIdleMs > 0 && !justId) this.settlements.lapsed(ref ?? "", `${who}/${pending.consumer}`);
    pending.consumer = consumer;
    pending.deliveredAt = this.#world.now - idleMs;
    if (retryCount !== undefined) pending.deliveries = retryCount;
    if (justId) {
      const attempt = { ref, consumer: claimant, handle: id, refused: "" };
      this.settlements.attempted({ ...attempt, act: "extend" });
      return id;
    }
    if (retryCount === undefined) pending.deliveries += 1;
    this.settlements.delivered(ref, claimant);
    return [id, [...entry.fields]];
  }

  #createEagerly(group: StreamGroup, consumer: string): void {
    if (this.major >= CREATES_EAGERLY_MAJOR) this.#see(group, consumer);
  }

  #see(group: StreamGroup, consumer: string, how: "seen" | "active" = "seen"): void {
    const { now } = this.#world;
    const before = group.consumers.get(consumer);
    const activeAt = how === "active" ? now : before?.activeAt;
    group.consumers.set(consumer, { seenAt: now, activeAt });
  }

  #createGroup(key: string, name: string, position: GroupPosition): "OK" {
    const { id: start, makesStream, entriesRead } = position;
    const stream = this.streamAt(key);
    if (stream === undefined && !makesStream) throw new ReplyError(NO_STREAM);
    if (start !== "$") entryId(start);
    const created = this.#streamFor(key);
    if (created.groups.has(name))
      throw new ReplyError("BUSYGROUP Consumer Group name already exists");
    const group = { name, lastDelivered: positionIn(created, start), entriesRead };
    created.groups.set(name, { ...group, pending: new Map(), consumers: new Map() });
    return "OK";
  }

  /** Drops the consumer's pending entries, which will never be delivered again. */
  #deleteConsumer(who: string, group: StreamGroup, consumer: string): number {
    group.consumers.delete(consumer);
    const dropped = [...group.pending.values()].filter((entry) => entry.consumer === consumer);
    for (const { id, ref } of dropped) {
      group.pending.delete(id);
      this.settlements.settled(ref, `${who}/${consumer}`, "its consumer is deleted");
    }
    return dropped.length;
  }

  #streamFor(key: string): RedisStream {
    return this.#keys.made("stream", key);
  }

  #groupOf(key: string, name: string, where?: string): StreamGroup {
    return groupIn(this.streamAt(key), key, name, where);
  }
}
