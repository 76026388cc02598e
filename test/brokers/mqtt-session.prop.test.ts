import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ServerPacket } from "../../sim/brokers/mqtt/packet.ts";
import { Connection, Session } from "../../sim/brokers/mqtt/session.ts";
import { SettlementLog } from "../../sim/brokers/settlement-log.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";

type Act =
  | { readonly op: "accept"; readonly qos: 0 | 1 | 2 }
  | { readonly op: "acknowledge" | "receive" | "complete"; readonly messageId: number }
  | { readonly op: "disconnect" | "connect" };

/** Ids that no message has are among those that a client names. */
const ID_MAX = 9;
const INFLIGHT_MAX = 2;

const acts = fc.array(
  fc.oneof(
    fc.record({ op: fc.constant("accept" as const), qos: fc.constantFrom<0 | 1 | 2>(0, 1, 2) }),
    fc.record({
      op: fc.constantFrom("acknowledge" as const, "receive" as const, "complete" as const),
      messageId: fc.integer({ min: 1, max: ID_MAX }),
    }),
    fc.record({ op: fc.constantFrom("disconnect" as const, "connect" as const) }),
  ),
  { maxLength: 24 },
);

interface Message {
  readonly id: number;
  readonly qos: 1 | 2;
  readonly ref: string;
  state: "new" | "sent" | "received";
}

/** The rules of MQTT 5.0, 4.4, and of mosquitto's queue, once more. */
class PlainSession {
  #messages: Message[] = [];
  #lastId = 0;
  isConnected = true;
  sent: string[] = [];

  accept(qos: 0 | 1 | 2, ref: string): void {
    if (qos === 0) {
      if (this.isConnected) this.sent.push(`${ref} 0`);
      return;
    }
    this.#lastId += 1;
    this.#messages.push({ id: this.#lastId, qos, ref, state: "new" });
    this.#sendNew();
  }

  take(id: number): boolean {
    const found = this.#find(id);
    this.#messages = this.#messages.filter((one) => one !== found);
    this.#sendNew();
    return found !== undefined && found.state !== "received";
  }

  receive(id: number): boolean {
    const found = this.#find(id);
    const isFirst = found?.qos === 2 && found.state === "sent";
    if (found?.qos === 2) found.state = "received";
    if (this.isConnected) this.sent.push(`release ${id}`);
    return isFirst;
  }

  connect(): void {
    if (this.isConnected) return;
    this.isConnected = true;
    for (const { id, qos, ref, state } of this.#messages) {
      if (state === "received") this.sent.push(`release ${id}`);
      if (state === "sent") this.sent.push(`${ref} ${qos} ${id} again`);
    }
    this.#sendNew();
  }

  get owed(): readonly string[] {
    return this.#messages.filter(({ state }) => state !== "received").map(({ ref }) => ref);
  }

  /** Only what is in flight has an id that the client can name. */
  #find(id: number): Message | undefined {
    return this.#messages.find((one) => one.id === id && one.state !== "new");
  }

  #sendNew(): void {
    if (!this.isConnected) return;
    for (const one of this.#messages.slice(0, INFLIGHT_MAX)) {
      if (one.state !== "new") continue;
      one.state = "sent";
      this.sent.push(`${one.ref} ${one.qos} ${one.id}`);
    }
  }
}

function wordsOf(packet: ServerPacket): string {
  if (packet.cmd === "pubrel") return `release ${packet.messageId}`;
  if (packet.cmd !== "publish") return packet.cmd;
  const { topic, qos, messageId, dup } = packet;
  return `${topic} ${qos}${messageId === undefined ? "" : ` ${messageId}`}${dup ? " again" : ""}`;
}

test("for every order of acknowledgements a session sends and owes what the rules say", () => {
  fc.assert(
    fc.property(acts, (history) => {
      const world = new World(new CalmChoices(), { keepTrace: false });
      const settlements = new SettlementLog(world, "broker");
      const session = new Session("client", () => 0);
      session.inflightMax = INFLIGHT_MAX;
      const plain = new PlainSession();
      const connect = (): Connection =>
        new Connection(session, settlements, { who: "host/client", version: 4 });
      session.connection = connect();
      for (const [at, act] of history.entries()) {
        perform(act, session, plain, `ref-${at}`, connect);
        const sent = session.connection?.take().map(wordsOf) ?? [];
        expect(sent).toEqual(plain.sent);
        plain.sent = [];
        expect(session.owed).toEqual(plain.owed);
      }
    }),
    { numRuns: 500 },
  );
});

function perform(
  act: Act,
  session: Session,
  plain: PlainSession,
  ref: string,
  connect: () => Connection,
): void {
  switch (act.op) {
    case "accept": {
      const payload = Buffer.from("");
      const flags = { qos: act.qos, retain: false, properties: undefined, source: undefined };
      session.accept({ ref, topic: ref, payload, ...flags }, act.qos, false, {
        topic: ref,
        qos: act.qos,
      });
      plain.accept(act.qos, ref);
      return;
    }
    case "acknowledge":
      expect(session.acknowledge(act.messageId).isEffective).toBe(plain.take(act.messageId));
      return;
    case "receive":
      expect(session.receive(act.messageId).isEffective).toBe(plain.receive(act.messageId));
      return;
    case "complete":
      session.complete(act.messageId);
      plain.take(act.messageId);
      return;
    case "disconnect":
      session.connection = undefined;
      plain.isConnected = false;
      return;
    case "connect":
      if (session.connection === undefined) {
        session.connection = connect();
        session.resume();
      }
      plain.connect();
  }
}
