import {
  serviceBus,
  serviceBusSessions,
} from "../../../sim/brokers/service-bus/service-bus-broker.ts";
import type { ServiceBusClient } from "../../../sim/brokers/service-bus/service-bus-client.ts";
import { type Actor, testTurns } from "./turns.ts";

type Client = Actor<ServiceBusClient>;
type Receiver = ReturnType<ServiceBusClient["createReceiver"]>;
type Message = Awaited<ReturnType<Receiver["receiveMessages"]>>[number];

const PAUSES_MS = [0, 1, 20, 300, 1_100, 4_000, 12_000];

function noteMessage({ note }: Client, what: string, message: Message): void {
  const { messageId, deliveryCount, sessionId, state, body, lockedUntilUtc } = message;
  note(what, [messageId, deliveryCount, sessionId, state, body as unknown, lockedUntilUtc]);
}

async function settle(
  { dice, call }: Client,
  receiver: Receiver,
  message: Message,
  deferred: Message["sequenceNumber"][],
): Promise<void> {
  switch (dice.below(6)) {
    case 0:
    case 1:
      await call("completes", () => receiver.completeMessage(message));
      return;
    case 2:
      await call("abandons", () => receiver.abandonMessage(message));
      return;
    case 3:
      deferred.push(message.sequenceNumber);
      await call("defers", () => receiver.deferMessage(message));
      return;
    case 4: {
      const why = dice.from([{}, { deadLetterReason: "rejected" }]);
      await call("dead-letters", () => receiver.deadLetterMessage(message, why));
      return;
    }
    default:
      await call("renews", () => receiver.renewMessageLock(message));
  }
}

async function listen(actor: Client, receiver: Receiver): Promise<void> {
  const { dice, call, note, pass } = actor;
  const listening = await call("listens", () => {
    const made = receiver.subscribe(
      {
        processMessage: async (message) => {
          noteMessage(actor, "hears", message);
          await pass(dice.from(PAUSES_MS));
          if (dice.oneIn(4)) throw new Error("cannot handle this");
          if (dice.oneIn(4)) await settle(actor, receiver, message, []);
        },
        processError: async ({ error, errorSource }) => {
          note("is told", [String(error), errorSource]);
          if (dice.oneIn(3)) await pass(dice.from(PAUSES_MS));
        },
      },
      { maxConcurrentCalls: 1 + dice.below(3), autoCompleteMessages: !dice.oneIn(4) },
    );
    return { made, toJSON: () => "listening" };
  });
  await pass(dice.from(PAUSES_MS) * 2);
  if (listening === undefined) return;
  await Promise.race([call("stops listening", () => listening.made.close()), pass(9_000)]);
}

async function receive(actor: Client, receiver: Receiver): Promise<void> {
  const { dice, call, publish, pass } = actor;
  const held: Message[] = [];
  const deferred: Message["sequenceNumber"][] = [];
  for (let left = 4 + dice.below(16); left > 0; left -= 1) {
    await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(4) ? 7 : 5)));
    switch (dice.below(10)) {
      case 0:
      case 1:
      case 2: {
        const options = dice.from([{ maxWaitTimeInMs: 900 }, { maxWaitTimeInMs: 4_000 }]);
        const messages = await call("receives", () =>
          receiver.receiveMessages(1 + dice.below(3), options),
        );
        for (const message of messages ?? []) noteMessage(actor, "is given", message);
        held.push(...(messages ?? []));
        held.splice(0, held.length - 6);
        break;
      }
      case 3: {
        const again = await call("takes up", () =>
          receiver.receiveDeferredMessages(deferred.splice(0, 2)),
        );
        held.push(...(again ?? []));
        break;
      }
      case 4:
        publish(dice.below(4), dice.from(["key-1", "key-2", "key-3"]));
        break;
      case 5:
        if (dice.oneIn(2)) await listen(actor, receiver);
        break;
      default: {
        const message = held.at(-1 - dice.below(4));
        if (message !== undefined) await settle(actor, receiver, message, deferred);
      }
    }
  }
}

async function send({ client, dice, call }: Client): Promise<void> {
  const sender = client.createSender("orders-dead");
  const messages = [{ body: { ref: "ref-000002" } }, { body: "two", messageId: "a" }];
  await call("sends", () => sender.sendMessages(messages.slice(0, 1 + dice.below(2))));
  await call("the sender closes", () => sender.close());
}

async function work(actor: Client, hasSessions: boolean): Promise<void> {
  const { client, dice, call, note, publish, pass } = actor;
  publish(4);
  publish(2, "key-2");
  for (;;) {
    const options = dice.from([{}, { maxAutoLockRenewalDurationInMs: dice.from([0, 9_000]) }]);
    const receiver = await call<Receiver>("opens", async () => {
      if (!hasSessions) return client.createReceiver("orders", options);
      if (dice.oneIn(2)) return await client.acceptNextSession("orders", options);
      return await client.acceptSession("orders", dice.from(["key-1", "key-2"]), options);
    });
    if (dice.oneIn(4)) await send(actor);
    if (receiver !== undefined) {
      note("is open", receiver.isClosed);
      await receive(actor, receiver);
      await Promise.race([call("closes", () => receiver.close()), pass(9_000)]);
    }
    await pass(dice.from(PAUSES_MS));
  }
}

for (const hasSessions of [false, true]) {
  const act = (actor: Client): Promise<void> => work(actor, hasSessions);
  testTurns<ServiceBusClient>({
    name: hasSessions ? "service-bus-sessions" : "service-bus",
    createWorld: (dice) => {
      const options = {
        lockDurationSeconds: dice.from([5, 10]),
        maxDeliveryCount: dice.from([2, 4]),
      };
      return {
        model: hasSessions ? serviceBusSessions(options) : serviceBus(options),
        actors: { one: act, two: act },
      };
    },
    sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
    worlds: 12,
    untilMs: 60_000,
  });
}
