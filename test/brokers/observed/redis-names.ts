import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import { type Observation, outcomeOf } from "./observation.ts";

const SOON_MS = 100;
const BLOCK_MS = 500;

/** What XSETID is told of a stream with the entries 1-0 and 2-0. */
const LAST_IDS: readonly (readonly [words: string, said: string])[] = [
  ["12-0 ENTRIESADDED x", "ERR value is not an integer or out of range"],
  ["12-0 ENTRIESADDED -1", "ERR entries_added must be positive"],
  [
    "12-0 MAXDELETEDID 13-0",
    "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id",
  ],
  ["12-0 MAXDELETEDID x", "ERR Invalid stream ID specified as stream command argument"],
  ["12-0 MAXDELETEDID", "ERR syntax error"],
  ["12-0 NOTHING 1", "ERR syntax error"],
  [
    "12-0 ENTRIESADDED 1",
    "ERR The entries_added specified in XSETID is smaller than the target stream length",
  ],
  ["12-0 MAXDELETEDID 0-0", "OK 12-0 0-0 2"],
  ["13-0 entriesadded 5 MAXDELETEDID 4-0", "OK 13-0 4-0 5"],
  ["3-0", "OK 3-0 4-0 5"],
  ["1-0", "ERR The ID specified in XSETID is smaller than the target stream top item"],
];

async function told(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    const { message, command } = error as Error & { readonly command?: { readonly name: string } };
    return [message, command?.name];
  }
}

/** Commands by names of one's own, and what becomes of a reader when its key gets another value. */
export const REDIS_NAMES: readonly Observation<RedisClient>[] = [
  {
    name: "what XSETID is told of a stream's past",
    async play({ client }) {
      await client.xadd("s", "1-0", "a", "1");
      await client.xadd("s", "2-0", "a", "1");
      const seen: unknown[] = [];
      for (const [words] of LAST_IDS) {
        const [id = "", ...options] = words.split(" ");
        const outcome = await outcomeOf(() => client.xsetid("s", id, ...options));
        const facts = (await client.xinfo("STREAM", "s")) as unknown[];
        const past = ["last-generated-id", "max-deleted-entry-id", "entries-added"].map((name) =>
          String(facts[facts.indexOf(name) + 1]),
        );
        seen.push(
          outcome === "OK" ? ["OK", ...past].join(" ") : (outcome as { message: string }).message,
        );
      }
      return seen;
    },
    real: LAST_IDS.map(([, said]) => said),
  },
  {
    name: "a command that is none, alone, in a pipeline and in a transaction",
    async play({ client }) {
      const long = "y".repeat(200);
      return [
        await told(() => client.call("Nothing", "x", long, "z")),
        await told(() => client.call("XADD", "s", "bad", "a", "1")),
        (await client.pipeline().call("nothing").exec()).map(([error]) => error?.message),
        await told(() => client.multi().call("nothing", 1).exec()),
      ];
    },
    real: [
      [
        `ERR unknown command 'Nothing', with args beginning with: 'x' '${"y".repeat(124)}' `,
        "Nothing",
      ],
      ["ERR Invalid stream ID specified as stream command argument", "XADD"],
      ["ERR unknown command 'nothing', with args beginning with: "],
      ["EXECABORT Transaction discarded because of previous errors.", "exec"],
    ],
  },
  {
    name: "readers that wait while another value takes the place of their stream",
    async play({ client, pass }) {
      const [ofGroup, plain] = [client.duplicate(), client.duplicate()];
      const replies = [
        told(() =>
          ofGroup.xreadgroup(
            ...["GROUP", "triggerer", "c", "BLOCK", BLOCK_MS, "STREAMS", "orders", ">"],
          ),
        ),
        told(() => plain.xread("BLOCK", BLOCK_MS, "STREAMS", "orders", "$")),
      ];
      await pass(SOON_MS);
      await client.set("orders", "text");
      const seen = await Promise.all(replies);
      ofGroup.disconnect();
      plain.disconnect();
      return seen;
    },
    real: [["UNBLOCKED the stream key no longer exists", "xreadgroup"], null],
  },
];
