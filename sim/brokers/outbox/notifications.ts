import { SqlError } from "./sql-error.ts";

/** What a connection hears on a channel that it listens to. */
export interface Notification {
  readonly name: "notification";
  readonly channel: string;
  readonly payload: string;
  /** The number of the process whose client has sent it. */
  readonly processId: number;
  /** The length of the message in bytes. */
  readonly length: number;
}

/** A connection that can listen. */
interface Listener {
  readonly processId: number;
  notified(notification: Notification): void;
}

/** The length of the message itself, of the number, and of the ends of two texts. */
const FRAME_BYTES = 10;

/** A page of the server, less what a notification takes up in it besides. */
const PAYLOAD_BYTES_END = 8_000;
const NAME_BYTES_END = 64;

/**
 * Returns a notification as the server sends it.
 *
 * @throws {SqlError} when its channel or its payload is too long
 */
export function notificationOf(channel: string, payload: string, processId: number): Notification {
  const encoder = new TextEncoder();
  const nameBytes = encoder.encode(channel).length;
  const payloadBytes = encoder.encode(payload).length;
  if (nameBytes >= NAME_BYTES_END) throw new SqlError("22023", "channel name too long");
  if (payloadBytes >= PAYLOAD_BYTES_END) throw new SqlError("22023", "payload string too long");
  const length = FRAME_BYTES + nameBytes + payloadBytes;
  return { name: "notification", channel, payload, processId, length };
}

/** Who listens to which channel. */
export class Notifications {
  readonly #listeners = new Map<string, Set<Listener>>();

  listen(channel: string, listener: Listener): void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
  }

  /** Without a channel it listens to none any more. */
  unlisten(channel: string | undefined, listener: Listener): void {
    for (const [name, listeners] of this.#listeners) {
      if (channel === undefined || name === channel) listeners.delete(listener);
    }
  }

  /** Whether it listens to the channel. */
  hears(channel: string, listener: Listener): boolean {
    return this.#listeners.get(channel)?.has(listener) === true;
  }

  /** Tells all of them; two of one transaction that are alike are one. */
  send(sent: readonly Notification[]): void {
    const told = new Set<string>();
    for (const one of sent) {
      const mark = JSON.stringify([one.channel, one.payload]);
      if (told.has(mark)) continue;
      told.add(mark);
      for (const listener of this.#listeners.get(one.channel) ?? []) listener.notified(one);
    }
  }
}
