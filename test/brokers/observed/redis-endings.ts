import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import { BROKER_CRASHES, type Observation, outcomeOf } from "./observation.ts";

const EVENTS = ["connect", "ready", "close", "end"];
const CLOSED = { name: "Error", message: "Connection is closed." };
/** Longer than it takes until a read waits, or a connection is made or closed. */
const MEANWHILE_MS = 60;

const READ = ["BLOCK", "0", "STREAMS", "other", "$"];

function aborted(name: string, args: readonly string[]): readonly unknown[] {
  return ["AbortError", "Command aborted due to connection close", { name, args }];
}

/** Notes each event with what the connection says of itself at that. */
function toldBy(client: RedisClient): string[] {
  const told: string[] = [];
  for (const event of EVENTS) client.on(event, () => void told.push(`${event}: ${client.status}`));
  return told;
}

/** How connections end, and what is on its way then; reads of several streams. */
export const REDIS_ENDINGS: readonly Observation<RedisClient>[] = [
  {
    name: "a user who may not read groups any more gets what a read waits for, and no more",
    async play({ client, pass, publish, operate }) {
      const reader = client.duplicate();
      const groupRead = [
        "GROUP",
        "triggerer",
        "c",
        "BLOCK",
        2_000,
        "STREAMS",
        "orders",
        ">",
      ] as const;
      const waiting = outcomeOf(() => reader.xreadgroup(...groupRead));
      await pass(MEANWHILE_MS);
      await operate("the user may not read groups for a while");
      await publish(1);
      const [[, entries]] = (await waiting) as [[string, [string, string[]][]]];
      const [id, fields] = entries[0] ?? ["", []];
      const refused = [
        await outcomeOf(() => reader.xreadgroup(...groupRead)),
        await outcomeOf(() => client.xack("orders", "triggerer", id)),
        await outcomeOf(() => client.xclaim("orders", "triggerer", "c", 0, id)),
        await outcomeOf(() => client.xautoclaim("orders", "triggerer", "c", 0, "0")),
      ];
      const summary = (await client.xpending("orders", "triggerer")) as readonly unknown[];
      reader.disconnect();
      return [fields, refused, summary[0], typeof (await client.xadd("orders:dead", "*", "a", 1))];
    },
    real: [
      ["ref", "ref-000001", "key", "key-1"],
      ["xreadgroup", "xack", "xclaim", "xautoclaim"].map((command) => ({
        name: "ReplyError",
        message: `NOPERM this user has no permissions to run the '${command}' command`,
      })),
      1,
      "string",
    ],
  },
  {
    name: "a transaction with a command that its user may not run is discarded",
    async play({ client, operate }) {
      await operate("the user may not read groups for a while");
      const multi = client.multi().call("xadd", "k", "1-1", "a", "1");
      const outcome = await outcomeOf(() => multi.call("xack", "orders", "g", "1-0").exec());
      return [outcome, await client.xlen("k")];
    },
    real: [
      {
        name: "ReplyError",
        message: "EXECABORT Transaction discarded because of previous errors.",
      },
      0,
    ],
  },
  {
    name: "what is behind a blocking read is lost with its connection",
    async play({ client, pass }) {
      const other = client.duplicate();
      await other.ping();
      const calls = [
        outcomeOf(() => other.xread("BLOCK", 0, "STREAMS", "orders", "$")),
        outcomeOf(() => other.xadd("orders", "5-0", "a", 1)),
        outcomeOf(() => other.multi([["xadd", "orders", "6-0", "a", 1]]).exec()),
        outcomeOf(() => other.quit()),
      ];
      await pass(MEANWHILE_MS);
      other.disconnect();
      const seen = await Promise.all(calls);
      return [seen, await client.xlen("orders")];
    },
    real: [[CLOSED, CLOSED, CLOSED, CLOSED], 0],
  },
  {
    name: "what was sent right before disconnect() is executed, and replied to",
    async play({ client, pass }) {
      const other = client.duplicate();
      await other.ping();
      const calls = [
        outcomeOf(() => other.xadd("orders", "1-0", "a", 1)),
        outcomeOf(() => other.xlen("orders")),
      ];
      other.disconnect();
      const behind = outcomeOf(() => other.xlen("orders"));
      const again = outcomeOf(() => other.connect());
      const status = [other.status];
      const seen = [await Promise.all(calls), await behind, await again];
      await pass(MEANWHILE_MS);
      return [...seen, [...status, other.status], await client.xlen("orders")];
    },
    real: [
      ["1-0", 1],
      CLOSED,
      { name: "Error", message: "Redis is already connecting/connected" },
      ["ready", "end"],
      1,
    ],
  },
  {
    name: "what has no reply when a connection is closed rejects behind the events of its end",
    async play({ client, pass }) {
      const told: string[] = [];
      for (const end of ["disconnect", "quit"] as const) {
        const other = client.duplicate();
        await other.ping();
        for (const event of ["close", "end"]) other.on(event, () => void told.push(event));
        const note = (what: string): (() => void) => {
          return () => void told.push(what);
        };
        const noted = [
          other
            .xread("BLOCK", end === "quit" ? 20 : 0, "STREAMS", "orders", "$")
            .then(note("read replied"), note("read lost")),
          other.xlen("orders").then(note("behind the read replied"), note("behind the read lost")),
        ];
        if (end === "disconnect") await pass(MEANWHILE_MS);
        if (end === "disconnect") other.disconnect();
        else noted.push(other.quit().then(note("quit replied"), note("quit lost")));
        noted.push(other.xlen("orders").then(note("late replied"), note("late lost")));
        told.push(`${end} called`);
        await Promise.all(noted);
        await other.xlen("orders").then(note("later replied"), note("later lost"));
      }
      return told;
    },
    real: [
      ...["disconnect called", "close", "end"],
      ...["late lost", "read lost", "behind the read lost", "later lost"],
      ...["quit called", "read replied", "behind the read replied", "quit replied"],
      ...["close", "end", "late lost", "later lost"],
    ],
  },
  {
    name: "the status of a connection between its events",
    async play({ client, pass }) {
      const other = client.duplicate();
      const status = [other.status];
      const told = toldBy(other);
      await other.ping();
      status.push(other.status);
      await other.quit();
      status.push(other.status);
      await pass(MEANWHILE_MS);
      const silent = client.duplicate();
      await pass(MEANWHILE_MS);
      return [status, told, silent.status, other.status, silent.disconnect() ?? silent.status];
    },
    real: [
      ["connecting", "ready", "ready"],
      ["connect: connect", "ready: ready", "close: end", "end: end"],
      ...["ready", "end", "ready"],
    ],
  },
  {
    name: "a connection that is closed before it was made",
    async play({ client, pass }) {
      const other = client.duplicate();
      const told = toldBy(other);
      other.disconnect();
      const status = [other.status];
      await pass(MEANWHILE_MS);
      const lazy = client.duplicate({ lazyConnect: true });
      const lazily = toldBy(lazy);
      lazy.disconnect();
      status.push(other.status, lazy.status);
      await pass(MEANWHILE_MS);
      return [status, told, lazily];
    },
    real: [["connecting", "end", "end"], ["end: end"], ["close: end", "end: end"]],
  },
  {
    name: "what was sent before a connection was made is lost when it is closed",
    async play({ client, pass }) {
      const noted: unknown[] = [];
      const other = client.duplicate();
      for (const event of ["connecting", "close", "end"]) other.on(event, () => noted.push(event));
      const sent = [
        other.xlen("orders").catch(({ message }: Error) => noted.push(message, other.status)),
        other.pipeline([["xlen", "orders"]]).exec(),
      ] as const;
      other.disconnect();
      const [, results] = await Promise.all(sent);
      noted.push(results.map(([error]) => error?.message));
      await pass(MEANWHILE_MS);
      const lazy = client.duplicate({ lazyConnect: true });
      const [first, connected] = [lazy.xlen("orders"), client.duplicate({ lazyConnect: true })];
      lazy.disconnect();
      const connecting = connected.connect();
      connected.disconnect();
      for (const one of [first, connecting]) {
        await one.then(
          () => noted.push("done"),
          ({ message }: Error) => noted.push(message),
        );
      }
      return [...noted, lazy.status, connected.status];
    },
    real: [
      ...["connecting", "Connection is closed.", "end", ["Connection is closed."], "end"],
      ...["Connection is closed.", "Connection is closed.", "end", "end"],
    ],
  },
  {
    name: "duplicates try again as they are told to while the server is killed",
    async play({ client, pass, operate }) {
      const times: number[] = [];
      const endless = client.duplicate({ maxRetriesPerRequest: null });
      const ending = client.duplicate({ retryStrategy: () => null, connectTimeout: 5_000 });
      const told = client.duplicate({
        maxRetriesPerRequest: 50,
        retryStrategy: (nth) => {
          times.push(nth);
          return 200;
        },
      });
      const idle = ending.duplicate();
      const heard = toldBy(idle);
      for (const one of [endless, ending, told, idle]) {
        one.on("error", () => undefined);
        await one.exists("orders");
      }
      heard.length = 0;
      const crashed = operate(BROKER_CRASHES);
      await pass(5);
      const message = ({ message }: Error): string => message;
      const seen: unknown[] = await Promise.all([
        endless.set("a", "1"),
        ending.set("a", "2").catch(message),
        told.incr("b"),
      ]);
      await crashed;
      await pass(MEANWHILE_MS);
      const all = [endless, ending, told, idle];
      seen.push(times[0], [...heard], ...all.map(({ status }) => status));
      seen.push(await ending.get("a").catch(message), await endless.duplicate().get("a"));
      await idle.connect();
      seen.push(await idle.get("a"));
      const lazy = client.duplicate({ lazyConnect: true });
      seen.push(lazy.duplicate().status);
      for (const one of all) one.disconnect();
      return seen;
    },
    real: [
      ...["OK", "Connection is closed.", 1, 1, ["close: end", "end: end"]],
      ...["ready", "end", "ready", "end", "Connection is closed.", "1", "1", "wait"],
    ],
  },
  {
    name: "a lazy connection is made by its first command",
    async play({ client, pass }) {
      const lazy = client.duplicate({ lazyConnect: true });
      const told = toldBy(lazy);
      const sent = lazy.xlen("orders");
      const status = [lazy.status];
      await sent;
      await pass(MEANWHILE_MS);
      status.push(lazy.status);
      const heard = [...told];
      lazy.disconnect();
      return [status, heard];
    },
    real: [
      ["connecting", "ready"],
      ["connect: connect", "ready: ready"],
    ],
  },
  {
    name: "a read that waits on two streams gets the one in which something came first",
    async play({ client, pass }) {
      const [reader, plain] = [client.duplicate(), client.duplicate()];
      await client.xgroup("CREATE", "more", "triggerer", "0", "MKSTREAM");
      const group = ["GROUP", "triggerer", "w", "BLOCK", 3_000] as const;
      const first = reader.xreadgroup(...group, "STREAMS", "more", "orders", ">", ">");
      const read = plain.xread("BLOCK", 3_000, "COUNT", 1, "STREAMS", "orders", "more", "$", "$");
      await pass(MEANWHILE_MS);
      const added = [
        ["xadd", "orders", "3-0", "a", 1],
        ["xadd", "orders", "3-1", "a", 1],
        ["xadd", "more", "2-0", "b", 1],
      ];
      await client.multi(added).exec();
      const seen = [await first, await read];
      seen.push(await reader.xreadgroup(...group, "STREAMS", "more", "orders", ">", ">"));
      for (const one of [reader, plain]) one.disconnect();
      return seen;
    },
    real: [
      [
        [
          "orders",
          [
            ["3-0", ["a", "1"]],
            ["3-1", ["a", "1"]],
          ],
        ],
      ],
      [["orders", [["3-0", ["a", "1"]]]]],
      [["more", [["2-0", ["b", "1"]]]]],
    ],
  },
  {
    name: "what a pipeline waits for behind a reply is aborted when its connection closes",
    async play({ client, pass }) {
      const waiting = ["xread", "BLOCK", 0, "STREAMS", "other", "$"];
      const pipelines = [
        [["get", "a"], waiting, ["get", "b"]],
        [["lpush", "orders", "x"], waiting],
        [waiting, ["get", "b"]],
      ];
      const seen: unknown[] = [];
      for (const commands of pipelines) {
        const reader = client.duplicate();
        await reader.ping();
        const results = reader.pipeline(commands).exec();
        const behind = outcomeOf(() => reader.get("c"));
        await pass(MEANWHILE_MS);
        reader.disconnect();
        const told = (await results).map(([error]) => {
          const { name, command } = (error ?? {}) as { name?: string; command?: unknown };
          return [name, error?.message, command];
        });
        seen.push(told, await behind);
      }
      return seen;
    },
    real: [
      [[undefined, undefined, undefined], aborted("xread", READ), aborted("get", ["b"])],
      CLOSED,
      [
        [
          "ReplyError",
          "WRONGTYPE Operation against a key holding the wrong kind of value",
          { name: "lpush", args: ["orders", "x"] },
        ],
        aborted("xread", READ),
      ],
      CLOSED,
      [
        ["Error", "Connection is closed.", undefined],
        ["Error", "Connection is closed.", undefined],
      ],
      CLOSED,
    ],
  },
];
