import type { Notification, Pool, PoolClient } from "pg";
import type { Script } from "./script.ts";

/** Longer than a client needs to hear of something. */
const HEARD_MS = 300;

/** Notes what a pool tells, without what it tells it about. */
function eventsOf(pool: Pool): unknown[] {
  const seen: unknown[] = [];
  pool.on("connect", (client) => void seen.push(["connect", typeof client.query]));
  pool.on("acquire", (client) => void seen.push(["acquire", typeof client.query]));
  pool.on("remove", (client) => void seen.push(["remove", typeof client.query]));
  pool.on("release", (error, client) => {
    const given: unknown = error;
    const told = given instanceof Error ? given.message : String(given);
    seen.push(["release", told, typeof client.query]);
  });
  pool.on("error", (error, client) => {
    const { code, severity } = error as Error & Record<string, unknown>;
    seen.push(["error", error.message, code, severity, typeof client.query]);
  });
  return seen;
}

function heardBy(client: PoolClient): unknown[] {
  const seen: unknown[] = [];
  client.on("error", (error) => {
    seen.push(["error", error.message, (error as Error & Record<string, unknown>)["code"]]);
  });
  client.on("end", () => void seen.push(["end"]));
  return seen;
}

function countsOf(pool: Pool): readonly unknown[] {
  return [pool.totalCount, pool.idleCount, pool.waitingCount, pool.ending, pool.ended];
}

/** Returns what a promise has come to, or that it has not. */
function soon<T>(promise: Promise<T>): Promise<T | string> {
  return Promise.race([promise, Promise.resolve("waits")]);
}

function messageOfError(error: unknown): string {
  return (error as Error).message;
}

async function messageOf(attempt: Promise<unknown>): Promise<unknown> {
  return await attempt.then(
    () => "accepted",
    (error: Error & Record<string, unknown>) => [error.message, error["code"]],
  );
}

/** What the library does beside statements; each begins with empty tables. */
export const POOL_SCRIPTS: Readonly<Record<string, Script>> = {
  "callbacks, with and without parameters": async ({ pool, publish }) => {
    await publish(1);
    const results: unknown[] = [];
    const note = (error: Error | undefined, result?: { readonly rows: unknown[] }): void => {
      results.push([error?.message ?? "none", result?.rows]);
    };
    const until = async (count: number): Promise<void> => {
      while (results.length < count) await pool.query("SELECT 1");
    };
    const returned = [pool.query("SELECT id FROM outbox", note) as unknown];
    await until(1);
    pool.query("SELECT id FROM outbox WHERE id = $1", [1], note);
    await until(2);
    pool.query("SELECT nothing FROM outbox", note);
    await until(3);
    await new Promise<void>((resolve) => {
      pool.connect((error, client, done) => {
        results.push([error ?? "none", done === client?.release]);
        client?.query({ text: "SELECT key FROM outbox" }, (problem, result) => {
          note(problem, result);
          done();
          resolve();
        });
      });
    });
    const own = await pool.connect();
    const told: unknown[] = [];
    await new Promise<void>((resolve) => {
      own.query("SELECT 1", (error) => void told.push(error));
      own.query("SELECT $1", [1], (error) => void told.push(error));
      own.query({ text: "SELECT 1" }, (error) => {
        told.push(error);
        pool.query("SELECT 1", (problem) => {
          told.push(String(problem));
          resolve();
        });
      });
    });
    own.release();
    return [...returned.map((one) => typeof one), ...results, told];
  },
  "rows as lists, and the texts of names and values": async ({ pool, publish }) => {
    await publish(1);
    const client = await pool.connect();
    const query = { text: "SELECT id, key, id FROM outbox", rowMode: "array" as const };
    const { rows, fields } = await client.query(query);
    const literals = ["a", "a'b", "a\\b"].map((text) => client.escapeLiteral(text));
    const seen = [rows, fields.map(({ name }) => name), client.escapeIdentifier('a"b'), literals];
    client.release();
    return [...seen, pool.options.max];
  },
  "prepared statements": async ({ pool }) => {
    const client = await pool.connect();
    const [one, other] = ["SELECT 1 AS a", "SELECT 2 AS a"].map((text) => ({ name: "n", text }));
    const seen: unknown[] = [];
    for (const query of [one, one, other, one, { name: "m", text: "SELECT $1 AS a" }]) {
      seen.push(await messageOf(client.query(query as { name: string; text: string })));
    }
    client.release();
    return [...seen, countsOf(pool)];
  },
  "a name of a statement that failed is free when the server did not parse it": async ({
    pool,
  }) => {
    const client = await pool.connect();
    const seen: unknown[] = [];
    for (const text of [
      ...["SELECT nope", "SELECT $1::int AS a", "BEGIN", "SELECT 1 / 0", "SELECT 3 AS a"],
      ...["ROLLBACK", "SELECT 3 AS a", "SELECT $1::int AS a"],
    ]) {
      const name = text.startsWith("SELECT") ? "n" : "";
      const values = text.includes("$1") ? ["x"] : [];
      seen.push(await messageOf(client.query({ name, text, values })));
    }
    client.release();
    return [...seen, countsOf(pool)];
  },
  "values that are no list, beside a name that another statement has": async ({ pool }) => {
    const values = 7 as unknown as unknown[];
    const seen = [await messageOf(pool.query({ name: "n", text: "SELECT 1 AS a" }))];
    for (const text of ["SELECT 2 AS a", "SELECT 1 AS a"]) {
      seen.push(await messageOf(pool.query({ name: "n", text, values })));
    }
    return [...seen, countsOf(pool)];
  },
  "a name whose first statement failed as it was executed": async ({ pool }) => {
    const client = await pool.connect();
    const seen: unknown[] = [];
    for (const text of ["SELECT 1 / attempts FROM outbox", "SELECT 3 AS a", "SELECT 1 / 0"]) {
      seen.push(await messageOf(client.query({ name: "n", text })));
    }
    client.release();
    return [...seen, countsOf(pool)];
  },
  "parameters that are no list, on a connection that is closed": async ({ pool }) => {
    const client = await pool.connect();
    const ask = () => messageOf(client.query("SELECT 1", {} as unknown as unknown[]));
    const open = await ask();
    client.release(true);
    return [open, await ask()];
  },
  "the events of a pool": async ({ pool, wait }) => {
    const seen = eventsOf(pool);
    const first = await pool.connect();
    first.release();
    await pool.query("SELECT 1");
    const second = await pool.connect();
    const isSame = first === second;
    second.release(new Error("It is broken"));
    await wait(HEARD_MS);
    return [isSame, first.constructor.name, seen, countsOf(pool)];
  },
  "a connection on which a query of the pool failed is not kept": async ({ pool, wait }) => {
    await pool.query("SELECT 1");
    const before = countsOf(pool);
    const failed = await messageOf(pool.query("SELECT nothing FROM outbox"));
    await wait(HEARD_MS);
    const after = countsOf(pool);
    const client = await pool.connect();
    const other = await messageOf(client.query("SELECT nothing FROM outbox"));
    client.release();
    return [before, failed, after, other, countsOf(pool)];
  },
  "a query of the pool that is none": async ({ pool, wait }) => {
    await pool.query("SELECT 1");
    const failed = await messageOf(pool.query(undefined as unknown as string));
    await wait(HEARD_MS);
    return [failed, countsOf(pool)];
  },
  "an idle connection that the server ends": async ({ pool, wait, failOver }) => {
    const seen = eventsOf(pool);
    const client = await pool.connect();
    client.release();
    await failOver();
    await wait(HEARD_MS);
    const after = countsOf(pool);
    const { rowCount } = await pool.query("SELECT 1");
    return [seen, after, rowCount, countsOf(pool)];
  },
  "a lent connection that the server ends": async ({ pool, wait, failOver }) => {
    const seen = eventsOf(pool);
    const client = await pool.connect();
    const heard = heardBy(client);
    await client.query("BEGIN");
    await failOver();
    await wait(HEARD_MS);
    const states: unknown[] = [[...heard], countsOf(pool)];
    states.push(await messageOf(client.query("COMMIT")));
    client.release();
    await wait(HEARD_MS);
    return [...states, seen, countsOf(pool)];
  },
  "a lent connection that is given back on its first error": async ({ pool, wait, failOver }) => {
    const seen = eventsOf(pool);
    const client = await pool.connect();
    const heard: string[] = [];
    const onError = (error: Error): void => {
      heard.push(error.message);
      client.removeListener("error", onError);
      client.release(error);
    };
    client.on("error", onError);
    client.on("end", () => void heard.push("end"));
    await failOver();
    await wait(HEARD_MS);
    return [heard, seen, countsOf(pool)];
  },
  "who waits for a connection when the pool ends": async ({ pool, wait }) => {
    const all = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    const waiting = pool.connect().then(() => "a connection", messageOfError);
    const query = pool.query("SELECT 1").then(() => "rows", messageOfError);
    const counts = [countsOf(pool)];
    const ending = pool.end().then(() => "ended");
    for (const client of all) client.release();
    const seen = [await ending];
    await wait(HEARD_MS);
    counts.push(countsOf(pool));
    for (const one of [waiting, query]) seen.push(await soon(one));
    return [seen, counts];
  },
  "a query of a pool that ends in the same breath": async ({ pool, wait }) => {
    await pool.query("SELECT 1");
    const idle = pool.query("SELECT 2").then(() => "rows", messageOfError);
    const counts = [countsOf(pool)];
    await pool.end();
    await wait(HEARD_MS);
    counts.push(countsOf(pool));
    return [await soon(idle), counts];
  },
  "values beside a query that has its own": async ({ pool }) => {
    const query = { text: "SELECT $1::text AS a", values: ["its own"] };
    const asked = [pool.query(query), pool.query(query, ["beside"]), pool.query(query, [])];
    return await Promise.all(
      asked.map((one) => one.then(({ rowCount, rows }) => [rowCount, rows], messageOfError)),
    );
  },
  "a first query of a pool that ends in the same breath": async ({ pool }) => {
    const first = pool.query("SELECT 1 AS a").then(({ rowCount }) => rowCount, messageOfError);
    await pool.end();
    return [await first, countsOf(pool)];
  },
  "a query that is none of a pool that has ended": async ({ pool }) => {
    await pool.end();
    const asked = pool.query(undefined as unknown as string);
    return [await asked.catch((error: unknown) => (error as Error).message)];
  },
  "the end of a pool": async ({ pool }) => {
    await pool.query("SELECT 1");
    const seen: unknown[] = [await pool.end(), countsOf(pool)];
    seen.push(await messageOf(pool.query("SELECT 1")), await messageOf(pool.connect()));
    return [...seen, await messageOf(pool.end())];
  },
  "LISTEN and NOTIFY": async ({ pool, wait }) => {
    const client = await pool.connect();
    const heard: unknown[] = [];
    client.on("notification", (told: Notification) => {
      const { channel, payload, name, length } = told as Notification & Record<string, unknown>;
      heard.push([channel, payload, name, length]);
    });
    const { command, rowCount, rows } = await client.query("LISTEN outbox");
    await pool.query("NOTIFY outbox, 'hello'");
    const told = await pool.query("SELECT pg_notify('outbox', $1)", ["zwei ü"]);
    await pool.query("NOTIFY other, 'nobody'");
    await client.query("NOTIFY outbox");
    await wait(HEARD_MS);
    await client.query("UNLISTEN *");
    await pool.query("NOTIFY outbox, 'late'");
    await wait(HEARD_MS);
    client.release();
    return [command, rowCount, rows, told.rows, told.fields.map((one) => one.dataTypeID), heard];
  },
  "notifications come with the commit, and not with a rollback": async ({ pool, wait }) => {
    const [client, other] = [await pool.connect(), await pool.connect()];
    const heard: unknown[] = [];
    client.on("notification", ({ payload }) => void heard.push(payload));
    await client.query("BEGIN");
    await client.query("LISTEN outbox");
    await client.query("ROLLBACK");
    await other.query("NOTIFY outbox, 'not yet'");
    await client.query("LISTEN outbox");
    await other.query("BEGIN");
    for (const payload of ["a", "a", "b"]) {
      await other.query("SELECT pg_notify('outbox', $1)", [payload]);
    }
    await wait(HEARD_MS);
    const before = [...heard];
    await other.query("COMMIT");
    await other.query("BEGIN");
    await other.query("NOTIFY outbox, 'undone'");
    await other.query("ROLLBACK");
    await wait(HEARD_MS);
    await client.query("UNLISTEN outbox");
    client.release();
    other.release();
    return [before, heard];
  },
  "what is heard in a transaction is told behind it, unless nobody listens any more": async ({
    pool,
    wait,
  }) => {
    const [client, other] = [await pool.connect(), await pool.connect()];
    const heard: unknown[] = [];
    client.on("notification", ({ payload }) => void heard.push(payload));
    await client.query("LISTEN outbox");
    await client.query("LISTEN quiet");
    for (const end of ["COMMIT", "ROLLBACK", "broken"]) {
      await client.query("BEGIN");
      await other.query("SELECT pg_notify('outbox', $1)", [`before ${end}`]);
      await client.query("NOTIFY outbox, 'own'");
      await other.query("NOTIFY quiet, 'quiet'");
      if (end === "COMMIT") await client.query("UNLISTEN quiet");
      if (end === "broken") await messageOf(client.query("SELECT 1 / 0"));
      await wait(HEARD_MS);
      heard.push(`until ${end}`);
      await client.query(end === "broken" ? "COMMIT" : end);
      await wait(HEARD_MS);
    }
    await client.query("UNLISTEN *");
    client.release();
    other.release();
    return heard;
  },
  "what is too long for a notification": async ({ pool, wait }) => {
    const client = await pool.connect();
    const heard: unknown[] = [];
    client.on("notification", ({ payload }) => void heard.push(payload?.length));
    await client.query("LISTEN outbox");
    const seen: unknown[] = [];
    const payloads = ["x".repeat(7_999), "ü".repeat(4_000), "x".repeat(8_000)];
    for (const payload of payloads) {
      seen.push(await messageOf(client.query("SELECT pg_notify('outbox', $1)", [payload])));
      seen.push(await messageOf(client.query(`NOTIFY outbox, '${payload}'`)));
    }
    for (const bytes of [63, 64]) {
      seen.push(await messageOf(client.query("SELECT pg_notify($1, '')", ["c".repeat(bytes)])));
    }
    await wait(HEARD_MS);
    await client.query("UNLISTEN *");
    client.release();
    return [...seen, heard];
  },
  "a name without a text stands for the statement that has it": async ({ pool }) => {
    const seen: unknown[] = [];
    for (const texts of [
      ["SELECT 1 AS a", "", "SELECT 1 AS a", "SELECT 2 AS a"],
      ["", "SELECT 1 AS a", "", "SELECT 2 AS a"],
    ]) {
      const client = await pool.connect();
      for (const text of texts) {
        seen.push(
          await client.query<object>({ name: "n", text }).then(
            ({ command, rows }) => [command, rows],
            ({ message }: Error) => message,
          ),
        );
      }
      client.release(true);
    }
    return seen;
  },
  "a statement that waits longer than it may": async ({ pool, publish }) => {
    await publish(1);
    const [holder, client] = [await pool.connect(), await pool.connect()];
    const lock = "SELECT id FROM outbox FOR UPDATE";
    await holder.query("BEGIN");
    await holder.query(lock);
    const { command } = await client.query("SET lock_timeout = '100ms'");
    const seen: unknown[] = [command, await messageOf(client.query(lock))];
    await client.query("SET lock_timeout TO DEFAULT");
    await client.query("BEGIN");
    await client.query("SET LOCAL statement_timeout = 100");
    seen.push(await messageOf(client.query(lock)), await messageOf(client.query("SELECT 1")));
    await client.query("ROLLBACK");
    seen.push(await messageOf(client.query("SET lock_timeout = 'soon'")));
    const waiting = client.query(lock);
    await holder.query("COMMIT");
    seen.push((await waiting).rowCount, (await client.query("RESET lock_timeout")).command);
    holder.release();
    client.release();
    return seen;
  },
};
