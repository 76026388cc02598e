import { isServiceBusError } from "@azure/service-bus";
import { describe, expect, test } from "vitest";
import {
  serviceBus,
  serviceBusSessions,
} from "../../sim/brokers/service-bus/service-bus-broker.ts";
import type { ServiceBusMessage } from "../../sim/brokers/service-bus/service-bus-message.ts";
import { BrokerStage, pass } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

const UNRENEWED = { maxAutoLockRenewalDurationInMs: 0 };

/** The code of what a call rejects with, or its message when it has none. */
async function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "taken",
    (error: unknown) => {
      if (error instanceof Error && "code" in error) return String(error.code);
      return (error as Error).message;
    },
  );
}

describe("a receiver", () => {
  test("locks what it receives, and settles it once", async () => {
    const stage = new BrokerStage(serviceBus());
    stage.publish(2);
    const seen = await stage.play(async (client) => {
      const receiver = client.createReceiver("orders");
      const [first, second] = await receiver.receiveMessages(10);
      const more = await receiver.receiveMessages(10, { maxWaitTimeInMs: 1_000 });
      await receiver.completeMessage(first as ServiceBusMessage);
      const twice = receiver.completeMessage(first as ServiceBusMessage);
      const isTheLibrarys = await twice.catch((error: unknown) => isServiceBusError(error));
      await receiver.deadLetterMessage(second as ServiceBusMessage, { deadLetterReason: "no" });
      return { body: first?.body, count: first?.deliveryCount, more, isTheLibrarys };
    });
    expect(seen).toEqual({
      body: { ref: "ref-000001", key: "key-1" },
      count: 0,
      more: [],
      isTheLibrarys: true,
    });
    expect(stage.broker.owed()).toEqual([]);
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000002"]);
    expect(stage.told("settle", ({ act, refused }) => `${act} ${refused}`)).toEqual([
      "ack ",
      "ack MessageLockLost",
      "terminate ",
    ]);
  });

  test("renews locks by itself, or leaves it to its user, or does not", async () => {
    const stage = new BrokerStage(serviceBus({ lockDurationSeconds: 10 }));
    stage.publish(3);
    const seen = await stage.play(async (client, life) => {
      const renewing = client.createReceiver("orders");
      const idle = client.createReceiver("orders", UNRENEWED);
      const [kept] = await renewing.receiveMessages(1);
      const [lost, renewed] = await idle.receiveMessages(2);
      const before = renewed?.lockedUntilUtc;
      await pass(life, 8_000);
      const until = await idle.renewMessageLock(renewed as ServiceBusMessage);
      await pass(life, 8_000);
      return {
        kept: await refusal(renewing.completeMessage(kept as ServiceBusMessage)),
        lost: await refusal(idle.completeMessage(lost as ServiceBusMessage)),
        renewed: await refusal(idle.completeMessage(renewed as ServiceBusMessage)),
        movedMs: until.getTime() - (before?.getTime() ?? 0) >= 8_000,
        late: await refusal(idle.renewMessageLock(lost as ServiceBusMessage)),
      };
    });
    expect(seen).toEqual({
      kept: "taken",
      lost: "MessageLockLost",
      renewed: "taken",
      movedMs: true,
      late: "MessageLockLost",
    });
  });

  test("stops renewing at its maximum", async () => {
    const stage = new BrokerStage(serviceBus({ lockDurationSeconds: 10 }));
    stage.publish(1);
    await stage.play(async (client, life) => {
      const receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 30_000 });
      await receiver.receiveMessages(1);
      await pass(life, 60_000);
    });
    expect(stage.told("lapsed", ({ at }) => String(at > 30_000 && at < 50_000))).toEqual(["true"]);
  });

  test("counts what was abandoned, and at the maximum the queue dead-letters it", async () => {
    const stage = new BrokerStage(serviceBus({ maxDeliveryCount: 2 }));
    stage.publish(1);
    const counts = await stage.play(async (client) => {
      const receiver = client.createReceiver("orders");
      const seen: (number | undefined)[] = [];
      for (let n = 0; n < 2; n += 1) {
        const [message] = await receiver.receiveMessages(1);
        seen.push(message?.deliveryCount);
        await receiver.abandonMessage(message as ServiceBusMessage);
      }
      return seen;
    });
    expect(counts).toEqual([0, 1]);
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
    expect(stage.broker.owed()).toEqual([]);
  });

  test("defers a message until it is requested by its sequence number", async () => {
    const stage = new BrokerStage(serviceBus());
    stage.publish(1);
    const seen = await stage.play(async (client) => {
      const receiver = client.createReceiver("orders");
      const [message] = await receiver.receiveMessages(1);
      const { sequenceNumber } = message as ServiceBusMessage;
      const early = await refusal(receiver.receiveDeferredMessages(sequenceNumber));
      await receiver.deferMessage(message as ServiceBusMessage);
      const none = await receiver.receiveMessages(1, { maxWaitTimeInMs: 1_000 });
      const [again] = await receiver.receiveDeferredMessages([sequenceNumber]);
      await receiver.completeMessage(again as ServiceBusMessage);
      return { early, none, state: again?.state, count: again?.deliveryCount };
    });
    expect(seen).toEqual({ early: "MessageNotFound", none: [], state: "deferred", count: 0 });
    expect(stage.broker.owed()).toEqual([]);
  });

  test("that is closed refuses everything, and what it held comes when its lock ends", async () => {
    const stage = new BrokerStage(serviceBus());
    stage.publish(1);
    const seen = await stage.play(async (client, life) => {
      const receiver = client.createReceiver("orders");
      const open = stage.links[0]?.open();
      const [message] = await receiver.receiveMessages(1);
      const waiting = receiver.receiveMessages(1);
      const busy = await refusal(receiver.receiveMessages(1));
      await receiver.close();
      const after = await refusal(receiver.completeMessage(message as ServiceBusMessage));
      const other = client.createReceiver("orders");
      const soon = await other.receiveMessages(1, { maxWaitTimeInMs: 5_000 });
      await pass(life, 30_000);
      const [again] = await other.receiveMessages(1);
      await client.close();
      return {
        open,
        waited: await waiting,
        busy,
        after,
        soon,
        count: again?.deliveryCount,
        left: stage.links[0]?.open(),
      };
    });
    expect(seen).toEqual({
      open: ["a receiver of orders"],
      waited: [],
      busy: 'The receiver for "orders" is already receiving messages.',
      after: 'The receiver for "orders" has been closed and can no longer be used.',
      soon: [],
      count: 1,
      left: [],
    });
  });

  test("ends its waiting when its signal aborts", async () => {
    const stage = new BrokerStage(serviceBus());
    const name = await stage.play(async (client, life) => {
      const stop = new AbortController();
      life.after(500, () => stop.abort());
      const waiting = client
        .createReceiver("orders")
        .receiveMessages(1, { abortSignal: stop.signal });
      return waiting.catch((error: unknown) => (error as Error).name);
    });
    expect(name).toBe("AbortError");
  });

  test("pumps messages to a handler: completes them, or abandons and reports", async () => {
    const stage = new BrokerStage(serviceBus());
    stage.publish(3);
    const seen = await stage.play(async (client, life) => {
      const log: string[] = [];
      const pump = client.createReceiver("orders").subscribe({
        processMessage: async ({ body, deliveryCount }) => {
          log.push(`${body.ref} ${deliveryCount}`);
          await pass(life, 100);
          if (body.ref === "ref-000002" && deliveryCount === 0) throw new Error("not now");
        },
        processError: ({ error, errorSource }) => {
          log.push(`${errorSource}: ${error.message}`);
          return Promise.resolve();
        },
      });
      await pass(life, 3_000);
      await pump.close();
      return log;
    });
    expect(seen).toEqual([
      "ref-000001 0",
      "ref-000002 0",
      "processMessageCallback: not now",
      "ref-000002 1",
      "ref-000003 0",
    ]);
    expect(stage.broker.owed()).toEqual([]);
  });
});

describe("a session", () => {
  test.each(["its client is closed", "its caller aborts"])(
    "that is waited for is given up at once when %s",
    async (how) => {
      const stage = new BrokerStage(serviceBusSessions());
      const seen = await stage.play(async (client, life) => {
        const ending = new AbortController();
        const accepting = refusal(
          client.acceptNextSession("orders", { abortSignal: ending.signal }),
        );
        await pass(life, 1_000);
        if (how === "its caller aborts") ending.abort();
        else await client.close();
        const outcome = await accepting;
        return { outcome, at: Math.floor(life.world.now / 1_000), open: stage.links[0]?.open() };
      });
      expect(seen).toEqual({ outcome: "The operation was aborted.", at: 1, open: [] });
    },
  );

  test("is accepted by one receiver at a time, and read in order", async () => {
    const stage = new BrokerStage(serviceBusSessions());
    stage.publish(2, "key-1");
    stage.publish(1, "key-2");
    const seen = await stage.play(async (client) => {
      const first = await client.acceptNextSession("orders");
      const second = await client.acceptNextSession("orders");
      const taken = await refusal(client.acceptSession("orders", "key-1"));
      const none = await refusal(client.acceptNextSession("orders"));
      const messages = await first.receiveMessages(10);
      await first.close();
      const again = await client.acceptSession("orders", "key-1");
      const [head] = await again.receiveMessages(1);
      return {
        sessions: [first.sessionId, second.sessionId],
        taken,
        none,
        refs: messages.map(({ body, sessionId }) => `${body.ref} ${sessionId}`),
        head: `${head?.body.ref} ${head?.deliveryCount}`,
        open: stage.links[0]?.open(),
      };
    });
    expect(seen).toEqual({
      sessions: ["key-1", "key-2"],
      taken: "SessionCannotBeLocked",
      none: "ServiceTimeout",
      refs: ["ref-000001 key-1", "ref-000002 key-1"],
      head: "ref-000001 0",
      open: ["the session key-2", "the session key-1"],
    });
  });

  test("whose lock ends voids all its deliveries", async () => {
    const stage = new BrokerStage(serviceBusSessions({ lockDurationSeconds: 10 }));
    stage.publish(2, "key-1");
    const seen = await stage.play(async (client, life) => {
      const session = await client.acceptNextSession("orders", UNRENEWED);
      const [message] = await session.receiveMessages(2);
      await pass(life, 8_000);
      const until = await session.renewSessionLock();
      await pass(life, 8_000);
      const isHeld = session.sessionLockedUntilUtc.getTime() === until.getTime();
      await pass(life, 4_000);
      return [
        isHeld,
        await refusal(session.completeMessage(message as ServiceBusMessage)),
        await refusal(session.receiveMessages(1)),
        await refusal(session.renewSessionLock()),
      ];
    });
    expect(seen).toEqual([true, "SessionLockLost", "SessionLockLost", "SessionLockLost"]);
    expect(stage.told("lapsed", ({ ref }) => ref)).toEqual(["ref-000001", "ref-000002"]);
  });

  test("is renewed in time when its acceptance was long on its way", async () => {
    const stage = new BrokerStage(serviceBusSessions());
    stage.publish(1, "key-1");
    stage.strike("broker.session", { kind: "drop", what: "reply" });
    const outcome = await stage.play(async (client, life) => {
      const session = await client.acceptNextSession("orders");
      const [message] = await session.receiveMessages(1);
      await pass(life, 60_000);
      return refusal(session.completeMessage(message as ServiceBusMessage));
    });
    expect(outcome).toBe("taken");
  });

  test("is what its queue asks for, and a plain receiver is refused", async () => {
    const stage = new BrokerStage(serviceBusSessions());
    const error = await stage.play((client) =>
      refusal(Promise.resolve().then(() => client.createReceiver("orders"))),
    );
    expect(error).toContain("without a session");
  });
});

test("a service that moves the queue loses all locks, which is not the client's fault", async () => {
  const stage = new BrokerStage(serviceBus());
  stage.publish(1);
  const outcome = await stage.play(async (client) => {
    const receiver = client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    stage.broker.disturbances.find(({ name }) => name.includes("moves"))?.strike();
    return refusal(receiver.completeMessage(message as ServiceBusMessage));
  });
  expect(outcome).toBe("MessageLockLost");
  expect(stage.told("lapsed", ({ ref }) => ref)).toEqual([]);
});

test("a sender keeps dead letters, and the network fails in the library's words", async () => {
  const stage = new BrokerStage(serviceBus());
  stage.publish(1);
  const codes = await stage.play(async (client) => {
    const sender = client.createSender("dead");
    await sender.sendMessages([{ body: { of: "ref-000001" } }]);
    stage.strike("broker.produce", { kind: "fail", when: "before" }, 1, 3);
    stage.strike("broker.fetch", { kind: "drop", what: "request" }, 1, 3);
    return [
      await refusal(sender.sendMessages({ body: "x" })),
      await refusal(client.createReceiver("orders").receiveMessages(1)),
    ];
  });
  expect(codes).toEqual(["ServiceCommunicationProblem", "ServiceTimeout"]);
  expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
});

test("what the model does not have is refused by name, options that it would ignore too", async () => {
  const stage = new BrokerStage(serviceBus());
  stage.publish(1);
  const seen = await stage.play(async (client) => {
    const receiver = client.createReceiver("orders");
    const sender = client.createSender("dead");
    const [message] = await receiver.receiveMessages(1);
    const { lockToken = "" } = message ?? {};
    const calls: (() => unknown)[] = [
      () => client.createRuleManager("orders", "all"),
      () => client.createReceiver("orders", { skipParsingBodyAsJson: true } as object),
      () => receiver.peekMessages(1),
      () => receiver.setSessionState({}),
      () => receiver.receiveMessages(1, { tracingOptions: {} } as object),
      () => receiver.abandonMessage({ lockToken }, { tried: 1 }),
      () => sender.createMessageBatch(),
      () => sender.scheduleMessages({ body: "later" }, 0),
      () => sender.sendMessages({ body: "late", timeToLive: 1_000 } as { body: string }),
      () => message?._rawAmqpMessage,
    ];
    return Promise.all(calls.map(async (call) => outcomeOf(call)));
  });
  const what = [
    "ServiceBusClient.createRuleManager()",
    "createReceiver() with skipParsingBodyAsJson",
    "receiver.peekMessages()",
    "receiver.setSessionState()",
    "receiveMessages() with tracingOptions",
    "abandonMessage() with tried",
    "sender.createMessageBatch()",
    "sender.scheduleMessages()",
    "sendMessages() with timeToLive",
    "message._rawAmqpMessage",
  ];
  const refused = what.map((one) => `Not modelled: ${one}; see brokers.serviceBus`);
  expect(seen).toEqual(refused.map((message) => ({ name: "NotModelled", message })));
});

test("receivers of subscriptions, identifiers and closed senders are as the library's", async () => {
  const stage = new BrokerStage(serviceBusSessions());
  stage.publish(1);
  const seen = await stage.play(async (client) => {
    const receiver = await client.acceptSession("topic", "all", "key-1", { identifier: "mine" });
    const [message] = await receiver.receiveMessages(1);
    const { entityPath, identifier, sessionId } = receiver;
    const sender = client.createSender("dead", { identifier: "sender" });
    await sender.close();
    const late = await outcomeOf(() => sender.sendMessages({ body: "late" }));
    const names = [entityPath, identifier, sessionId, sender.identifier];
    return [...names, sender.isClosed, message?.messageId, late];
  });
  const message = 'The sender for "dead" has been closed and can no longer be used.';
  expect(seen).toEqual([
    ...["topic/Subscriptions/all", "mine", "key-1", "sender", true, "message-1"],
    { name: "Error", message },
  ]);
});
