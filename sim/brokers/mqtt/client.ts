import { assertModelled, NotModelled, type Refusing, refusing } from "../not-modelled.ts";
import { MqttConnectionClient } from "./connection-client.ts";
import { ErrorWithSubackPacket } from "./mqtt-error.ts";
import { SEE } from "./options.ts";
import { assertModelledTopic, assertTopic, qosOnWire } from "./malformed.ts";
import type { Callback } from "./outgoing.ts";
import type { MqttProperties, PublishPacket, Qos, SubackPacket, Subscription } from "./packet.ts";
import { isValidFilter } from "./topic.ts";

interface PublishOptions {
  readonly qos?: Qos | undefined;
  readonly retain?: boolean | undefined;
  readonly dup?: boolean | undefined;
  readonly properties?: MqttProperties | undefined;
  readonly cbStorePut?: (() => void) | undefined;
}

interface SubscribeOptions {
  readonly qos?: Qos | undefined;
  readonly nl?: boolean | undefined;
  readonly rap?: boolean | undefined;
  readonly rh?: number | undefined;
  readonly properties?: MqttProperties | undefined;
}

/** One filter, several, or several with options of their own. */
type Filters = string | readonly string[] | Readonly<Record<string, SubscribeOptions | boolean>>;
type Granted = readonly Subscription[];
type SubscribeCallback = (error: Error | null, granted?: Granted, packet?: unknown) => void;

const PUBLISH_OPTIONS = ["qos", "retain", "dup", "properties", "cbStorePut"];
/** Of what is subscribed to by its name alone, or in a list; a map has the options as they are. */
const PRESET: SubscribeOptions = { qos: 0, nl: false, rap: false, rh: 0 };
const SUBSCRIBE_OPTIONS = ["qos", "nl", "rap", "rh", "properties"];
const SUBSCRIBE_PROPERTIES = ["subscriptionIdentifier", "userProperties"];
/** What a message carries from its publisher to its subscribers: all but its time unchanged. */
const CARRIED = [
  "messageExpiryInterval",
  ...["payloadFormatIndicator", "contentType", "responseTopic"],
  ...["correlationData", "userProperties"],
];

/**
 * A client with the interface of `MqttClient` of `mqtt`, on a simulated network.
 *
 * What reaches into the library's own state (`outgoing`, `queue`, the stores) throws `NotModelled`,
 * as do options and properties that would have to be ignored.
 *
 * Source: MQTT.js 5, client.js
 */
export class MqttClient extends MqttConnectionClient {
  /** What is subscribed to again; the library keeps it only where it connects again. */
  readonly #again = new Map<string, SubscribeOptions>();

  /** @throws {NotModelled} for a property that has an effect of its own, or is a list */
  publish(topic: string, message: string | Uint8Array, given?: unknown, callback?: unknown): this {
    const done = [given, callback].find((one) => typeof one === "function") as Callback | undefined;
    const options = (typeof given === "object" ? (given ?? {}) : {}) as PublishOptions;
    assertModelled("publish()", options, PUBLISH_OPTIONS, SEE);
    assertModelled("publish() with properties", options.properties ?? {}, CARRIED, SEE);
    assertNoList(options.properties ?? {});
    if (this.#refusesAsEnding(done)) return this;
    const { qos = 0, retain = false, dup = false, properties, cbStorePut } = options;
    const carried = this.options.protocolVersion === 5;
    // There it looks for an alias of the topic.
    if (carried || qos > 0) assertTopic(topic);
    assertModelledTopic(topic, qos);
    const payload = message as PublishPacket["payload"];
    const packet = { cmd: "publish", topic, payload, qos, retain } as const;
    const flags = { dup, ...(carried ? { properties } : {}) };
    const invoke = (): void => {
      if (qos === 0) return this.send({ ...packet, ...flags }, done, cbStorePut);
      const messageId = this.commands.nextId();
      const pending = { isVolatile: false, cmd: "publish", callback: done ?? ignore } as const;
      this.commands.add(messageId, pending);
      this.send({ ...packet, messageId, ...flags }, undefined, cbStorePut);
    };
    this.#invoke(invoke, done);
    return this;
  }

  publishAsync(
    topic: string,
    message: string | Uint8Array,
    options?: PublishOptions,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.publish(topic, message, options ?? {}, (error?: Error | null, packet?: unknown) =>
        error ? reject(error) : resolve(packet),
      );
    });
  }

  /** @throws {NotModelled} for a subscription identifier */
  subscribe(filters: Filters, given?: unknown, callback?: unknown): this {
    const done = [given, callback].find((one) => typeof one === "function") as
      | SubscribeCallback
      | undefined;
    const options = (typeof given === "object" ? (given ?? {}) : {}) as SubscribeOptions;
    const isMap = typeof filters === "object" && !Array.isArray(filters);
    const isList = typeof filters === "string" || Array.isArray(filters);
    const isForced = isMap && (filters as Record<string, unknown>)["resubscribe"] === true;
    const preset = this.options.protocolVersion === 4 ? { qos: 0 as Qos } : PRESET;
    const asked: readonly (readonly [string, SubscribeOptions])[] = isMap
      ? Object.entries(filters as Readonly<Record<string, SubscribeOptions>>)
          .filter(([topic]) => topic !== "resubscribe")
          .map(([topic, own]) => [topic, own] as const)
      : (isList ? [filters].flat() : []).map(
          (topic) => [topic as string, { ...preset, ...options }] as const,
        );
    for (const one of [options, ...asked.map(([, own]) => own)]) {
      assertModelled("subscribe()", one, SUBSCRIBE_OPTIONS, SEE);
      assertModelled(
        "subscribe() with properties",
        one.properties ?? {},
        SUBSCRIBE_PROPERTIES,
        SEE,
      );
    }
    if (
      this.#refusesFilters(
        asked.map(([topic]) => topic),
        done as Callback | undefined,
      )
    )
      return this;
    const subscriptions = asked.flatMap(([topic, own]) => {
      const before = this.#again.get(topic);
      const isKnown = before !== undefined && !((before.qos ?? 0) < (own.qos ?? 0));
      // The library takes no notice of what a map says of a filter's properties.
      const { properties } = isForced ? own : options;
      const all = { ...own, properties };
      return isKnown && !isForced ? [] : [this.#subscriptionFrom(topic, all)];
    });
    if (subscriptions.length === 0) done?.(null, []);
    else this.#invoke(() => this.#subscribe(subscriptions, done), done as Callback | undefined);
    return this;
  }

  subscribeAsync(filters: Filters, options?: SubscribeOptions): Promise<Granted> {
    return new Promise((resolve, reject) => {
      const done: SubscribeCallback = (error, granted) =>
        error ? reject(error) : resolve(granted ?? []);
      this.subscribe(filters, options ?? {}, done);
    });
  }

  unsubscribe(filters: string | readonly string[], given?: unknown, callback?: unknown): this {
    const done = [given, callback].find((one) => typeof one === "function") as Callback | undefined;
    const listed = typeof filters === "string" ? [filters] : filters;
    assertModelled("unsubscribe()", typeof given === "object" ? (given ?? {}) : {}, [], SEE);
    if (this.#refusesFilters(listed, done)) return this;
    // What is no list is taken for an empty one, which cannot be written.
    const unsubscriptions = Array.isArray(listed) ? (listed as readonly string[]) : [];
    this.#invoke(() => {
      const messageId = this.commands.nextId();
      if (this.options.resubscribe) {
        for (const topic of unsubscriptions) this.#again.delete(topic);
      }
      const pending = { isVolatile: true, cmd: "unsubscribe", callback: done ?? ignore } as const;
      this.commands.add(messageId, pending);
      this.send({ cmd: "unsubscribe", messageId, unsubscriptions });
    }, done);
    return this;
  }

  unsubscribeAsync(filters: string | readonly string[], options?: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.unsubscribe(filters, options ?? {}, (error?: Error | null, packet?: unknown) =>
        error ? reject(error) : resolve(packet),
      );
    });
  }

  removeOutgoingMessage(messageId: number): this {
    this.commands.remove(messageId);
    return this;
  }

  getLastMessageId(): number {
    return this.commands.lastId;
  }

  protected override resubscribe(): void {
    const { clean, resubscribe } = this.options;
    if (!clean && this.connack?.sessionPresent === true) return;
    if (this.#again.size === 0) return;
    if (resubscribe) this.subscribe({ ...Object.fromEntries(this.#again), resubscribe: true });
    else this.#again.clear();
  }

  /** Of version 5 the library shows the properties, too, also where there are none. */
  #subscriptionFrom(topic: string, options: SubscribeOptions): Subscription {
    const { qos, nl, rap, rh, properties } = options;
    const asked = { topic, qos: qos as Qos };
    const isPlain = this.options.protocolVersion === 4;
    return isPlain ? asked : { ...asked, nl, rap, rh, properties };
  }

  #subscribe(all: readonly Subscription[], done: SubscribeCallback | undefined): void {
    const size = this.options.subscribeBatchSize ?? all.length;
    const batches = Math.ceil(all.length / size);
    const answers = Array.from({ length: batches }, (_batch, at) =>
      this.#subscribeBatch(all.slice(at * size, (at + 1) * size)),
    );
    Promise.all(answers).then(
      (packets) => done?.(null, all, packets.at(-1)),
      (error: ErrorWithSubackPacket) => done?.(error, all, error.packet),
    );
  }

  #subscribeBatch(batch: readonly Subscription[]): Promise<unknown> {
    const messageId = this.commands.nextId();
    const { resubscribe, reconnectPeriod } = this.options;
    if (resubscribe && reconnectPeriod > 0) {
      for (const { topic, qos, nl, rap, rh, properties } of batch) {
        const flags = { nl: nl || false, rap: rap || false, rh: rh || 0 };
        this.#again.set(topic, { qos: qos as Qos, ...flags, properties });
      }
    }
    const answer = new Promise((resolve, reject) => {
      const callback: Callback = (error, packet) => {
        const { granted = [] } = (packet ?? {}) as Partial<SubackPacket>;
        if (error) {
          if (granted.length > 0) for (const { topic } of batch) this.#again.delete(topic);
          reject(new ErrorWithSubackPacket(error.message, packet));
          return;
        }
        for (const [at, one] of batch.entries()) one.qos = granted[at] as Qos;
        resolve(packet);
      };
      this.commands.add(messageId, { isVolatile: true, cmd: "subscribe", callback });
    });
    this.send({ cmd: "subscribe", messageId, subscriptions: batch.map(sent) });
    return answer;
  }

  /** Calls now, or once what is stored has been sent again. */
  #invoke(invoke: () => void, callback: Callback | undefined): void {
    if (this.isResending || this.waiting.length > 0) this.waiting.push({ invoke, callback });
    else invoke();
  }

  #refusesFilters(filters: readonly string[], done: Callback | undefined): boolean {
    const invalid = filters.length === 0 ? "empty_topic_list" : Array.from(filters).find(isInvalid);
    if (invalid !== undefined) {
      void Promise.resolve().then(() => done?.(new Error(`Invalid topic ${invalid}`)));
      return true;
    }
    return this.#refusesAsEnding(done);
  }

  #refusesAsEnding(done: Callback | undefined): boolean {
    if (!this.disconnecting) return false;
    const error = new Error("client disconnecting");
    if (done === undefined) this.emit("error", error);
    else done(error);
    return true;
  }
}

/** What reaches into the library's own state. */
type Inside =
  | "outgoing"
  | "outgoingStore"
  | "incomingStore"
  | "queue"
  | "messageIdProvider"
  | "messageIdToTopic"
  | "keepaliveManager"
  | "log"
  | "noop"
  | "_reconnectCount";

const INSIDES: readonly Inside[] = [
  ...(["outgoing", "outgoingStore", "incomingStore", "queue", "messageIdProvider"] as const),
  ...(["messageIdToTopic", "keepaliveManager", "log", "noop", "_reconnectCount"] as const),
];

/** Those members, which throw when they are read. */
export type MqttInsides = Readonly<Record<Inside, Refusing>>;

for (const name of INSIDES) {
  Object.defineProperty(MqttClient.prototype, name, { get: refusing(`MqttClient.${name}`, SEE) });
}

function isInvalid(filter: string): boolean {
  return !isValidFilter(filter);
}

function sent(asked: Subscription): Subscription {
  return { ...asked, qos: qosOnWire(asked.qos) };
}

function ignore(): void {}

/** @throws {NotModelled} for a property that is a list, which the library writes one by one */
function assertNoList(properties: MqttProperties): void {
  const name = Object.keys(properties).find((each) => Array.isArray(properties[each]));
  if (name !== undefined) throw new NotModelled(`publish() with a list as ${name}`, SEE);
}
