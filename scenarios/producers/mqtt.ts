import type {
  DoneCallback,
  IClientOptions,
  IPublishPacket,
  ISubscriptionMap,
  MqttClient,
} from "mqtt";
import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";

interface Mqtt {
  connect(url: string, options: IClientOptions): MqttClient;
}

/** A message that the server still has. */
interface Held {
  readonly number: number;
  readonly packet: IPublishPacket;
  /** Acknowledges the newest delivery of it; undefined while there is no connection. */
  done: DoneCallback | undefined;
  /** Whether it is to be acknowledged when it comes again. */
  isSettled: boolean;
}

const URL = "mqtt://localhost";
const DEAD_LETTERS = "dead/orders";
const BACKOFF_MS = 1_000;
const WEEK_SECONDS = 7 * 24 * 3_600;
const LETTERS: IClientOptions = {
  protocolVersion: 5,
  reconnectPeriod: BACKOFF_MS,
  // By default, a client that the server refuses once never connects again.
  reconnectOnConnackError: true,
};
const SESSION: IClientOptions = {
  ...LETTERS,
  clientId: "orders-triggerer",
  clean: false,
  properties: { sessionExpiryInterval: WEEK_SECONDS },
};

/** One session and its connection. */
class Reader {
  readonly #client: MqttClient;
  readonly #held = new Map<number, Held>();
  readonly #onOrder: (held: Held) => void;
  #again: ReturnType<typeof setTimeout> | undefined;
  #number = 0;

  constructor(mqtt: Mqtt, onOrder: (held: Held) => void) {
    this.#onOrder = onOrder;
    const client = mqtt.connect(URL, SESSION);
    this.#client = client;
    client.handleMessage = (packet, done) => this.#take(packet, done);
    client.on("connect", () => {
      // Asked for even where the library believes that it is there, which its type leaves out.
      const subscription = { "orders/#": { qos: 1, rh: 1 }, resubscribe: true };
      client.subscribe(subscription as unknown as ISubscriptionMap);
    });
    client.on("close", () => {
      for (const held of this.#held.values()) held.done = undefined;
    });
  }

  settle(held: Held): void {
    held.isSettled = true;
    if (held.done === undefined || !this.#forget(held)) return;
    held.done();
  }

  /** Lets the library go on without an acknowledgement, and has the server send it again. */
  giveBack(held: Held): void {
    if (!this.#forget(held)) return;
    held.done?.(new Error("The order is not done with"));
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      if (this.#client.connected) this.#client.stream.destroy();
    }, BACKOFF_MS);
  }

  async end(): Promise<void> {
    clearTimeout(this.#again);
    await this.#client.endAsync(true);
  }

  #take(packet: IPublishPacket, done: DoneCallback): void {
    const { messageId } = packet;
    // Of quality 0: nobody waits for an acknowledgement.
    if (messageId === undefined) return done();
    const known = this.#held.get(messageId);
    if (known !== undefined && isSame(known.packet, packet)) {
      known.done = done;
      if (known.isSettled) this.settle(known);
      return;
    }
    this.#number += 1;
    const held: Held = { number: this.#number, packet, done, isSettled: false };
    this.#held.set(messageId, held);
    this.#onOrder(held);
  }

  /** Returns whether it still is a message of this session. */
  #forget(held: Held): boolean {
    const { messageId = 0 } = held.packet;
    return this.#held.get(messageId) === held && this.#held.delete(messageId);
  }
}

/**
 * Orders over MQTT. Repairs, against naive-mqtt.ts:
 *
 * - A message is acknowledged when the order is done with: the callback of `handleMessage` waits for
 *   that, and the library handles nothing else on that connection meanwhile (G2).
 * - What failed is not acknowledged. MQTT sends it again on the next connection only, so the
 *   connection is cut and made again after a moment (G1, G8).
 * - A rejected order goes out on a connection of its own: on the one that waits for its callback the
 *   answer would never be handled. What the server does not confirm is given back (G3).
 * - The session outlives the connection, and the subscription is asked for with each connection: a
 *   session may be there without it (G10).
 * - A server that refuses a connection, as it starts or while accounts are changed, does not end the
 *   client: by default the library would tell so and make no other (G8, G10).
 * - A message that comes again while it is in hand is not handed out twice, and one that was done
 *   with while there was no connection is acknowledged then (G4).
 * - A server that has forgotten the session gives its ids to other messages, and nobody is told
 *   where the answer to a connection is lost: what comes again is known by its content, too (G2).
 * - What is no JSON is handed out as text, for a filter to reject: an error of the parser would end
 *   the stream, whenever that order comes again (G10).
 */
class Orders implements SharedStreamProducer<unknown, Held> {
  readonly #mqtt: Mqtt;
  readonly #arrived: Held[] = [];
  readonly #closing = new AbortController();
  #reader: Reader | undefined;
  #letters: MqttClient | undefined;
  #wake = (): void => undefined;

  constructor(mqtt: Mqtt) {
    this.#mqtt = mqtt;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Held]> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    if (signal.aborted) return;
    this.#letters = this.#mqtt.connect(URL, LETTERS);
    this.#reader = new Reader(this.#mqtt, (held) => {
      this.#arrived.push(held);
      this.#wake();
    });
    while (!signal.aborted) {
      const held = this.#arrived.shift();
      if (held !== undefined) yield [orderFrom(held.packet.payload.toString()), held];
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  getAdvanceLane({ number }: Held): Lane {
    return number;
  }

  async advance(batch: readonly AdvanceItem<Held>[]): Promise<void> {
    for (const { brokerPayload: held, outcome } of batch) {
      const mustHold = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      if (mustHold || (outcome.rejected > 0 && !(await this.#isDeadLettered(held)))) {
        this.#reader?.giveBack(held);
      } else this.#reader?.settle(held);
    }
  }

  async aclose(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#reader?.end(), this.#letters?.endAsync(true)]);
  }

  /** Whether the server has confirmed the dead letter. */
  async #isDeadLettered({ packet }: Held): Promise<boolean> {
    const { signal } = this.#closing;
    const closed = new Promise<never>((_resolve, reject) => {
      const stop = (): void => reject(new Error("The producer is closed"));
      signal.addEventListener("abort", stop, { once: true });
    });
    const sent = this.#letters?.publishAsync(DEAD_LETTERS, packet.payload, { qos: 1 });
    try {
      await Promise.race([sent, closed]);
      return !signal.aborted;
    } catch {
      return false;
    }
  }
}

/** Whether a message is one that came before under its id, and not that of another session. */
function isSame(known: IPublishPacket, packet: IPublishPacket): boolean {
  const areAlike = String(known.payload) === String(packet.payload);
  return packet.dup && known.topic === packet.topic && areAlike;
}

/** What is no JSON is handed out as it is: a filter rejects it. */
function orderFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function createProducer({ client }: { readonly client: Mqtt }): Orders {
  return new Orders(client);
}
