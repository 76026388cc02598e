import type { World } from "../../kernel/world.ts";
import type { SettleAct } from "../../trace/trace.ts";
import type { DeadLetter, LeasedDelivery, LeasedQueueOptions } from "../lease.ts";
import { LeasedQueue } from "../leased-queue.ts";
import type { Refusal } from "../refusal.ts";
import { NO_EFFECT } from "../settlement-log.ts";
import type { PubSubAckResponse } from "./pubsub-error.ts";
import type { PubSubPublication } from "./pubsub-publisher.ts";

/** How a subscription delivers. */
export interface PubSubDelivery {
  readonly isOrdered: boolean;
  readonly isExactlyOnce: boolean;
  readonly maxDeliveryAttempts: number | undefined;
  /** The pause before a message comes again: it doubles with each time, up to `maxMs`. */
  readonly retry: { readonly minMs: number; readonly maxMs: number } | undefined;
}

/** A message as the service keeps it. */
export interface PubSubStored extends PubSubPublication {
  readonly id: string;
}

/**
 * What a subscription holds, and how it delivers.
 *
 * Holds: an ack after its deadline has no effect, which is reported only with exactly-once
 * delivery; with ordering keys, a redelivery includes all later messages of the key.
 */
export class PubSubQueue {
  readonly leases: LeasedQueue;
  delivers: PubSubDelivery;
  /** How many of the next acks come to nothing, each by itself; set by a disturbance. */
  acksToRefuse = 0;
  readonly #denial: Refusal | undefined;
  #unordered = 0;

  constructor(
    world: World,
    host: string,
    delivers: PubSubDelivery,
    more: {
      /** While it is on, nobody may consume the subscription. */
      readonly denial?: Refusal;
      readonly deadLettered?: (letter: DeadLetter) => void;
    } = {},
  ) {
    this.delivers = delivers;
    this.#denial = more.denial;
    this.leases = new LeasedQueue(world, host, this.#leaseOptions(more.deadLettered));
  }

  /** Returns the number of the message in the queue. */
  send(content: PubSubPublication | PubSubStored, text = ""): number {
    // What has no ordering key is ordered with nothing.
    this.#unordered += 1;
    const key = content.orderingKey || `unordered ${this.#unordered}`;
    return this.leases.send({ key, content, text, delayMs: 0 });
  }

  /** Leases messages; if it `lies`, the first comes with the ack id of another subscription's. */
  pull(
    consumer: string,
    { countMax, deadlineMs }: { readonly countMax: number; readonly deadlineMs: number },
    lies: boolean,
  ): readonly LeasedDelivery[] {
    const taken = this.leases.take(consumer, countMax, deadlineMs);
    return lies ? this.leases.misnamed(taken) : taken;
  }

  settle(consumer: string, handle: string, act: "ack" | "nack"): PubSubAckResponse {
    if (this.#denial?.isOn === true) return this.#denied(consumer, handle, act);
    if (act === "ack" && this.acksToRefuse > 0) {
      this.acksToRefuse -= 1;
      this.leases.traceSettle(consumer, handle, act, "OTHER");
      return "OTHER";
    }
    const isHeld = this.leases.stateOf(handle) === "held";
    this.leases.traceSettle(consumer, handle, act, this.#refusal(isHeld));
    if (!isHeld) return "INVALID";
    if (act === "ack") this.leases.settle(consumer, handle);
    else this.leases.extend(handle, 0);
    return "SUCCESS";
  }

  /** A deadline of 0 seconds is a nack. */
  modAck(consumer: string, handles: readonly string[], seconds: number): PubSubAckResponse {
    let response: PubSubAckResponse = "SUCCESS";
    for (const handle of handles) {
      if (seconds === 0) {
        const nacked = this.settle(consumer, handle, "nack");
        if (nacked !== "SUCCESS") response = nacked;
        continue;
      }
      if (this.#denial?.isOn === true) {
        response = this.#denied(consumer, handle, "extend");
        continue;
      }
      const isHeld = this.leases.stateOf(handle) === "held";
      this.leases.traceSettle(consumer, handle, "extend", this.#refusal(isHeld));
      if (isHeld) this.leases.extend(handle, seconds * 1_000);
      else response = "INVALID";
    }
    return response;
  }

  /** A subscription that is made again under its name may deliver otherwise. */
  #leaseOptions(deadLettered: LeasedQueueOptions["deadLettered"]): LeasedQueueOptions {
    const delivers = (): PubSubDelivery => this.delivers;
    return {
      get order(): "key" | "none" {
        return delivers().isOrdered ? "key" : "none";
      },
      get deliveriesMax(): number | undefined {
        return delivers().maxDeliveryAttempts;
      },
      backoffMs(failures: number): number {
        const { minMs, maxMs } = delivers().retry ?? { minMs: 0, maxMs: 0 };
        let ms = minMs;
        for (let n = 1; n < failures; n += 1) ms = Math.min(ms * 2, maxMs);
        return ms;
      },
      deadLettered,
    };
  }

  #denied(consumer: string, handle: string, act: SettleAct): PubSubAckResponse {
    const response = "PERMISSION_DENIED";
    this.leases.traceSettle(consumer, handle, act, response);
    return response;
  }

  #refusal(isHeld: boolean): string {
    if (isHeld) return "";
    return this.delivers.isExactlyOnce ? "INVALID" : NO_EFFECT;
  }
}
