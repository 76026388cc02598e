import type { Step } from "../../kernel/step.ts";
import { type ConsumerSettings, inactiveMsOf, isRead } from "./settings.ts";
import type { Lasts, MessageStream, StoredMessage } from "./stream.ts";

/** A message that was delivered and is not acknowledged. */
export interface PendingMessage {
  readonly message: StoredMessage;
  /** The consumer's count at its first delivery. */
  readonly firstDelivery: number;
  deliveries: number;
  who: string;
  /** Since when it is due again, and its place among those of that time; undefined: it is not. */
  due: { readonly at: number; readonly order: number } | undefined;
  timer: Step | undefined;
  /** Until when an acknowledgement may take, in virtual milliseconds. */
  awaitedUntil: number;
}

/** Who has asked a consumer for messages. */
export interface Puller {
  /** How many of its requests still wait at the server. */
  openRequests(): number;
}

export interface ConsumerState {
  settings: ConsumerSettings;
  readonly pending: Map<number, PendingMessage>;
  /** The sequences of what was delivered as often as it may be, and never acknowledged. */
  readonly givenUp: Set<number>;
  /** What was given up and holds back how far all is acknowledged: the first delivery of each. */
  readonly holding: Map<number, number>;
  readonly lasts: Lasts | undefined;
  readonly createdAt: number;
  readonly pullers: Set<Puller>;
  /** Of a consumer that is deleted when it is not in use: when that is looked at next. */
  deletion: Step | undefined;
  /** When somebody asked for messages or acknowledged one last. */
  usedAt: number;
  lastSequence: number;
  deliveries: number;
  /** When something was delivered or acknowledged last; undefined before. */
  deliveredAt: number | undefined;
  ackedAt: number | undefined;
}

/** So long is a name that a server draws. */
const GIVEN_NAME = "unnamed0";

/** Returns a name for a consumer that has none. */
export function givenName(count: number): string {
  const digits = String(count);
  return `${GIVEN_NAME.slice(0, -digits.length)}${digits}`;
}

/** Returns a consumer that has got nothing yet. */
export function newConsumer(
  settings: ConsumerSettings,
  { first, lasts }: { readonly first: number; readonly lasts: Lasts | undefined },
  now: number,
): ConsumerState {
  return {
    settings,
    lasts,
    createdAt: now,
    usedAt: now,
    deletion: undefined,
    pullers: new Set(),
    pending: new Map(),
    givenUp: new Set(),
    holding: new Map(),
    lastSequence: first - 1,
    deliveries: 0,
    deliveredAt: undefined,
    ackedAt: undefined,
  };
}

/** How far a consumer has come: in its own deliveries, and in the stream. */
export interface Reached {
  readonly consumer: number;
  readonly stream: number;
  /** In virtual milliseconds; undefined where nothing has happened. */
  readonly activeAt: number | undefined;
}

export interface ConsumerFacts {
  readonly settings: ConsumerSettings;
  readonly createdAt: number;
  readonly ackPending: number;
  readonly redelivered: number;
  readonly unread: number;
  /** How many requests for messages wait. */
  readonly waiting: number;
  readonly delivered: Reached;
  /** All up to here is acknowledged. */
  readonly ackFloor: Reached;
}

/** How far a consumer of this stream has come. */
export function factsOf(stored: MessageStream, consumer: ConsumerState): ConsumerFacts {
  const { settings, pending, givenUp, holding, lastSequence, deliveries } = consumer;
  const out = [...pending.values()];
  const firsts = [...out.map((one) => one.firstDelivery), ...holding.values()];
  const firstDelivery = Math.min(deliveries + 1, ...firsts);
  const first = Math.min(lastSequence + 1, ...pending.keys(), ...holding.keys());
  const again = out.filter((one) => one.deliveries > 1).length + givenUp.size;
  return {
    settings,
    createdAt: consumer.createdAt,
    ackPending: pending.size,
    // Where nothing is redelivered, none is counted, though what was given up is known.
    redelivered: settings.maxDeliver === 1 ? 0 : again,
    unread: unreadOf(stored, consumer),
    waiting: waitingOf(consumer),
    delivered: { consumer: deliveries, stream: lastSequence, activeAt: consumer.deliveredAt },
    ackFloor: { consumer: firstDelivery - 1, stream: first - 1, activeAt: consumer.ackedAt },
  };
}

/** Whether it was delivered as often as it may be. */
export function isSpent({ settings }: ConsumerState, { deliveries }: PendingMessage): boolean {
  return settings.maxDeliver > 0 && deliveries >= settings.maxDeliver;
}

/**
 * Whether that is known as soon as it is due: then the first delivery and the last are not counted,
 * so that it is with one delivery; otherwise it is known once it would be delivered.
 *
 * Source: nats-server 2.15, consumer.go, checkPending and hasMaxDeliveries
 */
export function isSpentWhenDue(
  { settings }: ConsumerState,
  { deliveries }: PendingMessage,
): boolean {
  return settings.maxDeliver > 0 && Math.max(1, deliveries - 1) >= settings.maxDeliver;
}

/** Gives up what was not acknowledged in time, or was handed back, at its last delivery. */
export function giveUp(consumer: ConsumerState, { message, firstDelivery }: PendingMessage): void {
  consumer.pending.delete(message.sequence);
  consumer.givenUp.add(message.sequence);
  consumer.holding.set(message.sequence, firstDelivery);
}

/**
 * Takes away what is acknowledged. What was given up holds nothing back any more once all before
 * it, or all at all, is.
 *
 * Source: nats-server 2.15, filestore.go, consumerFileStore.UpdateAcks
 */
export function acknowledged(
  consumer: ConsumerState,
  { message, firstDelivery }: PendingMessage,
): void {
  const { pending, holding } = consumer;
  pending.delete(message.sequence);
  if (pending.size === 0) holding.clear();
  const firsts = [...pending.values()].map((one) => one.firstDelivery);
  if (Math.min(...firsts, ...holding.values()) < firstDelivery) return;
  passGivenUp(consumer, Math.min(...pending.keys()));
}

/** What was given up ahead of a sequence holds nothing back any more. */
export function passGivenUp({ holding }: ConsumerState, before: number): void {
  for (const sequence of [...holding.keys()]) if (sequence < before) holding.delete(sequence);
}

/** How many requests for messages wait. */
function waitingOf({ pullers }: ConsumerState): number {
  let waiting = 0;
  for (const puller of [...pullers]) {
    const open = puller.openRequests();
    if (open === 0) pullers.delete(puller);
    waiting += open;
  }
  return waiting;
}

/**
 * How long a consumer has yet to be left alone until it is deleted; 0 or less: it has been.
 *
 * Source: nats-server 2.15, consumer.go, deleteNotActive
 */
export function restOf(consumer: ConsumerState, now: number): number {
  const { settings, usedAt, pending } = consumer;
  const awaited = [...pending.values()].map(({ awaitedUntil }) => awaitedUntil);
  const rest = Math.max(usedAt, ...awaited) + inactiveMsOf(settings) - now;
  return rest <= 0 && waitingOf(consumer) > 0 ? inactiveMsOf(settings) : rest;
}

/** The next message that a consumer has not got yet. */
export function nextOf(
  { messages }: MessageStream,
  consumer: ConsumerState,
): StoredMessage | undefined {
  for (let at = consumer.lastSequence; at < messages.length; at += 1) {
    const message = messages[at] as StoredMessage;
    if (isFor(consumer, message)) return message;
  }
  return undefined;
}

/** Begins with a message that a consumer has not got yet. */
export function beginning(
  consumer: ConsumerState,
  message: StoredMessage,
  who: string,
): PendingMessage {
  consumer.lastSequence = message.sequence;
  const firstDelivery = consumer.deliveries + 1;
  const none = { deliveries: 0, due: undefined, timer: undefined, awaitedUntil: 0 };
  return { message, firstDelivery, who, ...none };
}

/** How many messages a consumer has not got yet. */
export function unreadOf({ messages }: MessageStream, consumer: ConsumerState): number {
  const { settings, lasts, lastSequence } = consumer;
  const isWhole = (settings.filterSubject ?? settings.filterSubjects ?? lasts) === undefined;
  if (isWhole) return Math.max(0, messages.length - lastSequence);
  return messages.slice(lastSequence).filter((message) => isFor(consumer, message)).length;
}

function isFor({ settings, lasts }: ConsumerState, { sequence, subject }: StoredMessage): boolean {
  if (lasts !== undefined && sequence < lasts.before && !lasts.only.has(sequence)) return false;
  return isRead(settings, subject);
}

/**
 * Returns what is to be delivered again: what was handed back at once in the order of the calls,
 * what became due by its time in the order of the stream, as nats-server's redelivery queue has it.
 */
export function dueOf({ pending }: ConsumerState): readonly PendingMessage[] {
  const due = [...pending.values()].flatMap((one) =>
    one.due === undefined ? [] : { one, ...one.due },
  );
  return due.toSorted((a, b) => a.at - b.at || a.order - b.order).map(({ one }) => one);
}
