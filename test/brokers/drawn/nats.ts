import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import type { NatsMessage } from "../../../sim/brokers/nats/message.ts";
import type { NatsMessages } from "../../../sim/brokers/nats/messages.ts";
import { outcomeOf } from "../observed/observation.ts";
import type { DrawnSequences } from "./drawn.ts";

/** Which delivery, counted from the last. */
type Nth = number;
type Call =
  | readonly ["publish", count: number]
  | readonly ["consume", messagesMax: number]
  | readonly ["ack" | "nak" | "nak later" | "term" | "working" | "ackAck", Nth]
  | readonly ["stop"];

/** As long as a server on the same machine needs at most for what a call sets off. */
const SOON_MS = 25;
const SETTLING_TRIES = 20;
/** Behind which a delayed redelivery comes. */
const LATER_MS = 100;

const SETTLING = ["ack", "ack", "nak", "nak later", "term", "working", "ackAck"] as const;
const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant("publish" as const), fc.constantFrom(1, 2, 3)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("consume" as const), fc.constantFrom(1, 2, 10)) },
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...SETTLING), fc.nat({ max: 4 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("stop" as const)) },
);

/** A reader that calls back, and what it does with what it has; one reader at a time. */
export const NATS_CALLS: DrawnSequences<NatsClient, Call> = {
  operation: call,
  operationsMax: 12,
  async play(stage, calls) {
    const consumer = await stage.client.consumers.get("ORDERS", "triggerer");
    const received: NatsMessage[] = [];
    let told: unknown[] = [];
    let reading: NatsMessages | undefined;
    const callback = (message: NatsMessage): void => {
      const { deliveryCount, deliverySequence, redelivered } = message.info;
      received.push(message);
      told.push([message.seq, deliveryCount, deliverySequence, redelivered]);
    };
    const perform = async (one: Call): Promise<unknown> => {
      if (one[0] === "publish") return stage.publish(one[1]);
      if (one[0] === "consume" || one[0] === "stop") {
        reading?.stop();
        reading = undefined;
        await stage.pass(SOON_MS);
        if (one[0] === "stop") return;
        reading = await consumer.consume({ max_messages: one[1], callback });
        return;
      }
      const message = received.at(-1 - one[1]);
      if (message === undefined) return "no delivery";
      if (one[0] !== "nak later") return message[one[0]]();
      message.nak(LATER_MS);
      return stage.pass(2 * LATER_MS);
    };
    const facts = async (): Promise<readonly unknown[]> => {
      const { delivered, ack_floor, num_ack_pending, num_pending, num_redelivered } =
        await consumer.info();
      const reached = [delivered, ack_floor].map((at) => [at.consumer_seq, at.stream_seq]);
      return [reached, [num_ack_pending, num_pending, num_redelivered]];
    };
    /** What is known when nothing moves any more: a busy server takes its time. */
    const settled = async (): Promise<readonly unknown[]> => {
      for (let tries = 1; ; tries += 1) {
        const [count, before] = [told.length, await facts()];
        await stage.pass(SOON_MS);
        const after = await facts();
        const isStill = told.length === count && isDeepStrictEqual(before, after);
        if (isStill || tries === SETTLING_TRIES) return after;
      }
    };
    const seen: unknown[] = [];
    for (const one of calls) {
      const outcome = await outcomeOf(() => perform(one));
      await stage.pass(SOON_MS);
      seen.push([one, outcome, ...(await settled()), told]);
      told = [];
    }
    reading?.stop();
    return seen;
  },
};
