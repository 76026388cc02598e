import type { ServiceBusClient } from "../../../sim/brokers/service-bus/service-bus-client.ts";
import {
  serviceBus,
  serviceBusSessions,
} from "../../../sim/brokers/service-bus/service-bus-broker.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<ServiceBusClient>;
type Receiver = ReturnType<ServiceBusClient["createReceiver"]>;
type Message = Awaited<ReturnType<Receiver["receiveMessages"]>>[number];

const seen = ({
  messageId,
  deliveryCount,
  sessionId,
  state,
  body,
}: Message): readonly unknown[] => [...[messageId, deliveryCount, sessionId, state, body]];

/** Settles each message in another way; returns those that were deferred. */
async function settle({ call, pass }: Stage, receiver: Receiver, message: Message, nth: number) {
  if (nth % 6 === 0) await call("completes", () => receiver.completeMessage(message));
  if (nth % 6 === 1) await call("abandons", () => receiver.abandonMessage(message));
  if (nth % 6 === 2) await call("defers", () => receiver.deferMessage(message));
  if (nth % 6 === 3) {
    const why = { deadLetterReason: "rejected" };
    await call("dead-letters", () => receiver.deadLetterMessage(message, why));
  }
  if (nth % 6 === 4) {
    await call("renews", () => receiver.renewMessageLock(message));
    await pass(8_000);
    await call("completes late", () => receiver.completeMessage(message));
  }
}

async function receive(stage: Stage, receiver: Receiver, rounds: number): Promise<void> {
  const { note, call } = stage;
  let nth = 0;
  const deferred: Message["sequenceNumber"][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const options = { maxWaitTimeInMs: 3_000 };
    const messages = await call("receives", () => receiver.receiveMessages(3, options));
    for (const message of messages ?? []) {
      note("is given", seen(message));
      if (nth % 6 === 2) deferred.push(message.sequenceNumber);
      await settle(stage, receiver, message, nth);
      nth += 1;
    }
  }
  const again = await call("takes up", () => receiver.receiveDeferredMessages(deferred));
  for (const message of again ?? []) {
    await call("completes it", () => receiver.completeMessage(message));
  }
}

async function listen(stage: Stage, receiver: Receiver): Promise<{ close(): Promise<void> }> {
  const { note, pass } = stage;
  return await Promise.resolve(
    receiver.subscribe(
      {
        processMessage: async (message) => {
          note("hears", seen(message));
          await pass(700);
          if (message.deliveryCount === 0) throw new Error("cannot handle this");
        },
        processError: async ({ error, errorSource }) =>
          note("is told", [String(error), errorSource]),
      },
      { maxConcurrentCalls: 2 },
    ),
  );
}

async function send({ client, call }: Stage): Promise<void> {
  const sender = client.createSender("orders-dead");
  await call("sends", () => sender.sendMessages({ body: { ref: "ref-000002" } }));
  await call("sends two", () => sender.sendMessages([{ body: "one" }, { body: "two" }]));
  await call("the sender closes", () => sender.close());
}

async function workWithoutSessions(stage: Stage): Promise<void> {
  const { client, publish, pass, call } = stage;
  publish(8);
  const receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 30_000 });
  await receive(stage, receiver, 4);
  await call("the receiver closes", () => receiver.close());
  await send(stage);
  const other = client.createReceiver("orders");
  publish(3, "key-2");
  const listening = await listen(stage, other);
  await pass(15_000);
  publish(2);
  await pass(15_000);
  await call("stops", () => listening.close());
  await call("closes", () => client.close());
}

async function workWithSessions(stage: Stage): Promise<void> {
  const { client, publish, pass, call, note } = stage;
  publish(4);
  publish(3, "key-2");
  for (const asked of ["key-1", "", ""]) {
    const options = { maxAutoLockRenewalDurationInMs: 30_000 };
    const receiver = await call(`accepts ${asked}`, () =>
      asked === ""
        ? client.acceptNextSession("orders", options)
        : client.acceptSession("orders", asked, options),
    );
    note("session", receiver?.sessionId ?? "none");
    if (receiver === undefined) continue;
    await receive(stage, receiver, 3);
    await call("renews the session", () => receiver.renewSessionLock());
    await pass(5_000);
    await call("the receiver closes", () => receiver.close());
  }
  await send(stage);
  await call("closes", () => client.close());
}

const sites = ["broker.session", "broker.fetch", "broker.settle", "broker.produce"] as const;
const options = { lockDurationSeconds: 10, maxDeliveryCount: 3 };
testTroubles({
  ...{ name: "service-bus", createModel: () => serviceBus(options), sites },
  work: workWithoutSessions,
});
testTroubles({
  ...{ name: "service-bus-sessions", createModel: () => serviceBusSessions(options), sites },
  work: workWithSessions,
});
