import type { World } from "../../kernel/world.ts";
import type { Arrivals } from "../arrivals.ts";
import type { SettlementLog } from "../settlement-log.ts";
import { ConsumerDisk } from "./consumer-disk.ts";
import {
  acknowledged,
  type ConsumerState,
  giveUp,
  isSpentWhenDue,
  passGivenUp,
  type PendingMessage,
  unreadOf,
} from "./consumer-state.ts";
import type { NatsDelivery } from "./delivery.ts";
import { waitMsOf } from "./settings.ts";
import type { MessageStream } from "./stream.ts";

/** What deliveries need of their server. */
interface DeliveryParts {
  readonly world: World;
  readonly settlements: SettlementLog;
  readonly arrivals: Arrivals;
  /** The name of the stream with the records. */
  readonly source: string;
}

/** What becomes of the messages that consumers get: delivered, again, given up, settled, lost. */
export class Deliveries {
  readonly #parts: DeliveryParts;
  readonly #disks = new WeakMap<ConsumerState, ConsumerDisk>();
  /** How many messages were handed back at once so far. */
  #naks = 0;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  get #now(): number {
    return this.#parts.world.now;
  }

  /** Changes a consumer; `change` returns whether there is something to be written down. */
  change(consumer: ConsumerState, change: () => boolean): void {
    const disk = this.#diskOf(consumer);
    disk.catchUp(consumer, this.#now);
    if (change()) disk.changed(consumer, this.#now);
  }

  /**
   * The server's process is killed: what it had not written down is lost. What was acknowledged
   * then is pending, or was never delivered; what is pending comes again by its old time.
   */
  crash(stored: MessageStream, consumer: ConsumerState): void {
    const before = { lastSequence: consumer.lastSequence, pending: new Map(consumer.pending) };
    for (const { timer } of before.pending.values())
      if (timer !== undefined) timer.cancelled = true;
    const disk = this.#diskOf(consumer);
    disk.catchUp(consumer, this.#now);
    disk.restore(consumer);
    for (const pending of consumer.pending.values()) {
      const leftMs = pending.awaitedUntil - this.#now;
      if (leftMs > 0) this.#wait(consumer, pending, leftMs);
      else pending.due = { at: this.#now, order: pending.message.sequence };
    }
    if (stored.name !== this.#parts.source) return;
    for (const { sequence, ref } of stored.messages.slice(0, before.lastSequence)) {
      const isBack = sequence > consumer.lastSequence || consumer.pending.has(sequence);
      if (!isBack || before.pending.has(sequence) || ref === undefined) continue;
      this.#parts.settlements.unsettled(ref);
    }
  }

  deliver(
    stream: MessageStream,
    consumer: ConsumerState,
    pending: PendingMessage,
    who: string,
  ): NatsDelivery {
    const { settlements, source } = this.#parts;
    const { message } = pending;
    pending.deliveries += 1;
    pending.who = who;
    pending.due = undefined;
    consumer.deliveries += 1;
    consumer.deliveredAt = this.#now;
    if (stream.name === source) {
      const isCumulative = consumer.settings.ackPolicy === "all";
      settlements.delivered(message.ref, who, isCumulative ? stream.name : "");
    }
    if (consumer.settings.ackPolicy === "none") {
      settlements.settled(message.ref, who, "its consumer needs no ack");
    } else {
      consumer.pending.set(message.sequence, pending);
      this.redeliverLater(consumer, pending);
    }
    return {
      message,
      deliveries: pending.deliveries,
      consumerSequence: consumer.deliveries,
      pending: unreadOf(stream, consumer),
    };
  }

  /** Makes the message due again, or gives it up, after AckWait or the delay of a nak. */
  redeliverLater(consumer: ConsumerState, pending: PendingMessage, nakMs?: number): void {
    if (pending.timer !== undefined) pending.timer.cancelled = true;
    const ms = nakMs ?? waitMsOf(consumer.settings, pending.deliveries);
    if (nakMs === undefined) pending.awaitedUntil = this.#now + ms;
    // At once: a pull that is sent behind it gets this message ahead of new ones.
    if (nakMs === 0) pending.due = { at: this.#now, order: (this.#naks += 1) };
    else this.#wait(consumer, pending, ms, nakMs !== undefined);
  }

  #wait(consumer: ConsumerState, pending: PendingMessage, ms: number, isNak = false): void {
    const { world, settlements, arrivals } = this.#parts;
    const { ref, sequence } = pending.message;
    pending.timer = world.schedule(ms, { lane: "nats", hop: false }, () => {
      if (!isNak) settlements.lapsed(ref ?? "", pending.who);
      if (isSpentWhenDue(consumer, pending)) this.giveUp(consumer, pending);
      else pending.due = { at: this.#now, order: sequence };
      arrivals.notify();
    });
  }

  /** MaxDeliver is reached. */
  giveUp(consumer: ConsumerState, pending: PendingMessage): void {
    giveUp(consumer, pending);
    this.#parts.settlements.settled(pending.message.ref, pending.who);
  }

  settle(consumer: ConsumerState, pending: PendingMessage, who: string): void {
    if (pending.timer !== undefined) pending.timer.cancelled = true;
    acknowledged(consumer, pending);
    consumer.ackedAt = this.#now;
    this.#parts.settlements.settled(pending.message.ref, who);
  }

  settleBefore(consumer: ConsumerState, sequence: number, who: string): void {
    for (const pending of [...consumer.pending.values()]) {
      if (pending.message.sequence < sequence) this.settle(consumer, pending, who);
    }
    passGivenUp(consumer, sequence);
  }

  #diskOf(consumer: ConsumerState): ConsumerDisk {
    const known = this.#disks.get(consumer);
    const disk = known ?? new ConsumerDisk(consumer);
    this.#disks.set(consumer, disk);
    return disk;
  }
}
