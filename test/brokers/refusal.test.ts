import { KmsAccessDenied, SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import type { Broker, BrokerModel } from "../../sim/brokers/broker.ts";
import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import { pubsub } from "../../sim/brokers/pubsub/pubsub-broker.ts";
import { rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import { redis } from "../../sim/brokers/redis/model.ts";
import { sqs } from "../../sim/brokers/sqs/sqs-broker.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const LONGER_THAN_A_REFUSAL_MS = 10_000;
const BODY = '{"ref":"ref-000001"}';
const bytes = new TextEncoder().encode(BODY);

function disturb(broker: Broker<unknown>, name: string): void {
  const found = broker.disturbances.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No disturbance "${name}"`);
  found.strike();
}

/** The error with which a dead letter is refused; then it is sent again, after the refusal. */
async function refusalOf<Client>(
  model: BrokerModel<Client>,
  disturbance: string,
  send: (client: Client) => Promise<unknown>,
): Promise<unknown> {
  const stage = new BrokerStage(model);
  stage.publish(1);
  const error = await stage.play(async (client, life) => {
    disturb(stage.broker, disturbance);
    const refused = await send(client).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual([]);
    await pass(life, LONGER_THAN_A_REFUSAL_MS);
    await send(client);
    return refused;
  });
  expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
  return error;
}

test("SQS refuses a dead letter for a missing right, with the SDK's own class", async () => {
  const error = await refusalOf(sqs(), "other queues refuse what is sent", (client) =>
    client.send(new SendMessageCommand({ QueueUrl: "https://x/dead", MessageBody: BODY })),
  );
  expect(error).toMatchObject({ name: "KmsAccessDenied", $fault: "client" });
  expect(error).toBeInstanceOf(KmsAccessDenied);
});

test("Pub/Sub refuses a dead letter for a missing right, with its status", async () => {
  const error = await refusalOf(pubsub(), "other topics refuse what is sent", (client) =>
    client.topic("dead").publishMessage({ data: bytes }),
  );
  expect(error).toMatchObject({ code: 7, message: expect.stringContaining("7 ") as string });
});

test("Redis refuses an entry when its memory is used up", async () => {
  const error = await refusalOf(redis(), "the memory is used up", (client) =>
    client.xadd("dead", "*", "body", BODY),
  );
  expect(error).toMatchObject({
    name: "ReplyError",
    message: expect.stringMatching(/^OOM /) as string,
  });
});

test("Redis keeps none of several strings when its memory is used up", async () => {
  const stage = new BrokerStage(redis());
  const [refused, kept] = await stage.play(async (client) => {
    disturb(stage.broker, "the memory is used up");
    const error: unknown = await client.mset("a", "1").catch((thrown: unknown) => thrown);
    return [error, await client.mget("a")];
  });
  expect(refused).toMatchObject({ message: expect.stringMatching(/^OOM /) as string });
  expect(kept).toEqual([null]);
});

test("Kinesis refuses a record when its stream is throttled", async () => {
  const error = await refusalOf(kinesis(), "other streams are throttled", (client) =>
    client.putRecord({ streamName: "dead", partitionKey: "1", data: BODY }),
  );
  expect(error).toMatchObject({ name: "ProvisionedThroughputExceededException" });
});

test("Kinesis refuses some of several records, and the request succeeds", async () => {
  const stage = new BrokerStage(kinesis());
  stage.publish(4);
  const records = [1, 2, 3, 4].map((n) => ({ partitionKey: "1", data: `{"ref":"ref-00000${n}"}` }));
  const { throttled, calm } = await stage.play(async (client, life) => {
    disturb(stage.broker, "other streams are throttled");
    const refused = await client.putRecords({ streamName: "dead", records });
    await pass(life, LONGER_THAN_A_REFUSAL_MS);
    const again = records.filter((_, at) => "errorCode" in (refused.records[at] ?? {}));
    const accepted = await client.putRecords({ streamName: "dead", records: again });
    return { throttled: refused, calm: accepted };
  });
  expect(throttled.failedRecordCount).toBe(2);
  const refusal = { errorCode: "ProvisionedThroughputExceededException" };
  const stored = { sequenceNumber: expect.any(String) as string };
  expect(throttled.records).toMatchObject([refusal, stored, refusal, stored]);
  expect(calm).toMatchObject({ failedRecordCount: 0, records: [stored, stored] });
  const refs = stage.told("dead-lettered", ({ ref }) => ref);
  expect(refs).toEqual(["ref-000002", "ref-000004", "ref-000001", "ref-000003"]);
});

test("Kinesis never throttles the stream that it is read from", async () => {
  const stage = new BrokerStage(kinesis());
  const records = [{ partitionKey: "1", data: BODY }];
  const output = await stage.play(async (client) => {
    disturb(stage.broker, "other streams are throttled");
    return await client.putRecords({ streamName: "orders", records });
  });
  expect(output.failedRecordCount).toBe(0);
});

test("Kinesis takes 1 to 500 records in one request", async () => {
  const put = (count: number): Promise<unknown> => {
    const record = { partitionKey: "1", data: new TextEncoder().encode(BODY) };
    const records = Array.from({ length: count }, () => record);
    return new BrokerStage(kinesis()).play(async (client) => {
      const output = client.putRecords({ streamName: "dead", records });
      return await output.then(
        (put) => put.records.length,
        (error: unknown) => (error as Error).name,
      );
    });
  };
  expect(await put(0)).toBe("ValidationException");
  expect(await put(1)).toBe(1);
  expect(await put(500)).toBe(500);
  expect(await put(501)).toBe("ValidationException");
});

test("RabbitMQ nacks what a full queue does not take, to callback and waiting", async () => {
  const told: string[] = [];
  const error = await refusalOf(rabbitmq(), "other queues are full", async (client) => {
    const connection = await client.connect("amqp://localhost");
    const channel = await connection.createConfirmChannel();
    channel.publish("orders.dead", "", Buffer.from(bytes), { persistent: true }, (nacked) => {
      told.push(nacked?.message ?? "confirmed");
    });
    await channel.waitForConfirms();
  });
  expect(error).toMatchObject({ message: "message nacked" });
  expect(told).toEqual(["message nacked", "confirmed"]);
});
