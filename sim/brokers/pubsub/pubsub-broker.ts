import { checkedOptions } from "../../../src/checked-options.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerModel } from "../broker.ts";
import { LeaseRival } from "../lease-rival.ts";
import { PubSubClient } from "./pubsub-client.ts";
import { PubSubServer } from "./pubsub-server.ts";

/** How a Pub/Sub subscription is set up. */
export interface PubSubOptions {
  /** Whether the records of one key have that key as their ordering key; default false. */
  readonly orderingKeys?: boolean;
  /** Whether the subscription has exactly-once delivery; default false. */
  readonly exactlyOnceDelivery?: boolean;
  /**
   * Dead-letter policy: the subscription moves a message after this many failed deliveries.
   * A check names G3 where that takes an event which nobody rejected: it is too few for what is
   * held so often.
   */
  readonly maxDeliveryAttempts?: number;
  /** The topic of the subscription: what is published to it is delivered; default "orders". */
  readonly topic?: string;
  /** The name of the subscription; default: any, and another one is unknown. */
  readonly subscription?: string;
  /** The other topics that there are; default: any, and others are unknown. */
  readonly deadLetterTopics?: readonly string[];
}

const OPTIONS: readonly (keyof PubSubOptions)[] = [
  "orderingKeys",
  "exactlyOnceDelivery",
  "maxDeliveryAttempts",
  "topic",
  "subscription",
  "deadLetterTopics",
];

/** Of the acks of one request some may fail, which the library reports for each of them. */
const ACKS_TO_REFUSE = 2;
const TOPIC = "orders";
const EARLY = "service redelivers early";

/**
 * A pull subscription of Google Pub/Sub, for producers that use `@google-cloud/pubsub`.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.pubsub({ orderingKeys: true, exactlyOnceDelivery: true });
 * console.log(broker.name); // => pubsub-ordered
 * ```
 */
export function pubsub(options: PubSubOptions = {}): BrokerModel<PubSubClient> {
  checkedOptions(options, OPTIONS, "brokers.pubsub");
  const isOrdered = options.orderingKeys ?? false;
  const isExactlyOnce = options.exactlyOnceDelivery ?? false;
  const { maxDeliveryAttempts } = options;
  const name = isOrdered ? "pubsub-ordered" : "pubsub";
  const named = {
    name,
    spec: { pubsub: options },
    transport: "http",
    carriesText: true,
    // With ordering keys, what is behind a message that nobody can give back comes again at once.
    misnames: !isOrdered,
    // Without exactly-once delivery an acknowledgement is sent, and nothing is heard of it.
    confirms: isExactlyOnce,
  } as const;
  return brokerModel(named, (world, host) => {
    const { topic = TOPIC, subscription, deadLetterTopics } = options;
    const names = { topic, subscription, deadLetterTopics };
    const serverOptions = { isOrdered, isExactlyOnce, maxDeliveryAttempts, ...names };
    const server = new PubSubServer(world, host, serverOptions);
    const { leases, refusal, denial } = server;
    return {
      records: {
        publish: (publication) => server.publishRecord(publication),
        owed: () => leases.owed(),
      },
      disturbances: [
        {
          name: EARLY,
          strike: () => leases.interrupt(EARLY, () => leases.giveBackAll()),
        },
        new LeaseRival(world, host, leases).disturbance("rival takes what is there"),
        refusal.disturbance("other topics refuse what is sent"),
        {
          name: "some acks of a request come to nothing",
          isRare: true,
          strike() {
            server.acksToRefuse += ACKS_TO_REFUSE;
          },
          end() {
            server.acksToRefuse = 0;
          },
        },
        denial.disturbance("the account may not consume for a while", {
          isFatal: true,
          begun: () => leases.wake(),
        }),
      ],
      connect(port, number) {
        const client = new PubSubClient(port, host, server, `${port.name}/${number}`);
        return { client, open: () => client.openResources() };
      },
    };
  });
}
