import type {
  BatchResultErrorEntry,
  DeleteMessageBatchResult,
  Message,
  ReceiveMessageCommand,
  ReceiveMessageCommandOutput,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { expectTypeOf, test } from "vitest";
import type { SqsClient } from "../../sim/brokers/sqs/sqs-client.ts";
import type {
  SqsBatchError,
  SqsBatchResult,
  SqsMessage,
} from "../../sim/brokers/sqs/sqs-commands.ts";

test("a model client goes where a producer takes the SDK's", () => {
  expectTypeOf<SqsClient>().toExtend<Pick<SQSClient, "send" | "destroy">>();
});

test("a model client resolves a command with the SDK's own output", () => {
  const receive = (client: SqsClient, command: ReceiveMessageCommand) => client.send(command);
  expectTypeOf<ReturnType<typeof receive>>().toEqualTypeOf<Promise<ReceiveMessageCommandOutput>>();
});

test("the model's results have the SDK's fields", () => {
  expectTypeOf<SqsMessage>().toExtend<Message>();
  expectTypeOf<SqsBatchError>().toExtend<BatchResultErrorEntry>();
  expectTypeOf<SqsBatchResult>().toExtend<DeleteMessageBatchResult>();
});
