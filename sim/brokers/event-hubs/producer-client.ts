import { assertModelled, type Refusing, refusing } from "../not-modelled.ts";
import { argumentsFrom, type ClientArgument } from "./client-arguments.ts";
import { type EventData, SEE } from "./event.ts";
import type { EventHubProperties, PartitionProperties } from "./hub.ts";
import type { EventHubsLink } from "./link.ts";
import { outgoingFrom } from "./outgoing-event.ts";

/** Where a batch goes; at most one of the two. */
export interface SendBatchOptions {
  /** Decides the partition. */
  readonly partitionKey?: string;
  /** The partition. */
  readonly partitionId?: string;
}

const FIELDS = ["body", "contentType", "correlationId", "messageId", "properties"];

/**
 * The `EventHubProducerClient` of `@azure/event-hubs` 6, as far as dead letters need it: `sendBatch`
 * with a list of events.
 */
export interface EventHubProducerClient {
  /** The name of the hub; any other than that of the records is for dead letters. */
  readonly eventHubName: string;
  /** The namespace of the hub. */
  readonly fullyQualifiedNamespace: string;
  /** Names the client. */
  readonly identifier: string;
  /**
   * Resolves when the hub has taken the events, all or none.
   *
   * @throws {MessagingError} `ServerBusyError` while the hub takes none, `MessageTooLargeError` for
   *   more than 1 MB
   * @throws {TypeError} when both a key and a partition are given
   */
  sendBatch(events: EventData[], options?: SendBatchOptions): Promise<void>;
  /** Resolves with the ids of the partitions. */
  getPartitionIds(options?: object): Promise<string[]>;
  /** Resolves with what the service says of a partition. */
  getPartitionProperties(partitionId: string, options?: object): Promise<PartitionProperties>;
  /** Resolves with what the service says of the hub. */
  getEventHubProperties(options?: object): Promise<EventHubProperties>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** The producer that the module of one link makes. */
export class ModelledProducerClient implements EventHubProducerClient {
  readonly eventHubName: string;
  readonly fullyQualifiedNamespace: string;
  readonly identifier: string;
  readonly createBatch: Refusing = refusing("EventHubProducerClient.createBatch()", SEE);
  readonly #link: EventHubsLink;
  readonly #connection = { words: "the connection of a producer client" };
  #isClosed = false;

  constructor(link: EventHubsLink, host: string, given: readonly ClientArgument[]) {
    const call = "new EventHubProducerClient()";
    const { namespace, eventHub, options } = argumentsFrom(call, host, given);
    this.#link = link;
    this.eventHubName = eventHub;
    this.fullyQualifiedNamespace = namespace;
    this.identifier = options.identifier ?? link.newIdentifier();
  }

  async sendBatch(events: EventData[], options: SendBatchOptions = {}): Promise<void> {
    if (!Array.isArray(events)) refusing("sendBatch() with an EventDataBatch", SEE)();
    assertModelled("sendBatch()", options, ["partitionKey", "partitionId"], SEE);
    for (const event of events) assertModelled("sendBatch()", event, FIELDS, SEE);
    if (options.partitionKey !== undefined && options.partitionId !== undefined) {
      throw new TypeError("Partition key and partition id cannot both be set");
    }
    if (this.#isClosed) throw closedError();
    if (events.length === 0) return;
    const { hub } = this.#link;
    const outgoing = outgoingFrom(events);
    await this.#call("broker.produce", () => hub.send(this.eventHubName, outgoing, options));
  }

  async getPartitionIds(options: object = {}): Promise<string[]> {
    return [...(await this.getEventHubProperties(options)).partitionIds];
  }

  getPartitionProperties(partitionId: string, options: object = {}): Promise<PartitionProperties> {
    assertModelled("getPartitionProperties()", options, [], SEE);
    const { hub } = this.#link;
    return this.#call("broker.session", () =>
      hub.partitionProperties(this.eventHubName, partitionId),
    );
  }

  getEventHubProperties(options: object = {}): Promise<EventHubProperties> {
    assertModelled("getEventHubProperties()", options, [], SEE);
    return this.#call("broker.session", () => this.#link.hub.properties(this.eventHubName));
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#link.open.delete(this.#connection);
    return Promise.resolve();
  }

  async #call<T>(site: "broker.produce" | "broker.session", effect: () => T): Promise<T> {
    if (this.#isClosed) throw closedError();
    this.#link.open.add(this.#connection);
    return this.#link.call(site, effect);
  }
}

function closedError(): Error {
  return new Error("The underlying AMQP connection is closed.");
}
