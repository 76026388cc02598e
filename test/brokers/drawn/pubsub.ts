import * as fc from "fast-check";
import type { PubSubClient } from "../../../sim/brokers/pubsub/pubsub-client.ts";
import type { PubSubMessage } from "../../../sim/brokers/pubsub/pubsub-message.ts";
import { outcomeOf } from "../observed/observation.ts";
import { type Reader, readerOf, refOf, refsOf, SETTLED_MS } from "../observed/pubsub-stage.ts";
import type { DrawnSequences } from "./drawn.ts";

/** Which delivery, counted from the last. */
type Nth = number;
type Settling = "ack" | "nack" | "ackWithResponse" | "nackWithResponse";
type Call =
  | readonly ["publish", count: number, key: "key-1" | "key-2"]
  | readonly ["open", maxMessages: number | undefined]
  | readonly [Settling, Nth]
  | readonly ["modAck" | "modAckWithResponse", Nth, seconds: number]
  | readonly ["listen once more"]
  | readonly ["publish elsewhere", text: string]
  | readonly ["close"];

const SETTLING = ["ack", "ack", "nack", "ackWithResponse", "nackWithResponse"] as const;
const op = <const Name extends Call[0]>(name: Name): fc.Arbitrary<Name> => fc.constant(name);
const nth = fc.nat({ max: 4 });
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(
      op("publish"),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom("key-1", "key-2"),
    ),
  },
  { weight: 3, arbitrary: fc.tuple(op("open"), fc.constantFrom(undefined, undefined, 1, 2)) },
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...SETTLING), nth) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constantFrom("modAck", "modAckWithResponse"),
      nth,
      fc.constantFrom(0, 0, 10, 60),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(op("listen once more")) },
  { weight: 1, arbitrary: fc.tuple(op("publish elsewhere"), fc.string({ maxLength: 5 })) },
  { weight: 1, arbitrary: fc.tuple(op("close")) },
);

/** What comes, and what becomes of it; one subscription at a time. */
export const PUBSUB_CALLS: DrawnSequences<PubSubClient, Call> = {
  operation: call,
  operationsMax: 12,
  async play(stage, calls) {
    // Which messages come first is not said, nor which come of more than flow control lets through.
    const isCounted = calls.some((one) => one[0] === "open" && one[1] !== undefined);
    const received: PubSubMessage[] = [];
    // An ack behind the end of a lease may succeed: as the stand-in has it, it always does.
    const ended = new Set<PubSubMessage>();
    let reader: Reader | undefined;
    let told = 0;
    const close = async (): Promise<readonly string[]> => {
      await reader?.subscription.close();
      const events = reader?.events ?? [];
      reader = undefined;
      told = 0;
      return events;
    };
    const perform = async (one: Call): Promise<unknown> => {
      switch (one[0]) {
        case "publish":
          return stage.publish(one[1], one[2]);
        case "open":
          await close();
          reader = readerOf(stage, optionsOf(one[1]));
          return;
        case "close":
          return close();
        case "listen once more":
          reader?.subscription.on("message", () => undefined);
          return reader?.subscription.listenerCount("message");
        case "publish elsewhere": {
          // The stand-in takes a message of nothing, which the service refuses.
          const data = Buffer.from(one[1] || "nothing");
          return typeof (await stage.client.topic("dead-orders").publishMessage({ data }));
        }
        default: {
          const message = received.at(-1 - one[1]);
          if (message === undefined || ended.has(message)) return "no delivery";
          if (one.length === 2) return message[one[0]]();
          if (one[2] === 0) ended.add(message);
          return message[one[0]](one[2]);
        }
      }
    };
    const seen: unknown[] = [];
    for (const one of calls) {
      const outcome = await outcomeOf(() => perform(one));
      await stage.pass(SETTLED_MS);
      const came = reader?.got.slice(told) ?? [];
      told += came.length;
      received.push(...came.toSorted((a, b) => refOf(a) - refOf(b)));
      seen.push([one, outcome, isCounted ? came.length : refsOf(came), reader?.events.length]);
    }
    seen.push(await close());
    return seen;
  },
};

function optionsOf(maxMessages: number | undefined) {
  if (maxMessages === undefined) return {};
  return { flowControl: { maxMessages, allowExcessMessages: false } };
}
