import { ErrorWithReasonCode } from "./mqtt-error.ts";
import type { MqttOptions } from "./options.ts";
import type { ClientPacket, PublishPacket } from "./packet.ts";
import type { Pump } from "./pump.ts";

/** What a user calls back when a message is done with; with an error it is not acknowledged. */
export type Done = (error?: Error) => void;

/** The client that messages arrive at. */
interface Receiving {
  readonly options: MqttOptions;
  emit(event: string, ...facts: readonly unknown[]): void;
  handleMessage(packet: PublishPacket, done: Done): void;
  send(packet: ClientPacket): void;
  /** Cuts the connection. */
  cut(): void;
}

const RECEIVE_MAXIMUM = 65_535;
const RECEIVE_MAXIMUM_EXCEEDED = 147;
const ACK_CODES: ReadonlySet<unknown> = new Set([0, 16, 128, 131, 135, 144, 145, 151, 153]);

/**
 * Hands the messages that arrive to the user, and acknowledges them: those of quality 1 when the
 * user is done with them, those of quality 2 at once, and they are handed out when the server has
 * released them.
 *
 * Source: MQTT.js 5, handlers/publish.js and pubrel.js
 */
export class IncomingMessages {
  readonly #client: Receiving;
  readonly #received = new Map<number, PublishPacket>();

  constructor(client: Receiving) {
    this.#client = client;
  }

  /** Forgets what was received and not released. */
  clear(): void {
    this.#received.clear();
  }

  arrived(packet: PublishPacket, done: () => void, pump: Pump): void {
    const { topic, payload, qos, messageId = 0 } = packet;
    if (qos === 0) {
      this.#client.emit("message", topic, payload, packet);
      return this.#client.handleMessage(packet, done);
    }
    this.#client.options.customHandleAcks(topic, payload as Buffer, packet, (error, code = 0) => {
      const reasonCode = typeof error === "number" ? error : code;
      const failure = error instanceof Error ? error : undefined;
      const cmd = qos === 1 ? "puback" : "pubrec";
      if (failure !== undefined || !ACK_CODES.has(reasonCode)) {
        done();
        this.#client.emit("error", failure ?? new Error(`Wrong reason code for ${cmd}`));
        return;
      }
      if (qos === 1) {
        if (reasonCode === 0) this.#client.emit("message", topic, payload, packet);
        this.#client.handleMessage(packet, (refusal) => {
          if (!refusal) this.#client.send({ cmd: "puback", messageId, reasonCode });
          done();
        });
        return;
      }
      if (reasonCode === 0 && !this.#keep(messageId, packet, pump)) return done();
      this.#client.send({ cmd: "pubrec", messageId, ...(reasonCode === 0 ? {} : { reasonCode }) });
      done();
    });
  }

  /** Keeps a message of quality 2 until it is released; returns whether there was room. */
  #keep(messageId: number, packet: PublishPacket, pump: Pump): boolean {
    const most = Number(this.#client.options.properties?.["receiveMaximum"] ?? RECEIVE_MAXIMUM);
    if (this.#received.size >= most && !this.#received.has(messageId)) {
      pump.discard();
      if (pump.isCurrent) this.#client.cut();
      const words = `Receive Maximum exceeded: ${this.#received.size + 1} inbound QoS 2 messages in flight, receiveMaximum is ${most}`;
      this.#client.emit("error", new ErrorWithReasonCode(words, RECEIVE_MAXIMUM_EXCEEDED));
      return false;
    }
    this.#received.set(messageId, packet);
    return true;
  }

  released(messageId: number, done: () => void): void {
    const packet = this.#received.get(messageId);
    const complete = (): void => {
      this.#client.send({ cmd: "pubcomp", messageId });
      done();
    };
    if (packet === undefined) return complete();
    this.#client.emit("message", packet.topic, packet.payload, packet);
    this.#client.handleMessage(packet, (refusal) => {
      if (refusal) return done();
      this.#received.delete(messageId);
      complete();
    });
  }
}
