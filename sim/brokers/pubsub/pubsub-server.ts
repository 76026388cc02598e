import type { World } from "../../kernel/world.ts";
import type { LeasedDelivery } from "../lease.ts";
import { LeasedQueue } from "../leased-queue.ts";
import { NO_EFFECT } from "../settlement-log.ts";
import { Refusal } from "../refusal.ts";
import type { PubSubAckResponse } from "./pubsub-error.ts";

export interface PubSubServerOptions {
  readonly isOrdered: boolean;
  readonly isExactlyOnce: boolean;
  readonly maxDeliveryAttempts: number | undefined;
}

/**
 * The server side of one subscription.
 *
 * Holds: an ack after its deadline has no effect, which is reported only with exactly-once
 * delivery; with ordering keys, a redelivery includes all later messages of the key.
 */
export class PubSubServer {
  readonly leases: LeasedQueue;
  /** The wall time at which the world begins, in milliseconds since the Unix epoch. */
  readonly epochMs: number;
  readonly refusal: Refusal;
  readonly options: PubSubServerOptions;
  /** How many of the next acks come to nothing, each by itself; set by a disturbance. */
  acksToRefuse = 0;

  constructor(world: World, host: string, options: PubSubServerOptions) {
    this.options = options;
    this.refusal = new Refusal(world);
    this.epochMs = world.epochMs;
    this.leases = new LeasedQueue(world, host, {
      order: options.isOrdered ? "key" : "none",
      deliveriesMax: options.maxDeliveryAttempts,
    });
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
        if (this.settle(consumer, handle, "nack") !== "SUCCESS") response = "INVALID";
        continue;
      }
      const isHeld = this.leases.stateOf(handle) === "held";
      this.leases.traceSettle(consumer, handle, "extend", this.#refusal(isHeld));
      if (isHeld) this.leases.extend(handle, seconds * 1_000);
      else response = "INVALID";
    }
    return response;
  }

  #refusal(isHeld: boolean): string {
    if (isHeld) return "";
    return this.options.isExactlyOnce ? "INVALID" : NO_EFFECT;
  }
}
