import { checkedOptions } from "../../../src/checked-options.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerModel } from "../broker.ts";
import { type FeedClient, ModelledFetch } from "./feed-client.ts";
import { FeedServer } from "./feed-server.ts";

/** How a feed is set up. */
export interface HttpFeedOptions {
  /** How long a request may wait for events, in virtual seconds; default 30. */
  readonly waitSecondsMax?: number;
  /**
   * After how many virtual seconds a gateway before the feed replies with 504 to a request that
   * waits; default 60.
   */
  readonly gatewayTimeoutSeconds?: number;
  /** How many events a reply has at most; default 100. */
  readonly pageMax?: number;
}

const OPTIONS: readonly (keyof HttpFeedOptions)[] = [
  "waitSecondsMax",
  "gatewayTimeoutSeconds",
  "pageMax",
];

const WAIT_SECONDS_MAX = 30;
const GATEWAY_TIMEOUT_SECONDS = 60;
const PAGE_MAX = 100;

/**
 * A feed of events over HTTP that is read by long polls, for producers that use `fetch`.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.httpFeed({ waitSecondsMax: 90, gatewayTimeoutSeconds: 60 });
 * console.log(broker.name); // => http-feed
 * ```
 */
export function httpFeed(options: HttpFeedOptions = {}): BrokerModel<FeedClient> {
  checkedOptions(options, OPTIONS, "brokers.httpFeed");
  const { waitSecondsMax = WAIT_SECONDS_MAX, pageMax = PAGE_MAX } = options;
  const { gatewayTimeoutSeconds = GATEWAY_TIMEOUT_SECONDS } = options;
  const names = {
    name: "http-feed",
    spec: { "http-feed": options },
    transport: "http",
  } as const;
  return brokerModel(names, (world, host) => {
    const server = new FeedServer(world, host, pageMax);
    return {
      records: server,
      disturbances: [
        { name: "requests that wait are dropped", strike: () => server.drop() },
        { name: "the oldest event is deleted", strike: () => server.deleteOldest() },
        server.overload.disturbance("the feed is overloaded"),
        server.refusal.disturbance("dead letters are refused"),
        server.denial.disturbance("no token is taken for a while", { isFatal: true }),
        {
          name: "another process stores a cursor",
          overtakes: true,
          strike: () => server.overtake(),
        },
      ],
      connect(port, number) {
        const consumer = `${port.name}/${number}`;
        const limits = { waitSecondsMax, gatewayTimeoutSeconds };
        const client = new ModelledFetch({ port, host, server, consumer, ...limits });
        return { client, open: () => client.openResources() };
      },
    };
  });
}
