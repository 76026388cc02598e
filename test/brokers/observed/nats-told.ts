import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import { type Observation, outcomeOf } from "./observation.ts";

type Stage = Parameters<Observation<NatsClient>["play"]>[0];
type Manager = Awaited<ReturnType<NatsClient["jetstreamManager"]>>;
type Config = Parameters<Manager["consumers"]["add"]>[1];

/** Adds a consumer and changes it; returns what the change is answered with. */
async function changed({ client }: Stage, name: string, before: Config, change: Config) {
  const { consumers } = await client.jetstreamManager();
  await consumers.add("ORDERS", { durable_name: name, ack_policy: "explicit", ...before });
  return await outcomeOf(async () => {
    const { config } = await consumers.update("ORDERS", name, change);
    const { deliver_policy, ack_policy, ack_wait, max_ack_pending } = config;
    return [deliver_policy, ack_policy, ack_wait, max_ack_pending];
  });
}

function fixed(what: string): object {
  const message = `${what} can not be updated`;
  return { name: "JetStreamApiError", message, code: 10_012, status: 500 };
}

const FROM_SECOND: Config = { deliver_policy: "by_start_sequence", opt_start_seq: 2 };
const FROM_NEW_YEAR: Config = {
  deliver_policy: "by_start_time",
  opt_start_time: "2026-01-01T00:00:00Z",
};
const CHANGES: readonly (readonly [before: Config, change: Config])[] = [
  [{}, { deliver_policy: "new" }],
  [{ deliver_policy: "new" }, { deliver_policy: "new" }],
  [{ deliver_policy: "new" }, { deliver_policy: "all" }],
  [FROM_SECOND, { opt_start_seq: 3 }],
  [FROM_SECOND, { opt_start_seq: 2 }],
  [FROM_NEW_YEAR, { opt_start_time: "2026-02-01T00:00:00Z" }],
  [{}, { ack_policy: "none" }],
  [{ ack_wait: 7_000_000_000 }, { ack_wait: 0 }],
  [{ max_ack_pending: 7 }, { max_ack_pending: 0 }],
  [{}, { durable_name: "other" }],
];
const NO_PAYLOAD = { name: "TypeError", message: "payload types can be strings or Uint8Array" };
const PRESET = ["explicit", 30_000_000_000, 1_000] as const;

/** What changes a server takes, what it answers with, and what a reader is told of its consumer. */
export const NATS_TOLD: readonly Observation<NatsClient>[] = [
  {
    name: "what of a consumer can be updated, and what 0 stands for",
    async play(stage) {
      const told: unknown[] = [];
      for (const [at, [before, change]] of CHANGES.entries()) {
        told.push(await changed(stage, `changed-${at}`, before, change));
      }
      return told;
    },
    real: [
      ...[fixed("deliver policy"), ["new", ...PRESET], fixed("deliver policy")],
      ...[fixed("start sequence"), ["by_start_sequence", ...PRESET], fixed("start time")],
      ...[fixed("ack policy"), ["all", ...PRESET], ["all", ...PRESET]],
      {
        name: "JetStreamApiError",
        message: "consumer name in subject does not match durable name in request",
        ...{ code: 10_017, status: 400 },
      },
    ],
  },
  {
    name: "a stream that is added, also again, was created; nothing is not counted by subject",
    async play({ client }) {
      const { streams } = await client.jetstreamManager();
      const told: unknown[] = [];
      for (const messages of [0, 0, 1]) {
        if (messages > 0) await client.publish("told.a", "x");
        const { did_create, state } = await streams.add({ name: "TOLD", subjects: ["told.>"] });
        told.push([did_create, state.num_subjects, "num_subjects" in state]);
      }
      const info = await streams.info("TOLD", { subjects_filter: "nobody" });
      const all = await streams.info("TOLD", { subjects_filter: ">" });
      return [...told, "did_create" in info, "subjects" in info.state, all.state.subjects];
    },
    real: [
      ...[
        [true, undefined, false],
        [true, undefined, false],
        [true, 1, true],
      ],
      ...[false, false, { "told.a": 1 }],
    ],
  },
  {
    name: "null is no payload; headers are a text, too",
    async play({ client }) {
      const told: unknown[] = [];
      for (const payload of [null, undefined, true, 0, [], {}]) {
        told.push(
          await outcomeOf(async () => {
            await client.publish("orders.a", payload as string, { msgID: "one" });
            return "published";
          }),
        );
      }
      const { streams } = await client.jetstreamManager();
      const { header } = (await streams.getMessage("ORDERS", { seq: 1 })) ?? {};
      return [...told, String(header)];
    },
    real: [
      ...[NO_PAYLOAD, "published", NO_PAYLOAD, NO_PAYLOAD, NO_PAYLOAD, NO_PAYLOAD],
      "NATS/1.0\r\nNats-Msg-Id: one\r\n\r\n",
    ],
  },
  {
    name: "of a consumer that is deleted under a reader: heartbeats are missed, and it is looked for",
    async play({ client, pass }) {
      const { consumers } = await client.jetstreamManager();
      await consumers.add("ORDERS", { durable_name: "doomed", ack_policy: "explicit" });
      const consumer = await client.consumers.get("ORDERS", "doomed");
      const reader = await consumer.consume({ expires: 1_000, idle_heartbeat: 500 });
      const told: unknown[] = [];
      void (async () => {
        for await (const { type, ...facts } of reader.status()) {
          if (type === "heartbeats_missed" && "count" in facts) told.push([type, facts.count]);
          else if (["consumer_deleted", "consumer_not_found", "no_responders"].includes(type))
            told.push(type);
        }
      })();
      void (async () => {
        for await (const message of reader) message.ack();
      })();
      await pass(200);
      await consumers.delete("ORDERS", "doomed");
      await pass(5_000);
      reader.stop();
      return [told.slice(0, 3), told.includes("no_responders")];
    },
    real: [["consumer_deleted", ["heartbeats_missed", 2], "consumer_not_found"], false],
  },
  {
    name: "names of consumers and subjects of messages that are none, or no text",
    async play({ client }) {
      const { consumers } = await client.jetstreamManager();
      const seen: string[] = [];
      const note = async (call: () => Promise<unknown>): Promise<void> => {
        // The text of a TypeError is the runtime's own.
        seen.push(
          await call().then(
            () => "taken",
            (error: unknown) => (error instanceof TypeError ? error.name : String(error)),
          ),
        );
      };
      for (const name of ["a.b", "a b", "", undefined, null, 5]) {
        await note(() => consumers.info("ORDERS", name as string));
        await note(() => consumers.delete("ORDERS", name as string));
      }
      await note(() => consumers.info("or ders", "triggerer"));
      await note(() => consumers.delete("or ders", "triggerer"));
      for (const subject of [undefined, null, [], 5, true, ["orders.a"]]) {
        await note(() => client.publish(subject as unknown as string, "x"));
      }
      return seen;
    },
    real: [
      ...[
        "InvalidNameError: durable name ('a.b') cannot contain '.'",
        "InvalidNameError: durable name ('a b') cannot contain ' '",
        ...["Error: durable name required", "Error: durable name required"],
        ...["TypeError", "TypeError"],
        "InvalidNameError: stream name ('or ders') cannot contain ' '",
      ].flatMap((text) => [text, text]),
      ...Array.from({ length: 3 }, () => "InvalidSubjectError: illegal subject: ''"),
      ...Array.from({ length: 2 }, () => "JetStreamNotEnabled: jetstream is not enabled"),
      "taken",
    ],
  },
  {
    name: "an id of a message that is a number cannot be sent",
    // Each engine words it otherwise.
    play: async ({ client }) => {
      const msgID = 5 as unknown as string;
      const outcome = await outcomeOf(() => client.publish("orders.a", "x", { msgID }));
      return (outcome as { readonly name: string }).name;
    },
    real: "TypeError",
  },
];
