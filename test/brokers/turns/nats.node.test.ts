import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import type { NatsMessage } from "../../../sim/brokers/nats/message.ts";
import { nats } from "../../../sim/brokers/nats/model.ts";
import { type Actor, testTurns } from "./turns.ts";

type Client = Actor<NatsClient>;
type Consumer = Awaited<ReturnType<NatsClient["consumers"]["get"]>>;
type Messages = Awaited<ReturnType<Consumer["consume"]>>;

const PAUSES_MS = [0, 1, 20, 300, 1_100, 4_000, 12_000];
const CONSUMERS = ["triggerer", "triggerer", "triggerer", "own", "other"];
const SUBJECTS = ["orders.key-1", "orders.new", "dead.orders", "nobody"];

async function settle({ dice, call, note, pass }: Client, message: NatsMessage): Promise<void> {
  const { seq, subject, redelivered, info } = message;
  note("is given", [seq, subject, redelivered, info.deliveryCount, info.pending]);
  if (!dice.oneIn(3)) await pass(dice.from(PAUSES_MS.slice(0, 5)));
  switch (dice.below(9)) {
    case 0:
      return message.nak();
    case 1:
      return message.nak(dice.from([700, 3_000]));
    case 2:
      message.working();
      await pass(dice.from(PAUSES_MS));
      return message.ack();
    case 3:
      return message.term();
    case 4:
      return;
    case 5:
      await call("confirms", () => message.ackAck(dice.oneIn(2) ? {} : { timeout: 300 }));
      return;
    default:
      message.ack();
  }
}

/** Reads until the messages end, or leaves before. */
async function read(actor: Client, messages: Messages): Promise<void> {
  const { dice, note } = actor;
  const statuses = async (): Promise<void> => {
    for await (const status of messages.status()) note("status", status);
  };
  if (dice.oneIn(2)) void statuses();
  try {
    for await (const message of messages) {
      await settle(actor, message);
      if (dice.oneIn(12)) break;
    }
    note("all is read");
  } catch (error) {
    note("reading fails", String(error));
  }
}

async function work(actor: Client): Promise<void> {
  const { client, dice, call, note, publish, pass } = actor;
  let consumer: Consumer | undefined;
  const open: Messages[] = [];
  publish(4);
  for (;;) {
    await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(4) ? 7 : 5)));
    if (consumer === undefined || dice.oneIn(12)) {
      const name = dice.from(CONSUMERS);
      consumer = await call(`gets ${name}`, () => client.consumers.get("ORDERS", name));
      continue;
    }
    const chosen = consumer;
    const callback = (message: NatsMessage): void => void settle(actor, message);
    const expires = dice.from([1_000, 3_000, 9_000]);
    const limits = { max_messages: 1 + dice.below(6), expires };
    switch (dice.below(13)) {
      case 0: {
        const more = {
          ...(dice.oneIn(3) ? { threshold_messages: dice.below(3) } : {}),
          ...(dice.oneIn(3) ? { idle_heartbeat: 500 } : {}),
          ...(dice.oneIn(3) ? { abort_on_missing_resource: true } : {}),
          ...(dice.oneIn(3) ? { callback } : {}),
        };
        const messages = await call("consumes", () => chosen.consume({ ...limits, ...more }));
        if (messages === undefined) break;
        open.push(messages);
        if (!("callback" in more)) void read(actor, messages);
        break;
      }
      case 1: {
        const messages = await call("fetches", () => chosen.fetch(limits));
        if (messages !== undefined) await Promise.race([read(actor, messages), pass(9_000)]);
        break;
      }
      case 2:
      case 3: {
        const message = await chosen.next({ expires }).catch((error: unknown) => String(error));
        if (message === null || typeof message === "string") note("next", message);
        else await settle(actor, message);
        break;
      }
      case 4: {
        const messages = open.at(-1 - dice.below(2));
        const of = [messages?.getPending(), messages?.getReceived(), messages?.getProcessed()];
        note("has pending", of);
        break;
      }
      case 5: {
        const messages = open.shift();
        if (dice.oneIn(2)) messages?.stop();
        else await Promise.race([call("closes", () => messages?.close()), pass(9_000)]);
        break;
      }
      case 6:
      case 7: {
        const subject = dice.from(SUBJECTS);
        const options = {
          ...(dice.oneIn(3) ? { msgID: dice.from(["a", "b"]) } : {}),
          ...(dice.oneIn(4) ? { expect: { lastSequence: dice.below(6) } } : {}),
          ...(dice.oneIn(4) ? { retries: 2 } : {}),
          ...(dice.oneIn(4) ? { timeout: 500 } : {}),
        };
        await call(`publishes to ${subject}`, () => client.publish(subject, "x", options));
        break;
      }
      case 8:
        publish(dice.below(5), dice.from(["key-1", "key-2"]));
        break;
      case 9:
        await call("info", () => chosen.info(dice.oneIn(3)));
        break;
      default:
        await administer(actor);
    }
  }
}

async function administer({ client, dice, call }: Client): Promise<void> {
  const { streams, consumers } = await client.jetstreamManager();
  const name = dice.oneIn(16) ? "triggerer" : dice.from(CONSUMERS.slice(3));
  const stream = dice.from(["ORDERS", "ORDERS", "DEAD", "OWN"]);
  switch (dice.below(8)) {
    case 0:
    case 1:
      await call(`adds ${name}`, () =>
        consumers.add("ORDERS", {
          ...{ durable_name: name, ack_policy: dice.from(["explicit", "all", "none"]) },
          ...dice.from([{}, { ack_wait: 2e9 }, { backoff: [1e9, 3e9], max_deliver: 4 }]),
          ...dice.from([{}, { max_deliver: 2 }, { max_ack_pending: 2 }]),
          ...dice.from([{}, { filter_subject: "orders.*" }, { filter_subjects: ["orders.new"] }]),
          deliver_policy: dice.from(["all", "new", "last", "last_per_subject"]),
        }),
      );
      return;
    case 2:
      if (dice.oneIn(2)) await call(`deletes ${name}`, () => consumers.delete("ORDERS", name));
      return;
    case 3:
      await call("consumers", () => consumers.list("ORDERS").next());
      return;
    case 4:
      await call(`info of ${stream}`, () => streams.info(stream, { subjects_filter: ">" }));
      return;
    case 5:
      await call(`message of ${stream}`, () =>
        streams.getMessage(
          stream,
          dice.from([
            { seq: dice.below(9) },
            { seq: dice.below(4), next_by_subj: dice.from(["orders.*", "orders.new", ">"]) },
            { last_by_subj: dice.from(["orders.new", "orders.key-1"]) },
          ]),
        ),
      );
      return;
    case 6:
      await call("finds", () => streams.find(dice.from(SUBJECTS)));
      return;
    default:
      await call("adds a stream", () => streams.add({ name: "OWN", subjects: ["nobody"] }));
  }
}

testTurns({
  name: "nats",
  createWorld: (dice) => ({
    model: nats({
      ackPolicy: dice.from(["explicit", "explicit", "all"] as const),
      ackWaitMs: dice.from([2_000, 8_000]),
      maxAckPending: dice.from([3, 1_000]),
      maxDeliver: dice.from([-1, 3]),
    }),
    actors: { one: work, two: work },
  }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 30,
  untilMs: 80_000,
});
