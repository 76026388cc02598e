import type { World } from "../../kernel/world.ts";
import type { SettleAct } from "../../trace/trace.ts";
import type { LeasedDelivery } from "../lease.ts";
import { LeasedQueue } from "../leased-queue.ts";
import { NO_EFFECT } from "../settlement-log.ts";
import { Refusal } from "../refusal.ts";
import { textOf } from "../ref-in.ts";
import {
  permissionDenied,
  type PubSubAckResponse,
  PubSubNotFound,
  streamDenied,
  streamNotFound,
} from "./pubsub-error.ts";
import type { PubSubPublication } from "./pubsub-publisher.ts";

export interface PubSubServerOptions {
  readonly isOrdered: boolean;
  readonly isExactlyOnce: boolean;
  readonly maxDeliveryAttempts: number | undefined;
  /** Undefined: any name is that of the subscription. */
  readonly subscription: string | undefined;
  readonly topic: string;
  /** Undefined: any other topic is there. */
  readonly deadLetterTopics: readonly string[] | undefined;
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
  /** While it is on, the clients may not consume the subscription. */
  readonly denial: Refusal;
  readonly options: PubSubServerOptions;
  /** How many of the next acks come to nothing, each by itself; set by a disturbance. */
  acksToRefuse = 0;
  #published = 0;

  constructor(world: World, host: string, options: PubSubServerOptions) {
    this.options = options;
    this.refusal = new Refusal(world);
    this.denial = new Refusal(world);
    this.epochMs = world.epochMs;
    this.leases = new LeasedQueue(world, host, {
      order: options.isOrdered ? "key" : "none",
      deliveriesMax: options.maxDeliveryAttempts,
    });
  }

  /** Whether a subscription is the one that is checked, by its name or its whole path. */
  hasSubscription(path: string): boolean {
    const { subscription } = this.options;
    return subscription === undefined || isNamed(path, subscription);
  }

  /** @throws {PubSubStreamEnd} for a subscription that is none, or that may not be consumed */
  assertConsumable(path: string): void {
    if (!this.hasSubscription(path)) throw streamNotFound(path);
    if (this.denial.isOn) throw streamDenied();
  }

  hasTopic(path: string): boolean {
    const { topic, deadLetterTopics } = this.options;
    const isOther = deadLetterTopics?.some((name) => isNamed(path, name)) ?? true;
    return isOther || isNamed(path, topic);
  }

  /**
   * Publishes a batch, of which nothing is published if something is refused: what is published to
   * the subscription's own topic is delivered, anything else is a dead letter.
   *
   * @throws {PubSubNotFound} for a topic that is none
   */
  publish(path: string, batch: readonly PubSubPublication[]): readonly string[] {
    if (!this.hasTopic(path)) throw new PubSubNotFound(path);
    if (isNamed(path, this.options.topic)) return batch.map((one) => this.#deliver(one));
    if (this.refusal.isOn) throw permissionDenied();
    return batch.map(({ data, attributes }) => {
      this.leases.deadLettered(textOf(data) + JSON.stringify(attributes));
      this.#published += 1;
      return String(this.#published);
    });
  }

  #deliver(content: PubSubPublication): string {
    return String(this.leases.send({ key: content.orderingKey, content, delayMs: 0 }));
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
    if (this.denial.isOn) return this.#denied(consumer, handle, act);
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
      if (this.denial.isOn) {
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

  #denied(consumer: string, handle: string, act: SettleAct): PubSubAckResponse {
    const response = "PERMISSION_DENIED";
    this.leases.traceSettle(consumer, handle, act, response);
    return response;
  }

  #refusal(isHeld: boolean): string {
    if (isHeld) return "";
    return this.options.isExactlyOnce ? "INVALID" : NO_EFFECT;
  }
}

/** Whether a path is that of a topic or subscription, which may be named by its path as well. */
function isNamed(path: string, name: string): boolean {
  return path === name || (!name.includes("/") && path.split("/").at(-1) === name);
}
