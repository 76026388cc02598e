import { checkedOptions } from "../../../src/checked-options.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerModel } from "../broker.ts";
import { LeaseRival } from "../lease-rival.ts";
import { SqsClient } from "./sqs-client.ts";
import { SqsQueue, type SqsQueueOptions } from "./sqs-queue.ts";

/** How an SQS queue is set up. */
export interface SqsOptions {
  /** The queue's visibility timeout in virtual seconds; default 30, as in SQS. */
  readonly visibilityTimeoutSeconds?: number;
  /**
   * Redrive policy: the queue dead-letters a message after this many receives; default: none.
   * A check names G3 where that takes an event which nobody rejected: it is too few for what is
   * held so often.
   */
  readonly maxReceiveCount?: number;
  /** How long renewals can keep a message in flight, in virtual seconds; default 43,200 (12 h). */
  readonly inFlightSecondsMax?: number;
  /** The name of the queue; default: that of the queue which is received from first. */
  readonly queue?: string;
  /**
   * The names of the other queues that there are, and with `queue` no others; default: any is
   * there.
   */
  readonly deadLetterQueues?: readonly string[];
}

const OPTIONS: readonly (keyof SqsOptions)[] = [
  "visibilityTimeoutSeconds",
  "maxReceiveCount",
  "inFlightSecondsMax",
  "queue",
  "deadLetterQueues",
];

/**
 * A standard SQS queue, unordered and at least once, for producers that use `@aws-sdk/client-sqs`.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.sqs({ visibilityTimeoutSeconds: 60, maxReceiveCount: 5 });
 * console.log(broker.name); // => sqs
 * ```
 */
export function sqs(options: SqsOptions = {}): BrokerModel<SqsClient> {
  checkedOptions(options, OPTIONS, "brokers.sqs");
  return sqsModel("sqs", false, options);
}

/**
 * An SQS FIFO queue, in which the records of one key are a message group.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * console.log(brokers.sqsFifo().name); // => sqs-fifo
 * ```
 */
export function sqsFifo(options: SqsOptions = {}): BrokerModel<SqsClient> {
  checkedOptions(options, OPTIONS, "brokers.sqsFifo");
  return sqsModel("sqs-fifo", true, options);
}

/** How many batch entries one disturbance refuses. */
const ENTRIES_TO_REFUSE = 2;
const MADE_VISIBLE = "operator makes visible what is in flight";

function sqsModel(name: string, isFifo: boolean, options: SqsOptions): BrokerModel<SqsClient> {
  const queueOptions: SqsQueueOptions = {
    isFifo,
    visibilityTimeoutSeconds: options.visibilityTimeoutSeconds ?? 30,
    maxReceiveCount: options.maxReceiveCount,
    inFlightSecondsMax: options.inFlightSecondsMax ?? 43_200,
    queue: options.queue,
    deadLetterQueues: options.deadLetterQueues,
  };
  return brokerModel(
    { name, spec: { [name]: options }, transport: "http", misnames: true, carriesText: true },
    (world, host) => {
      const queue = new SqsQueue(world, host, queueOptions);
      const { leases, refusal, denial } = queue;
      return {
        records: leases,
        disturbances: [
          {
            name: "refuse entries of a batch",
            strike() {
              queue.entriesToRefuse += ENTRIES_TO_REFUSE;
            },
            end() {
              queue.entriesToRefuse = 0;
            },
          },
          {
            name: MADE_VISIBLE,
            strike: () => leases.interrupt(MADE_VISIBLE, () => leases.giveBackAll()),
          },
          new LeaseRival(world, host, leases).disturbance("rival takes what is visible"),
          refusal.disturbance("other queues refuse what is sent"),
          denial.disturbance("the account may not receive for a while", { isFatal: true }),
        ],
        connect(port, number) {
          const client = new SqsClient(port, host, queue, `${port.name}/${number}`);
          return { client, open: () => client.openResources() };
        },
      };
    },
  );
}
