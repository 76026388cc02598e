import { assertModelled, type Refusing, refusing } from "../not-modelled.ts";
import type { ServiceBusLink } from "./service-bus-link.ts";

/** A message for `sendMessages`. */
interface ServiceBusOutgoing {
  readonly body: unknown;
  readonly messageId?: string | number | Uint8Array;
  readonly contentType?: string;
  readonly correlationId?: string | number | Uint8Array;
  readonly partitionKey?: string;
  readonly sessionId?: string;
  readonly replyToSessionId?: string;
  readonly subject?: string;
  readonly to?: string;
  readonly replyTo?: string;
  readonly applicationProperties?: object;
}

const SEE = "brokers.serviceBus";
const FIELDS = [
  ...["body", "messageId", "contentType", "correlationId", "partitionKey", "sessionId"],
  ...["replyToSessionId", "subject", "to", "replyTo", "applicationProperties"],
];

/**
 * A `ServiceBusSender` of `@azure/service-bus`, which sends dead letters; batches, schedules and
 * messages that expire are refused by name.
 */
export class ServiceBusSender {
  readonly entityPath: string;
  readonly identifier: string;
  readonly createMessageBatch: Refusing = refusing("sender.createMessageBatch()", SEE);
  readonly scheduleMessages: Refusing = refusing("sender.scheduleMessages()", SEE);
  readonly cancelScheduledMessages: Refusing = refusing("sender.cancelScheduledMessages()", SEE);
  readonly #link: ServiceBusLink;
  #isClosed = false;

  constructor(link: ServiceBusLink, entityPath: string, identifier: string = entityPath) {
    this.#link = link;
    this.entityPath = entityPath;
    this.identifier = identifier;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async sendMessages(
    messages: ServiceBusOutgoing | ServiceBusOutgoing[],
    options: object = {},
  ): Promise<void> {
    if (this.#isClosed) {
      throw new Error(
        `The sender for "${this.entityPath}" has been closed and can no longer be used.`,
      );
    }
    assertModelled("sendMessages()", options, [], SEE);
    const list = Array.isArray(messages) ? messages : [messages];
    for (const message of list) assertModelled("sendMessages()", message, FIELDS, SEE);
    await this.#link.call("broker.produce", () => {
      for (const message of list) this.#link.queue.leases.deadLettered(JSON.stringify(message));
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return Promise.resolve();
  }
}
