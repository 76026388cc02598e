import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import * as fc from "fast-check";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import type { DrawnSequences } from "./drawn.ts";

/** Which receipt handle, counted from the last that was received; "unknown" was never given. */
type Nth = number | "unknown";
type Call =
  | readonly ["publish", count: number, Group]
  | readonly ["receive", countMax: number, seconds: number | undefined]
  | readonly ["delete", Nth]
  | readonly ["delete all", readonly Nth[]]
  | readonly ["change", Nth, seconds: number]
  | readonly ["change all", readonly (readonly [Nth, seconds: number])[]]
  | readonly ["wait"];
type Group = "a" | "b";

/** A receive returns at most so many, so that it returns all there are of a queue without order. */
const TEN = 10;
/** Far from each whole second at which a timeout may end. */
const WAIT_MS = 1_400;

const group = fc.constantFrom<Group>("a", "a", "b");
const nth = fc.oneof(
  { weight: 12, arbitrary: fc.nat({ max: 5 }) },
  { weight: 1, arbitrary: fc.constant("unknown" as const) },
);
const seconds = fc.constantFrom(0, 0, 1, 1, 2, 30, 30, -1, 43_201);
const count = fc.constantFrom(1, 2, 3, TEN, TEN, TEN, 0, 11);
const timeout = fc.constantFrom(undefined, 1, 1, 2, 30, 43_201);
const op = <const Name extends Call[0]>(name: Name): fc.Arbitrary<Name> => fc.constant(name);
const few = { minLength: 0, maxLength: 4, size: "max" } as const;

const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(op("publish"), fc.integer({ min: 1, max: 3 }), group) },
  { weight: 8, arbitrary: fc.tuple(op("receive"), count, timeout) },
  { weight: 5, arbitrary: fc.tuple(op("delete"), nth) },
  { weight: 2, arbitrary: fc.tuple(op("delete all"), fc.array(nth, few)) },
  { weight: 5, arbitrary: fc.tuple(op("change"), nth, seconds) },
  {
    weight: 2,
    arbitrary: fc.tuple(op("change all"), fc.array(fc.tuple(nth, seconds), few)),
  },
  { weight: 2, arbitrary: fc.tuple(op("wait")) },
);

/** What is received, deleted and kept, rightly and wrongly, on a standard or a FIFO queue. */
export function sqsCalls(kind: "standard" | "fifo"): DrawnSequences<SqsClient, Call> {
  const QueueUrl = `https://sqs/0/${kind === "fifo" ? "orders.fifo" : "orders"}`;
  return {
    operation: call,
    operationsMax: 16,
    async play({ client, publish, pass }, calls) {
      const handles: string[] = [];
      const groups = new Set<Group>();
      let published = 0;
      const handleOf = (one: Nth): string =>
        one === "unknown" ? one : (handles.at(-1 - one) ?? "unknown");
      const entriesOf = <Fields extends object>(all: readonly (readonly [Nth, Fields])[]) =>
        all.map(([one, fields], at) => ({
          ...{ Id: `id-${at}`, ReceiptHandle: handleOf(one) },
          ...fields,
        }));
      const receive = async (countMax: number, VisibilityTimeout?: number): Promise<unknown> => {
        // Which messages of several groups, or of a queue without order, come first is not said.
        const isOneOrder = kind === "fifo" && groups.size < 2;
        const MaxNumberOfMessages = isOneOrder || countMax < 1 ? countMax : Math.max(countMax, TEN);
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            ...{ QueueUrl, MaxNumberOfMessages, VisibilityTimeout },
            MessageSystemAttributeNames: ["ApproximateReceiveCount", "MessageGroupId"],
          }),
        );
        const sorted = isOneOrder ? Messages : Messages.toSorted(byGroupOrRef(kind));
        handles.push(...sorted.map(({ ReceiptHandle = "" }) => ReceiptHandle));
        return sorted.map((message) => [
          refOf(message),
          message.Attributes?.ApproximateReceiveCount,
          message.Attributes?.MessageGroupId,
        ]);
      };
      const perform = async (one: Call): Promise<unknown> => {
        switch (one[0]) {
          case "publish":
            if (published + one[1] > TEN) return "enough";
            published += one[1];
            groups.add(one[2]);
            return publish(one[1], one[2]);
          case "receive":
            return receive(one[1], one[2]);
          case "delete":
            return client.send(
              new DeleteMessageCommand({ QueueUrl, ReceiptHandle: handleOf(one[1]) }),
            );
          case "delete all": {
            const Entries = entriesOf(one[1].map((at) => [at, {}]));
            return client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
          }
          case "change":
            return client.send(
              new ChangeMessageVisibilityCommand({
                ...{ QueueUrl, ReceiptHandle: handleOf(one[1]), VisibilityTimeout: one[2] },
              }),
            );
          case "change all": {
            const Entries = entriesOf(
              one[1].map(([at, VisibilityTimeout]) => [at, { VisibilityTimeout }]),
            );
            return client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
          }
          case "wait":
            return pass(WAIT_MS);
          default:
            return one[0] satisfies never;
        }
      };
      // The queue of the model is the one that is received from first.
      const seen: unknown[] = [await receive(TEN)];
      for (const one of calls) seen.push([one, await toldOf(() => perform(one))]);
      return seen;
    },
  };
}

function refOf({ Body = "{}" }: Message): string {
  return (JSON.parse(Body) as { readonly ref: string }).ref;
}

/** Within a group the order is the queue's; without groups there is none. */
function byGroupOrRef(kind: "standard" | "fifo") {
  const keyOf = (message: Message): string =>
    (kind === "fifo" ? message.Attributes?.MessageGroupId : refOf(message)) ?? "";
  return (one: Message, other: Message): number => {
    const [left, right] = [keyOf(one), keyOf(other)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}

/** What came of a call: of a batch each entry, of an error its name, its side and its status. */
async function toldOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    const output = await call();
    if (typeof output !== "object" || output === null || !("$metadata" in output)) return output;
    const { Successful, Failed } = output as {
      readonly Successful?: readonly { readonly Id?: string }[];
      readonly Failed?: readonly {
        readonly Id?: string;
        readonly Code?: string;
        readonly SenderFault?: boolean;
      }[];
    };
    const failed = (Failed ?? []).map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]);
    return [Successful?.map(({ Id }) => Id).toSorted() ?? [], failed];
  } catch (error) {
    const { name, $fault, $metadata } = error as {
      readonly name: string;
      readonly $fault?: string;
      readonly $metadata?: { readonly httpStatusCode?: number };
    };
    return [name, $fault, $metadata?.httpStatusCode];
  }
}
