import type { IClientOptions, MqttClient } from "mqtt";
import type { AdvanceItem, SharedStreamProducer } from "faultlane";

interface Mqtt {
  connectAsync(url: string, options: IClientOptions): Promise<MqttClient>;
}

/**
 * Orders over MQTT as one writes it first. The session is kept, the quality of service is 1, and
 * what was rejected is confirmed on another topic. But the library acknowledges a message when the
 * listeners of `message` have returned, which is long before anybody is done with it (G2).
 */
class NaiveMqtt implements SharedStreamProducer<unknown, Buffer> {
  readonly #mqtt: Mqtt;
  #client: MqttClient | undefined;

  constructor(mqtt: Mqtt) {
    this.#mqtt = mqtt;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Buffer]> {
    const arrived: Buffer[] = [];
    let wake = (): void => undefined;
    signal.addEventListener("abort", () => wake());
    const session = { clientId: "orders-triggerer", clean: false };
    this.#client = await this.#mqtt.connectAsync("mqtt://localhost", session);
    this.#client.on("message", (topic, payload) => {
      if (topic.startsWith("orders/")) arrived.push(payload);
      wake();
    });
    await this.#client.subscribeAsync("orders/#", { qos: 1 });
    while (!signal.aborted) {
      const payload = arrived.shift();
      if (payload !== undefined) yield [JSON.parse(payload.toString()), payload];
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  async advance(batch: readonly AdvanceItem<Buffer>[]): Promise<void> {
    for (const { brokerPayload: payload, outcome } of batch) {
      if (outcome.rejected === 0) continue;
      await this.#client?.publishAsync("dead/orders", payload, { qos: 1 });
    }
  }

  async aclose(): Promise<void> {
    await this.#client?.endAsync();
  }
}

export function createProducer({ client }: { readonly client: Mqtt }): NaiveMqtt {
  return new NaiveMqtt(client);
}
