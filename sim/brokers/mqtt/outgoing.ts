import type { AckPacket, ClientPacket, PublishPacket, SubackPacket } from "./packet.ts";
import { ErrorWithReasonCode, reasonText } from "./mqtt-error.ts";

/** Called with what came of a command. */
export type Callback = (error?: Error | null, packet?: unknown) => void;

/** What waits for an answer of the server. */
interface Pending {
  /** Whether it fails when the connection closes, and is not sent again. */
  readonly isVolatile: boolean;
  readonly cmd: "publish" | "pubrel" | "subscribe" | "unsubscribe";
  readonly callback: Callback;
}

type Stored = (PublishPacket & { readonly messageId: number }) | AckPacket;

const ANSWERS: Readonly<Record<Pending["cmd"], readonly string[]>> = {
  publish: ["puback", "pubrec", "pubcomp"],
  pubrel: ["pubcomp"],
  subscribe: ["suback"],
  unsubscribe: ["unsuback"],
};
const ID_MAX = 65_535;
const NO_SUBSCRIBERS = 16;
const FAILED = 0x80;

/**
 * The commands of a client that the server has not answered, and the messages among them, which are
 * sent again on the next connection.
 *
 * Source: MQTT.js 5, handlers/ack.js, store.js, default-message-id-provider.js
 */
export class OutgoingCommands {
  readonly #pending = new Map<number, Pending>();
  readonly #stored = new Map<number, Stored>();
  #lastId = 0;
  /** An ended client has closed its store. */
  #isClosed = false;

  get lastId(): number {
    return this.#lastId;
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  get hasStored(): boolean {
    return this.#stored.size > 0;
  }

  nextId(): number {
    this.#lastId = (this.#lastId % ID_MAX) + 1;
    return this.#lastId;
  }

  add(messageId: number, pending: Pending): void {
    this.#pending.set(messageId, pending);
  }

  /** @throws {TypeError} behind the end of the client: the library's store is gone */
  store(packet: Stored): void {
    if (this.#isClosed) throw new TypeError("Cannot read properties of null (reading 'set')");
    this.#stored.set(packet.messageId, packet);
  }

  /**
   * Sends what is stored again, in the order in which it was stored, each when the one before was
   * answered; calls `answered` with the last answer. A client that is being ended is not sending,
   * and so waits for ever for what answers them.
   */
  resend(line: {
    readonly isSending: () => boolean;
    readonly write: (packet: ClientPacket) => void;
    readonly answered: () => void;
  }): void {
    const stored = [...this.#stored.values()];
    const next = (): void => {
      const one = line.isSending() ? stored.shift() : undefined;
      if (one === undefined) return;
      const { messageId } = one;
      const before = this.#pending.get(messageId)?.callback;
      const callback: Callback = (error, packet) => {
        if (stored.length === 0) line.answered();
        before?.(error, packet);
        next();
      };
      const cmd = one.cmd === "pubrel" ? "pubrel" : "publish";
      this.add(messageId, { isVolatile: false, cmd, callback });
      line.write(one);
    };
    next();
  }

  /** Begins with an empty store. */
  forgetStored(): void {
    this.#stored.clear();
    this.#isClosed = false;
  }

  /** Gives up what is stored, as the end of a client does. */
  close(): void {
    this.#stored.clear();
    this.#isClosed = true;
  }

  /** Fails what is not sent again, or everything. */
  fail(which: "volatile" | "all"): void {
    for (const [messageId, { isVolatile, callback }] of [...this.#pending]) {
      if (which === "volatile" && !isVolatile) continue;
      callback(new Error("Connection closed"));
      this.#pending.delete(messageId);
    }
  }

  remove(messageId: number): void {
    const callback = this.#pending.get(messageId)?.callback;
    if (callback === undefined) return;
    this.#forget(messageId);
    callback(new Error("Message removed"));
  }

  /**
   * Takes an answer.
   *
   * @returns what is to be sent for it, if anything
   * @throws {Error} for one that does not belong to its command
   */
  answered(packet: AckPacket | SubackPacket): ClientPacket | undefined {
    const { cmd, messageId } = packet;
    const pending = this.#pending.get(messageId);
    if (pending === undefined) return undefined;
    if (!ANSWERS[pending.cmd].includes(cmd)) {
      throw new Error(
        `Protocol error: ${cmd} does not answer the ${pending.cmd} pending on message id ${messageId}`,
      );
    }
    if (cmd === "suback" || cmd === "unsuback") {
      this.#pending.delete(messageId);
      const codes = cmd === "suback" ? (packet.granted ?? []) : [];
      const refused = codes.findLast((code) => (code & FAILED) !== 0);
      pending.callback(refused === undefined ? null : subscribeError(refused), packet);
      return undefined;
    }
    const code = packet.reasonCode ?? 0;
    if (code > 0 && code !== NO_SUBSCRIBERS) {
      this.#forget(messageId);
      const words = `Publish error: ${reasonText(code)}`;
      pending.callback(new ErrorWithReasonCode(words, code), packet);
      return undefined;
    }
    if (cmd === "pubrec") return { cmd: "pubrel", qos: 2, messageId };
    const sent = this.#stored.get(messageId);
    this.#forget(messageId);
    pending.callback(null, sent);
    return undefined;
  }

  #forget(messageId: number): void {
    this.#pending.delete(messageId);
    this.#stored.delete(messageId);
  }
}

function subscribeError(code: number): Error {
  return Object.assign(new Error(`Subscribe error: ${reasonText(code)}`), { code });
}
