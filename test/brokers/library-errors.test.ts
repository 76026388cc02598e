import { describe, expect, test } from "vitest";
import { loadedModules } from "../../src/platform/mod.ts";
import { kafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { KafkaJSNumberOfRetriesExceeded } from "../../sim/brokers/kafka/kafka-errors.ts";
import {
  ConsumerNotFoundError,
  NoRespondersError,
  RequestError,
} from "../../sim/brokers/nats/errors.ts";
import { illegalOperation } from "../../sim/brokers/rabbitmq/amqp-error.ts";
import { MaxRetriesPerRequestError, ReplyError } from "../../sim/brokers/redis/reply-error.ts";
import { adoptLibraryClass } from "../../sim/brokers/library-errors.ts";
import { BrokerStage } from "./broker-stage.ts";

type Class = new (...args: never) => object;
type Errors = Readonly<Record<string, Class | undefined>>;

/** The chain of classes of an error, up to `Error`. */
function classesOf(error: object): string[] {
  const names: string[] = [];
  let at: object | null = Object.getPrototypeOf(error) as object | null;
  while (at !== null && at !== Error.prototype) {
    names.push((at.constructor as { readonly name: string }).name);
    at = Object.getPrototypeOf(at) as object | null;
  }
  return names;
}

describe("errors of a model, where the process has loaded the library", () => {
  test("kafkajs: what a consumer rejects with is an instance of the library's classes", async () => {
    const kafkajs = (await import("kafkajs")).default as unknown as Errors;
    const { KafkaJSError, KafkaJSNonRetriableError, KafkaJSProtocolError } = kafkajs;
    const error = await new BrokerStage(kafka({ partitions: 1 })).play(async (client) => {
      const consumer = client.consumer({ groupId: "group" });
      await consumer.connect();
      return consumer.commitOffsets([]).catch((caught: unknown) => caught as object);
    });
    expect(error).toBeInstanceOf(KafkaJSNonRetriableError as Class);
    expect(error).toBeInstanceOf(KafkaJSError as Class);
    expect(error).not.toBeInstanceOf(KafkaJSProtocolError as Class);
    expect(error).toMatchObject({ name: "KafkaJSNonRetriableError", retriable: false });
    const cause = new Error("no answer");
    const exceeded = new KafkaJSNumberOfRetriesExceeded(cause, { retryCount: 5, retryTime: 300 });
    expect(exceeded).toBeInstanceOf(kafkajs["KafkaJSNumberOfRetriesExceeded"] as Class);
    expect(exceeded).toMatchObject({ cause, retryCount: 5, message: "no answer" });
  });

  test("ioredis: a refused command, and one that got no reply", async () => {
    const ioredis = (await import("ioredis")).default as unknown as Errors;
    const error = new ReplyError("NOGROUP No such key");
    expect(error).toBeInstanceOf(ioredis["ReplyError"] as Class);
    expect(error.name).toBe("ReplyError");
    expect(Object.keys(error)).not.toContain("name");
    expect(classesOf(new MaxRetriesPerRequestError(20, undefined))).toEqual([
      "MaxRetriesPerRequestError",
      "AbortError",
      "RedisError",
    ]);
  });

  test("amqplib: a call on a closed channel", async () => {
    const { IllegalOperationError } = (await import("amqplib")).default as unknown as Errors;
    expect(illegalOperation("Channel closed")).toBeInstanceOf(IllegalOperationError as Class);
  });

  test("@nats-io: errors of the API and of requests", async () => {
    const { JetStreamApiError } = await import("@nats-io/jetstream");
    const missing = new ConsumerNotFoundError();
    expect(missing).toBeInstanceOf(JetStreamApiError);
    expect(classesOf(missing)).toEqual(["ConsumerNotFoundError", "JetStreamApiError"]);
    expect(missing).toMatchObject({ code: 10_014, status: 404, message: "consumer not found" });
    expect(missing.apiError()).toEqual({
      ...{ code: 404, err_code: 10_014, description: "consumer not found" },
    });
    const nobody = new RequestError(new NoRespondersError("orders"));
    expect(nobody.isNoResponders()).toBe(true);
    expect(Object.keys(nobody)).toContain("cause");
    expect(classesOf(nobody)).toEqual(["RequestError"]);
  });
});

describe("errors of a model, where the library is not loaded", () => {
  test("keep their names, and no library is loaded for them", () => {
    const error = new (class ThrottlingError extends Error {
      override readonly name = "ThrottlingError";
    })("slow down");
    adoptLibraryClass(error, "no-such-library", "ThrottlingError");
    expect(error).toMatchObject({ name: "ThrottlingError", message: "slow down" });
    expect(classesOf(error)).toEqual(["ThrottlingError"]);
    expect(loadedModules("/node_modules/no-such-library/")).toEqual([]);
  });

  test("a class of another package with the same name is not taken", async () => {
    await import("kafkajs");
    const error = new Error("mine");
    adoptLibraryClass(error, "kafka", "KafkaJSError");
    expect(classesOf(error)).toEqual([]);
  });

  test("what is no class of errors is not taken", async () => {
    await import("kafkajs");
    const error = new Error("mine");
    adoptLibraryClass(error, "kafkajs", "Kafka", "PartitionAssigners");
    expect(classesOf(error)).toEqual([]);
  });
});
