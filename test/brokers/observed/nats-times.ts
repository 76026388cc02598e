import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import { type Observation, outcomeOf } from "./observation.ts";

type Config = Parameters<
  Awaited<ReturnType<NatsClient["jetstreamManager"]>>["consumers"]["add"]
>[1];

const invalid = (why: string): object => ({
  name: "JetStreamApiError",
  message: `invalid JSON: ${why}`,
  code: 10_025,
  status: 400,
});
const apiError = (code: number, message: string): object => ({
  name: "JetStreamApiError",
  ...{ message, code, status: 400 },
});
const LAYOUT = "2006-01-02T15:04:05Z07:00";
const ZONE = LAYOUT.slice("2006-01-02T15:04:05".length);
const other = (text: string, rest: string, word: string): object =>
  invalid(`parsing time "${text}" as "${LAYOUT}": cannot parse "${rest}" as "${word}"`);
const out = (text: string, unit: string): object =>
  invalid(`parsing time "${text}": ${unit} out of range`);

/** Times, and what comes of them: as the server writes them, or the error. */
const TIMES: Readonly<Record<string, unknown>> = {
  "2024-01-01T10:00:00Z": "2024-01-01T10:00:00Z",
  "2024-01-01T10:00:00.120Z": "2024-01-01T10:00:00.12Z",
  "2024-01-01T10:00:00,5Z": "2024-01-01T10:00:00.5Z",
  "2024-02-29T9:00:00Z": "2024-02-29T09:00:00Z",
  "2024-01-01": other("2024-01-01", "", "T"),
  "2024-01-01 10:00:00": other("2024-01-01 10:00:00", " 10:00:00", "T"),
  "2024-01-01T10:00:00": other("2024-01-01T10:00:00", "", ZONE),
  "2024-01-01T10:00:00+0200": other("2024-01-01T10:00:00+0200", "+0200", ZONE),
  "2024-01-01T10:00Z": other("2024-01-01T10:00Z", "Z", ":"),
  "2024-01-01T10:00:00z": other("2024-01-01T10:00:00z", "z", ZONE),
  "2024-01-01T10:00:00.Z": other("2024-01-01T10:00:00.Z", ".Z", ZONE),
  "2024-1-1T10:00:00Z": other("2024-1-1T10:00:00Z", "1-1T10:00:00Z", "01"),
  "1700000000": other("1700000000", "000000", "-"),
  yesterday: other("yesterday", "yesterday", "2006"),
  "": other("", "", "2006"),
  "2024-13-01T10:00:00Z": out("2024-13-01T10:00:00Z", "month"),
  "2023-02-29T10:00:00Z": out("2023-02-29T10:00:00Z", "day"),
  "2024-01-01T24:00:00Z": out("2024-01-01T24:00:00Z", "hour"),
  "2024-01-01T10:60:00Z": out("2024-01-01T10:60:00Z", "minute"),
  "2024-01-01T10:00:60Z": out("2024-01-01T10:00:60Z", "second"),
  "2024-01-01T10:00:00+25:00": out("2024-01-01T10:00:00+25:00", "time zone offset hour"),
  "2024-01-01T10:00:00Zx": invalid(`parsing time "2024-01-01T10:00:00Zx": extra text: "x"`),
};
const PLAIN = { durable_name: "own", ack_policy: "explicit" } as const;
const LONG = apiError(10_107, "consumer description is too long, maximum allowed is 4096");
const TAKEN = apiError(10_148, "consumer already exists");

/** What else a consumer is made with. */
export const NATS_TIMES: readonly Observation<NatsClient>[] = [
  {
    name: "the time from which a consumer reads, written as it may be, and as it may not",
    async play({ client }) {
      const { consumers } = await client.jetstreamManager();
      const seen: Record<string, unknown> = {};
      for (const [at, text] of Object.keys(TIMES).entries()) {
        const from = { deliver_policy: "by_start_time", opt_start_time: text } as const;
        seen[text] = await outcomeOf(async () => {
          const config = { ...PLAIN, durable_name: `own-${at}`, ...from };
          return (await consumers.add("ORDERS", config)).config.opt_start_time;
        });
      }
      return seen;
    },
    real: TIMES,
  },
  {
    name: "a description that is too long, and a backoff without a time",
    async play({ client }) {
      const { consumers } = await client.jetstreamManager();
      const made = (config: Config): Promise<unknown> =>
        outcomeOf(async () => (await consumers.add("ORDERS", config)).config.description?.length);
      return [
        await made({ ...PLAIN, description: "d".repeat(4_096) }),
        await made({ ...PLAIN, description: "ü".repeat(2_049) }),
        await made({ ...PLAIN, description: "d".repeat(5_000), ack_wait: -1 }),
        await outcomeOf(() => consumers.delete("ORDERS", "own")),
        await outcomeOf(async () => {
          const { config } = await consumers.add("ORDERS", { ...PLAIN, backoff: [] });
          return config.backoff ?? "none";
        }),
        await outcomeOf(async () => (await consumers.add("ORDERS", PLAIN)).name),
      ];
    },
    real: [
      4_096,
      LONG,
      apiError(10_183, "consumer ack wait needs to be positive"),
      true,
      "none",
      TAKEN,
    ],
  },
  {
    name: "a consumer is made or changed as the options say",
    async play({ client }) {
      const { consumers } = await client.jetstreamManager();
      const seen: unknown[] = [];
      for (const action of ["update", "create", "", "upsert"] as const) {
        const options = { action } as { readonly action: "create" };
        for (const ack_wait of [3_000_000_000, 4_000_000_000]) {
          const config = { ...PLAIN, ack_wait };
          const adding = (): Promise<{ readonly config: { readonly ack_wait?: unknown } }> =>
            consumers.add("ORDERS", config, options);
          seen.push(await outcomeOf(async () => (await adding()).config.ack_wait));
        }
      }
      const changed = { ...PLAIN, ack_wait: 5_000_000_000 };
      const changing = consumers.add("ORDERS", changed, { action: "update" });
      return [...seen, (await changing).config.ack_wait];
    },
    real: [
      apiError(10_149, "consumer does not exist"),
      apiError(10_149, "consumer does not exist"),
      3_000_000_000,
      TAKEN,
      3_000_000_000,
      TAKEN,
      invalid(`unknown consumer action: "upsert"`),
      invalid(`unknown consumer action: "upsert"`),
      5_000_000_000,
    ],
  },
];
