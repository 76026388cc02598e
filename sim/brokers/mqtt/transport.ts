import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { once } from "../library-call.ts";
import { type Refusing, refusingAll } from "../not-modelled.ts";
import { beginningOf, writingOf } from "./malformed.ts";
import { SEE } from "./options.ts";
import type { ClientPacket, ConnectPacket, ServerPacket } from "./packet.ts";
import type { MqttServer } from "./server.ts";
import type { Connection } from "./session.ts";

/** What a client needs to reach its server. */
export interface MqttParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: MqttServer;
  /** What this producer has open, in words. */
  readonly open: Set<{ readonly words: string }>;
}

/** What a network connection reports to its client. */
export interface TransportEvents {
  packets(packets: readonly ServerPacket[]): void;
  error(error: Error): void;
  closed(): void;
}

/** How long after a broken connection the server notices it. */
const SERVER_NOTICES_MS = 2_000;
/** How long the client waits for a push before it asks the server again. */
const IDLE_MS = 15_000;

const SITE_OF: Readonly<Record<ClientPacket["cmd"], SiteName>> = {
  publish: "broker.produce",
  pubrel: "broker.produce",
  puback: "broker.settle",
  pubrec: "broker.settle",
  pubcomp: "broker.settle",
  subscribe: "broker.session",
  unsubscribe: "broker.session",
  pingreq: "broker.session",
  disconnect: "broker.session",
};

/**
 * One network connection of a client.
 *
 * Holds: packets arrive in the order in which they were written, each once; what was written before
 * a close arrives before it; a packet that is lost costs the connection, and the server notices
 * later; `closed` is reported once.
 */
export class Transport {
  readonly words = "a connection";
  readonly #parts: MqttParts;
  readonly #events: TransportEvents;
  readonly #closing = new AbortController();
  #connection: Connection | undefined;
  #isLost = false;
  #sent: Promise<void>;

  constructor(parts: MqttParts, packet: ConnectPacket, events: TransportEvents) {
    this.#parts = parts;
    this.#events = events;
    parts.open.add(this);
    parts.port.onDeath(() => this.#dropAtServer(1));
    const beginning = beginningOf(packet);
    this.#sent = beginning === "written" ? this.#connect(packet) : Promise.resolve();
    if (beginning === "connection given up") this.destroy();
  }

  /**
   * Returns whether the packet was written: it is not on a connection that was destroyed.
   *
   * @throws {TypeError} for what the library cannot write
   */
  write(packet: ClientPacket): boolean {
    if (this.#closing.signal.aborted) return false;
    const writing = writingOf(packet);
    if (writing === "connection given up") this.destroy();
    if (writing !== "written") return false;
    this.#sent = this.#sent.then(async () => {
      const { port, host, server } = this.#parts;
      const connection = this.#connection;
      if (this.#isLost || connection === undefined) return;
      const receive = once(() => {
        assertKnown(connection);
        server.receive(connection, packet);
      });
      // What was written before a close is with the operating system, which sends it.
      if (this.#closing.signal.aborted) {
        port.world.schedule(1, { lane: port.name, hop: false }, receive);
        return;
      }
      try {
        await port.call(SITE_OF[packet.cmd], host, receive);
      } catch {
        this.#lose("ECONNRESET", "read ECONNRESET");
      }
    });
    return true;
  }

  /** Closes it when all has arrived that was written. */
  end(): void {
    void this.#sent.then(() => this.destroy());
  }

  /** Closes it now: nothing that arrives is looked at any more. */
  destroy(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    void this.#sent.then(() => {
      if (!this.#isLost) this.#dropAtServer(1);
    });
    this.#parts.port.after(0, () => this.#closed());
  }

  async #connect(packet: ConnectPacket): Promise<void> {
    const { port, host, server } = this.#parts;
    const open = once(() => {
      this.#connection = server.connect(packet, port.name);
    });
    try {
      await port.call("broker.session", host, open);
    } catch {
      return this.#lose("ECONNREFUSED", `connect ECONNREFUSED ${host}:1883`);
    }
    void this.#pull();
  }

  async #pull(): Promise<void> {
    const { port, host } = this.#parts;
    const connection = this.#connection;
    const { signal } = this.#closing;
    if (connection === undefined) return;
    const { arrivals } = connection;
    // On a half-open connection nothing comes any more: only what is sent finds out.
    while (!signal.aborted && !connection.isSilent) {
      const take = once(() => {
        assertKnown(connection);
        return {
          packets: connection.take(),
          isOpen: connection.isOpen,
          version: arrivals.version,
        };
      });
      let got: ReturnType<typeof take>;
      try {
        got = await port.call("broker.fetch", host, take);
      } catch {
        if (connection.isSilent) return;
        // A process that has ended had read all that came: its side is closed, not reset.
        if (connection.isForgotten) return this.destroy();
        return this.#lose("ECONNRESET", "read ECONNRESET");
      }
      if (signal.aborted) return;
      if (got.packets.length > 0) this.#events.packets(got.packets);
      else if (!got.isOpen) return this.destroy();
      else await arrivals.wait(port, IDLE_MS, signal, got.version);
    }
  }

  /** The connection broke. */
  #lose(code: string, message: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#dropAtServer(SERVER_NOTICES_MS);
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#events.error(Object.assign(new Error(message), { code }));
    this.#closed();
  }

  #dropAtServer(ms: number): void {
    const { port, server } = this.#parts;
    const connection = this.#connection;
    if (connection === undefined) return;
    port.world.schedule(ms, { lane: port.name, hop: false }, () => server.drop(connection));
  }

  #closed(): void {
    this.#parts.open.delete(this);
    this.#events.closed();
  }
}

/** @throws {Error} where a server that has crashed meanwhile resets the connection */
function assertKnown({ isForgotten }: Connection): void {
  if (isForgotten) throw new Error("read ECONNRESET");
}

/** The part of a network connection that users of the library have; what else a stream has is refused. */
export type TransportStream = { readonly destroy: () => void } & Readonly<
  Record<string, Refusing | (() => void)>
>;

export function streamOf(transport: Transport | undefined): TransportStream {
  return {
    ...refusingAll("stream", ["end", "on", "once", "pipe", "write"], SEE),
    destroy: () => transport?.destroy(),
  };
}
