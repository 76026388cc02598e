import { checkedOptions } from "../../../src/checked-options.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerModel } from "../broker.ts";
import { LeaseRival } from "../lease-rival.ts";
import { ServiceBusClient } from "./service-bus-client.ts";
import { ServiceBusLink } from "./service-bus-link.ts";
import { ServiceBusQueue } from "./service-bus-queue.ts";

/** How a Service Bus queue is set up. */
export interface ServiceBusOptions {
  /** How long a message or session is locked, in virtual seconds; default 30, at most 300. */
  readonly lockDurationSeconds?: number;
  /**
   * The queue dead-letters a message after this many failed deliveries; default 10.
   * A check names G3 where that takes an event which nobody rejected: it is too few for what is
   * held so often.
   */
  readonly maxDeliveryCount?: number;
}

const OPTIONS: readonly (keyof ServiceBusOptions)[] = ["lockDurationSeconds", "maxDeliveryCount"];

/** How long a lock can last at most, in virtual seconds. */
export const LOCK_SECONDS_MAX = 300;
const MOVED = "service moves the queue";

/**
 * A queue of Azure Service Bus, for producers that use `@azure/service-bus`.
 *
 * @throws {RangeError} when `lockDurationSeconds` is not more than 0 and at most 300
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.serviceBus({ lockDurationSeconds: 60 });
 * console.log(broker.name); // => service-bus
 * ```
 */
export function serviceBus(options: ServiceBusOptions = {}): BrokerModel<ServiceBusClient> {
  checkedOptions(options, OPTIONS, "brokers.serviceBus");
  return serviceBusModel("service-bus", false, options);
}

/**
 * A queue of Azure Service Bus that requires sessions: the records of one key are a session.
 *
 * @throws {RangeError} when `lockDurationSeconds` is not more than 0 and at most 300
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * console.log(brokers.serviceBusSessions().name); // => service-bus-sessions
 * ```
 */
export function serviceBusSessions(options: ServiceBusOptions = {}): BrokerModel<ServiceBusClient> {
  checkedOptions(options, OPTIONS, "brokers.serviceBusSessions");
  return serviceBusModel("service-bus-sessions", true, options);
}

function serviceBusModel(
  name: string,
  requiresSession: boolean,
  settings: ServiceBusOptions,
): BrokerModel<ServiceBusClient> {
  const { lockDurationSeconds = 30, maxDeliveryCount = 10 } = settings;
  if (!(lockDurationSeconds > 0 && lockDurationSeconds <= LOCK_SECONDS_MAX)) {
    throw new RangeError(
      `Cannot lock messages for ${lockDurationSeconds} s: the maximum is ${LOCK_SECONDS_MAX} s`,
    );
  }
  const options = { lockMs: lockDurationSeconds * 1_000, maxDeliveryCount, requiresSession };
  return brokerModel({ name, spec: { [name]: settings } }, (world, host) => {
    const queue = new ServiceBusQueue(world, host, options);
    const move = { name: MOVED, strike: () => queue.loseLocks(MOVED) };
    const rival = new LeaseRival(world, host, queue.leases);
    const denied = queue.denial.disturbance("the account may not listen for a while", {
      isFatal: true,
      begun: () => queue.detachAll(),
    });
    return {
      records: queue.leases,
      disturbances: requiresSession
        ? [move, denied]
        : [move, rival.disturbance("rival takes what is there"), denied],
      connect(port, number) {
        const consumer = `${port.name}/${number}`;
        const client = new ServiceBusClient(new ServiceBusLink(port, host, queue, consumer));
        return { client, open: () => client.openResources() };
      },
    };
  });
}
