import type {
  GetRecordsCommand,
  GetRecordsCommandOutput,
  KinesisClient as SdkClient,
} from "@aws-sdk/client-kinesis";
import { expectTypeOf, test } from "vitest";
import type { KinesisClient } from "../../sim/brokers/kinesis/kinesis-client.ts";

/** The members by name that the library publishes, but for one that its constructor reads. */
type Missing<Library, Model> = Exclude<keyof Library & string, keyof Model | "initConfig">;

test("a model client goes where a producer takes the SDK's", () => {
  expectTypeOf<KinesisClient>().toExtend<Pick<SdkClient, "send" | "destroy">>();
  expectTypeOf<Missing<SdkClient, KinesisClient>>().toEqualTypeOf<never>();
});

test("a model client resolves a command with the SDK's own output", () => {
  const read = (client: KinesisClient, command: GetRecordsCommand) => client.send(command);
  expectTypeOf<ReturnType<typeof read>>().toEqualTypeOf<Promise<GetRecordsCommandOutput>>();
});
