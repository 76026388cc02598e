import type {
  ServiceBusClient,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
} from "@azure/service-bus";
import type { AdvanceItem, SharedStreamProducer } from "faultlane";

/**
 * Orders from Service Bus as one writes it first. Rejected ones are dead-lettered by the service.
 * But whatever is left is completed, also what a trigger failed at: it is lost (G1).
 */
class NaiveServiceBus implements SharedStreamProducer<unknown, ServiceBusReceivedMessage> {
  readonly #receiver: ServiceBusReceiver;

  constructor(client: ServiceBusClient) {
    this.#receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 3_600_000 });
  }

  async *openStream(
    signal: AbortSignal,
  ): AsyncGenerator<readonly [unknown, ServiceBusReceivedMessage]> {
    while (!signal.aborted) {
      const messages = await this.#receiver.receiveMessages(10, { abortSignal: signal });
      for (const message of messages) yield [message.body, message];
    }
  }

  async advance(batch: readonly AdvanceItem<ServiceBusReceivedMessage>[]): Promise<void> {
    for (const { brokerPayload: message, outcome } of batch) {
      if (outcome.rejected > 0) await this.#receiver.deadLetterMessage(message);
      else await this.#receiver.completeMessage(message);
    }
  }

  async aclose(): Promise<void> {
    await this.#receiver.close();
  }
}

export function createProducer({ client }: { readonly client: ServiceBusClient }): NaiveServiceBus {
  return new NaiveServiceBus(client);
}
