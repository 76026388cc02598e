import type { TimerHandle } from "../../../src/time/mod.ts";
import { NotModelled, type Refusing, refusing } from "../not-modelled.ts";
import { Emitter } from "../emitter.ts";
import { type Done, IncomingMessages } from "./incoming.ts";
import { Keepalive } from "./keepalive.ts";
import { connackError } from "./mqtt-error.ts";
import { connectPacketFrom, type MqttOptions, SEE } from "./options.ts";
import { type Callback, OutgoingCommands } from "./outgoing.ts";
import type {
  AckPacket,
  ClientPacket,
  ConnackPacket,
  MqttProperties,
  PublishPacket,
  ServerPacket,
  SubackPacket,
} from "./packet.ts";
import { Pump } from "./pump.ts";
import { throwingOnHost } from "./throwing-on-host.ts";
import { type MqttParts, streamOf, Transport, type TransportStream } from "./transport.ts";

/** How long a client that ends waits after the last answer. */
const LINGER_MS = 10;
const NO_STREAM = "Cannot read properties of undefined (reading 'on')";

/**
 * The connection of a client: how it is made, lost and made again, and how messages arrive.
 *
 * Holds: packets are handled one after the other, and nothing behind a message is until the
 * callback of `handleMessage` is called, answers included; an acknowledgement of an earlier
 * connection goes out on the next one; commands that wait for an answer survive the connection, but
 * subscriptions do not; an error that nobody listens to is dropped, as `connect()` has it.
 *
 * Source: MQTT.js 5, client.js and handlers
 */
export class MqttConnectionClient extends Emitter {
  connected = false;
  disconnecting = false;
  /** Undefined before the first end, as in the library. */
  disconnected: boolean | undefined;
  reconnecting = false;
  readonly options: MqttOptions;
  /** Is called to hand authentication data back; the server of the model asks for none. */
  readonly handleAuth: Refusing = refusing("MqttClient.handleAuth()", SEE);
  protected readonly commands: OutgoingCommands = new OutgoingCommands();
  /** What calls wait until the stored messages are sent again. */
  protected readonly waiting: { invoke(): void; callback: Callback | undefined }[] = [];
  protected isResending = false;
  protected connack: ConnackPacket | undefined;
  /** Decided when the client is made, whatever becomes of its options. */
  queueQoSZero: boolean;
  readonly #parts: MqttParts;
  readonly #queue: { packet: ClientPacket; callback: Callback | undefined }[] = [];
  readonly #incoming: IncomingMessages;
  readonly #life = { words: "a client that was not ended" };
  #transport: Transport | undefined;
  #whenClosed: (() => void) | undefined;
  #pump: Pump | undefined;
  #keepalive: Keepalive | undefined;
  #connackTimer: TimerHandle | undefined;
  #reconnectTimer: TimerHandle | undefined;
  #isReconnectSuppressed = false;
  #hasConnack = false;
  #whenEnded: (() => void) | undefined;
  #connections = 0;
  #isFirst = true;

  constructor(parts: MqttParts, options: MqttOptions) {
    super();
    this.#parts = parts;
    this.options = options;
    this.queueQoSZero = options.queueQoSZero === undefined ? true : options.queueQoSZero;
    this.#incoming = new IncomingMessages({
      options,
      emit: (event, ...facts) => this.emit(event, ...facts),
      handleMessage: (packet, done) => this.handleMessage(packet, done),
      send: (packet) => this.send(packet),
      cut: () => this.cleanUp(true),
    });
    parts.port.onDeath(() => this.#keepalive?.destroy());
    if (!options.manualConnect) this.connect();
  }

  /** Overridden by users who acknowledge by hand: a message is acknowledged with the callback. */
  handleMessage(_packet: PublishPacket, callback: Done): void {
    callback();
  }

  connect(): this {
    this.#pump?.stop();
    const pump = new Pump((packet, done) => this.#guarded(() => this.#handle(packet, done, pump)));
    this.#pump = pump;
    this.#hasConnack = false;
    this.#isReconnectSuppressed = false;
    this.#reconnectTimer = this.#cleared(this.#reconnectTimer);
    if (this.disconnected && !this.reconnecting) this.#beginAnew();
    this.#connections += 1;
    this.#parts.open.add(this.#life);
    const packet = connectPacketFrom(this.options);
    this.emit("packetsend", packet);
    const transport: Transport = new Transport(this.#parts, packet, {
      packets: (packets) => pump.add(packets),
      error: (error) => this.#guarded(() => this.emit("error", error)),
      closed: () => this.#guarded(() => this.#closed(transport)),
    });
    this.#transport = transport;
    this.#cleared(this.#connackTimer);
    this.#connackTimer = this.#parts.port.clock.setTimer(this.options.connectTimeout, () => {
      this.cleanUp(true);
      this.emit("error", new Error("connack timeout"));
    });
    return this;
  }

  reconnect(options?: object): this {
    if (options !== undefined) throw new NotModelled("reconnect() with stores", SEE);
    const begin = (): void => {
      this.#beginAnew();
      this.#whenEnded = undefined;
      this.#reconnect();
    };
    if (this.disconnecting && !this.disconnected) this.#whenEnded = begin;
    else begin();
    return this;
  }

  end(force?: unknown, options?: unknown, callback?: unknown): this {
    const isForced = force === true;
    const given = typeof force === "boolean" ? [options, callback] : [force, options, callback];
    const done = given.find((one) => typeof one === "function") as Done | undefined;
    const details = given.find((one) => typeof one === "object" && one !== null) ?? {};
    if (this.disconnecting) {
      done?.();
      return this;
    }
    this.#reconnectTimer = this.#cleared(this.#reconnectTimer);
    this.disconnecting = true;
    const finish = (): void => this.cleanUp(isForced, () => this.#ended(done), details);
    if (isForced || this.commands.isEmpty) finish();
    else this.once("outgoingEmpty", () => void this.#parts.port.clock.setTimer(LINGER_MS, finish));
    return this;
  }

  endAsync(force?: unknown, options?: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.end(force, options, (error?: Error) =>
        error === undefined ? resolve() : reject(error),
      );
    });
  }

  /** Sends a packet, or keeps it until there is a connection. */
  protected send(packet: ClientPacket, callback?: Callback, onStored?: () => void): void {
    const isStored = packet.cmd === "pubrel" || (packet.cmd === "publish" && packet.qos > 0);
    if (isStored && packet.messageId !== undefined) {
      this.commands.store({ ...packet, messageId: packet.messageId });
      onStored?.();
    }
    if (this.connected) return this.#write(packet, callback);
    // Stored messages are sent again with the next connection anyway.
    if (packet.cmd === "publish" && packet.qos > 0) return;
    if (packet.cmd === "publish" && !this.queueQoSZero) {
      callback?.(new Error("No connection to broker"));
    } else this.#queue.push({ packet, callback });
  }

  /** Subscribes again where the session has not kept the subscriptions. */
  protected resubscribe(): void {}

  protected cleanUp(isForced: boolean, done?: () => void, details: object = {}): void {
    const transport = this.#transport;
    if (done !== undefined && transport === undefined) throw new TypeError(NO_STREAM);
    // Without a connection the end does not wait for the close, which then comes behind it.
    if (this.connected) this.#whenClosed = done ?? this.#whenClosed;
    else done?.();
    if (isForced) {
      if (this.options.reconnectPeriod === 0 && this.options.clean) this.commands.fail("all");
      transport?.destroy();
    } else {
      const packet = { cmd: "disconnect", ...details } as const;
      this.send(packet, () => transport?.end());
    }
    if (!this.disconnecting && !this.reconnecting) {
      this.#reconnectTimer = this.#cleared(this.#reconnectTimer);
      this.#setUpReconnect();
    }
    this.#destroyKeepalive();
  }

  protected invokeWaiting(): void {
    while (!this.isResending && this.waiting.length > 0) this.waiting.shift()?.invoke();
  }

  /** The server's answer to the connection, while there is one. */
  get serverProperties(): MqttProperties | undefined {
    return this.connected ? this.connack?.properties : undefined;
  }

  get keepalive(): number {
    return this.options.keepalive;
  }

  reschedulePing(force = false): void {
    if (force || this.options.reschedulePings) this.#keepalive?.reschedule();
  }

  sendPing(): void {
    this.send({ cmd: "pingreq" });
  }

  onKeepaliveTimeout(): void {
    this.cleanUp(true);
    this.emit("error", new Error("Keepalive timeout"));
  }

  /** The network connection, which may be cut; what else a stream has is refused. */
  get stream(): TransportStream {
    return streamOf(this.#transport);
  }

  #beginAnew(): void {
    this.#incoming.clear();
    this.commands.forgetStored();
    this.disconnecting = false;
    this.disconnected = false;
  }

  #write(packet: ClientPacket, callback?: Callback): void {
    this.emit("packetsend", packet);
    // The callback of what could not be written waits for the stream to drain.
    if (this.#transport?.write(packet) === true) callback?.();
  }

  #handle(packet: ServerPacket, done: () => void, pump: Pump): void {
    this.emit("packetreceive", packet);
    switch (packet.cmd) {
      case "publish":
        return this.#incoming.arrived(packet, done, pump);
      case "connack":
        this.#connacked(packet, pump);
        return done();
      case "pubrel":
        this.reschedulePing();
        return this.#incoming.released(packet.messageId, done);
      case "pingresp":
        this.reschedulePing(true);
        return done();
      case "disconnect":
        this.emit("disconnect", packet);
        return done();
      default:
        this.reschedulePing();
        this.#answered(packet);
        return done();
    }
  }

  #answered(packet: AckPacket | SubackPacket): void {
    try {
      const next = this.commands.answered(packet);
      if (next !== undefined) this.send(next);
    } catch (error) {
      this.emit("error", error);
    }
    this.invokeWaiting();
    if (this.disconnecting && this.commands.isEmpty) this.emit("outgoingEmpty");
  }

  #connacked(packet: ConnackPacket, pump: Pump): void {
    if (this.#hasConnack) {
      pump.discard();
      return this.cleanUp(true);
    }
    this.#hasConnack = true;
    this.#connackTimer = this.#cleared(this.#connackTimer);
    const refused = connackError(packet);
    if (refused !== undefined) return this.#refused(refused, pump);
    this.reconnecting = false;
    if (this.disconnected) return this.#connectedWith(packet);
    this.connack = packet;
    if (this.options.clean || !packet.sessionPresent) this.#incoming.clear();
    this.connected = true;
    if (this.keepalive > 0) {
      this.#destroyKeepalive();
      this.#keepalive = new Keepalive(this.#parts.port.clock, this.keepalive, {
        due: () => this.sendPing(),
        over: () => this.onKeepaliveTimeout(),
      });
    }
    this.#resend(packet);
  }

  /** It does not connect again by itself, unless its options say so. */
  #refused(error: Error, pump: Pump): void {
    pump.discard();
    this.#isReconnectSuppressed = true;
    this.cleanUp(true);
    this.#isReconnectSuppressed = !this.options.reconnectOnConnackError;
    try {
      this.emit("error", error);
    } finally {
      this.#setUpReconnect();
    }
  }

  /** Sends what is stored again, each when the one before was answered, then tells that it is up. */
  #resend(packet: ConnackPacket): void {
    const connection = this.#connections;
    const isCurrent = (): boolean => connection === this.#connections && this.connected;
    const finish = (): void => {
      if (!isCurrent()) return;
      this.isResending = false;
      this.invokeWaiting();
      this.#connectedWith(packet);
    };
    const answered = (): void => void Promise.resolve().then(() => this.#guarded(finish));
    const isSending = (): boolean => isCurrent() && !this.disconnecting;
    this.isResending = this.commands.hasStored;
    if (!this.isResending) finish();
    else this.commands.resend({ isSending, answered, write: (one) => this.#write(one) });
  }

  #connectedWith(packet: ConnackPacket): void {
    // A client that was ended while it connected keeps what it cannot send.
    while (this.connected && this.#queue.length > 0) {
      const entry = this.#queue.shift();
      if (entry !== undefined) this.#write(entry.packet, entry.callback);
    }
    if (!this.#isFirst) this.resubscribe();
    this.#isFirst = false;
    this.emit("connect", packet);
  }

  #closed(transport: Transport): void {
    this.commands.fail("volatile");
    if (transport !== this.#transport) return;
    this.connected = false;
    this.isResending = false;
    for (const { callback } of this.waiting.splice(0)) callback?.(new Error("Connection closed"));
    this.#connackTimer = this.#cleared(this.#connackTimer);
    this.#destroyKeepalive();
    this.#setUpReconnect();
    this.emit("close");
    const whenClosed = this.#whenClosed;
    this.#whenClosed = undefined;
    whenClosed?.();
  }

  #ended(done: Done | undefined): void {
    this.#parts.port.after(0, () => {
      this.disconnected = true;
      this.#incoming.clear();
      this.commands.close();
      this.#parts.open.delete(this.#life);
      this.emit("end");
      done?.(undefined);
      if (this.#whenEnded !== undefined) this.#whenEnded();
      else if (this.options.reconnectPeriod === 0 || this.options.manualConnect) {
        this.disconnecting = false;
      }
    });
  }

  #reconnect(): void {
    this.emit("reconnect");
    if (this.connected) this.end(() => this.connect());
    else this.connect();
  }

  #setUpReconnect(): void {
    const { reconnectPeriod } = this.options;
    const isOver = this.disconnecting || this.#isReconnectSuppressed || reconnectPeriod <= 0;
    if (isOver || this.#reconnectTimer !== undefined) return;
    if (!this.reconnecting) {
      this.emit("offline");
      this.reconnecting = true;
    }
    this.#reconnectTimer = this.#parts.port.clock.setTimer(reconnectPeriod, () => {
      this.#reconnectTimer = undefined;
      this.#guarded(() => this.#reconnect());
    });
  }

  #cleared(timer: TimerHandle | undefined): undefined {
    if (timer !== undefined) this.#parts.port.clock.clearTimer(timer);
  }

  #destroyKeepalive(): void {
    this.#keepalive?.destroy();
    this.#keepalive = undefined;
  }

  #guarded(run: () => void): void {
    throwingOnHost(this.#parts.port, run);
  }
}
