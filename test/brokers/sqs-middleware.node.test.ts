import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { sqs } from "../../sim/brokers/sqs/sqs-broker.ts";
import type { SqsClient } from "../../sim/brokers/sqs/sqs-client.ts";
import { BrokerStage } from "./broker-stage.ts";

const QueueUrl = "https://sqs/0/orders";

/** Adds five, out of order; returns how they are told to run. */
function traced(client: Pick<SQSClient, "middlewareStack">, seen: string[]): readonly string[] {
  const stack = client.middlewareStack;
  // Of each step the library has a type of its own.
  const note = (name: string): never =>
    ((next: (given: object) => Promise<object>) => (given: object) => {
      seen.push("request" in given && given.request !== undefined ? `${name} with request` : name);
      return next(given);
    }) as never;
  stack.add(note("build"), { step: "build", name: "build" });
  stack.add(note("late"), { step: "initialize", priority: "low", name: "late" });
  stack.add(note("first"), { step: "initialize", name: "first", tags: ["TRACE"] });
  stack.use({ applyToStack: (to) => to.add(note("second"), { name: "second" }) });
  stack.add(note("high"), { step: "initialize", priority: "high", name: "high" });
  const names = ["build", "late", "first", "second", "high"];
  return stack
    .identify()
    .map((line) => line.split(" ")[0]?.replace(/:$/, "") ?? "")
    .filter((name) => names.includes(name));
}

function messageOf(run: () => unknown): string {
  try {
    run();
    return "no error";
  } catch (error) {
    return (error as Error).message;
  }
}

async function onModel<T>(play: (client: SQSClient) => Promise<T>): Promise<T> {
  const stage = new BrokerStage(sqs());
  stage.publish(1);
  return stage.play((client: SqsClient) => play(client as unknown as SQSClient));
}

test("what is no command is refused by the SQS client as by the library", async () => {
  const told = async (client: Pick<SQSClient, "send">): Promise<readonly string[]> => {
    const seen: string[] = [];
    for (const command of [undefined, null, {}]) {
      const error = await Promise.resolve()
        .then(() => client.send(command as never))
        .then(
          () => undefined,
          (one: unknown) => one as Error,
        );
      seen.push(`${error?.name}: ${error?.message}`);
    }
    return seen;
  };
  expect(await onModel(told)).toEqual(await told(new SQSClient({ region: "eu-central-1" })));
});

describe("the middleware of an SQS client", () => {
  test("runs by step, priority and age, with the request from the build on", async () => {
    const seen: string[] = [];
    await onModel(async (client) => {
      traced(client, seen);
      return client.send(new ReceiveMessageCommand({ QueueUrl }));
    });
    expect(seen).toEqual(["high", "first", "second", "late", "build with request"]);
  });

  test("changes what is sent, and sees what came of it", async () => {
    const seen = await onModel(async (client) => {
      const metadata: unknown[] = [];
      client.middlewareStack.add((next) => async (given) => {
        const result = await next({ ...given, input: { QueueUrl, MaxNumberOfMessages: 11 } });
        metadata.push(result.output.$metadata.httpStatusCode);
        return result;
      });
      const sent = client.send(new ReceiveMessageCommand({ QueueUrl }));
      const failed = await sent.catch((error: Error) => error.name);
      return [failed, metadata];
    });
    expect(seen).toEqual(["InvalidParameterValue", []]);
  });

  test("is told and removed as the library's", async () => {
    const library = new SQSClient({ region: "eu-central-1" });
    const acts = ({ middlewareStack: stack }: SQSClient): readonly unknown[] => [
      traced({ middlewareStack: stack }, []),
      messageOf(() => stack.add((next) => next, { name: "first" })).replace(/ with .*/, ""),
      stack.remove("late"),
      stack.remove("late"),
      stack.removeByTag("TRACE"),
      messageOf(() => stack.add((next) => next, { name: "second", override: true })),
    ];
    expect(await onModel((client) => Promise.resolve(acts(client)))).toEqual(acts(library));
  });

  test("of each attempt is refused by name", async () => {
    const told = await onModel((client) =>
      Promise.resolve(
        messageOf(() =>
          client.middlewareStack.add((next) => next, { step: "finalizeRequest", name: "mine" }),
        ),
      ),
    );
    expect(told).toBe('Not modelled: a middleware in the step "finalizeRequest"; see brokers.sqs');
  });
});
