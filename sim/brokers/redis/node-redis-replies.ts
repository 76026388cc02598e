import { pairsAsObject, withScores } from "./node-redis-scores.ts";
import type { StreamReply } from "./redis-commands.ts";
import type { ClaimReply, EntryReply } from "./stream-server.ts";

/** An entry of a stream as node-redis shows it. */
export interface StreamMessage {
  readonly id: string;
  readonly message: Record<string, string>;
  readonly millisElapsedFromDelivery?: number;
  readonly deliveriesCounter?: number;
}

/** The entries of one stream. */
export interface StreamMessages {
  readonly name: string;
  readonly messages: StreamMessage[];
}

/** What XAUTOCLAIM replies; a message is null where the server claimed a deleted entry. */
export interface AutoClaimed<Message> {
  readonly nextId: string;
  readonly messages: Message[];
  readonly deletedMessages: string[];
}

/** What XPENDING replies in its short form. */
export interface PendingSummary {
  readonly pending: number;
  readonly firstId: string | null;
  readonly lastId: string | null;
  readonly consumers: { readonly name: string; readonly deliveriesCounter: number }[] | null;
}

/** One pending entry. */
export interface PendingLine {
  readonly id: string;
  readonly consumer: string;
  readonly millisecondsSinceLastDelivery: number;
  readonly deliveriesCounter: number;
}

/**
 * Returns an entry; over a deleted one, of which the server sends no fields, the library stumbles.
 *
 * @throws {TypeError} for such an entry, as the library does
 */
export function messageFrom([id, fields]: EntryReply): StreamMessage {
  if (fields === null) throw new TypeError("Cannot read properties of null (reading 'length')");
  const message: Record<string, string> = {};
  for (let at = 0; at < fields.length; at += 2) {
    message[String(fields[at])] = String(fields[at + 1]);
  }
  return { id, message };
}

/** A stream that was asked for twice is there once, with what came last: the reply is a map. */
export function messagesFrom(reply: StreamReply | null): StreamMessages[] | null {
  if (reply === null) return null;
  return [...new Map(reply)].map(([name, items]) => ({ name, messages: items.map(messageFrom) }));
}

export function claimedFrom(reply: readonly ClaimReply[]): (StreamMessage | null)[] {
  return reply.map((one) => (one === null ? null : messageFrom(one as EntryReply)));
}

export function pendingSummaryFrom(reply: readonly unknown[]): PendingSummary {
  const [pending, firstId, lastId, consumers] = reply as [
    ...[number, string | null, string | null],
    [name: string, count: string][] | null,
  ];
  return {
    ...{ pending, firstId, lastId },
    consumers:
      consumers?.map(([name, count]) => ({ name, deliveriesCounter: Number(count) })) ?? null,
  };
}

export function pendingLineFrom(line: unknown): PendingLine {
  const [id, consumer, idle, count] = line as [string, string, number, number];
  return {
    ...{ id, consumer, millisecondsSinceLastDelivery: idle, deliveriesCounter: count },
  };
}

/** Returns the pairs of a reply of XINFO as an object; entries in it as the library shows them. */
export function factsFrom(reply: unknown): Record<string, unknown> {
  const pairs = reply as readonly unknown[];
  const facts: Record<string, unknown> = {};
  for (let at = 0; at < pairs.length; at += 2) {
    const [name, value] = [String(pairs[at]), pairs[at + 1]];
    facts[name] = Array.isArray(value) ? messageFrom(value as unknown as EntryReply) : value;
  }
  return facts;
}

/**
 * Returns the reply to a command that was sent by its words as the library has it: what the server
 * gives as names and values is an object.
 *
 * Source: redis.io, RESP3, maps
 */
export function asMaps(name: string, words: readonly unknown[], reply: unknown): unknown {
  const command = name.toUpperCase();
  if (command.startsWith("Z")) return withScores(command, words, reply);
  if (!Array.isArray(reply)) return reply;
  if (command === "HGETALL") return pairsAsObject(reply);
  if (command === "XREAD" || command === "XREADGROUP") return mapOf(reply.flat(1));
  if (command !== "XINFO") return reply;
  const lists = reply as readonly (readonly unknown[])[];
  return String(words[0]).toUpperCase() === "STREAM" ? mapOf(reply) : lists.map(mapOf);
}

function mapOf(pairs: readonly unknown[]): Record<string, unknown> {
  const map: [string, unknown][] = [];
  for (let at = 0; at < pairs.length; at += 2) map.push([String(pairs[at]), pairs[at + 1]]);
  return Object.fromEntries(map);
}
