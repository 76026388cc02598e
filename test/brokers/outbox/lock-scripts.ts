import type { PoolClient } from "pg";
import type { Place, Script } from "./script.ts";

/** Long enough for a statement to get to where it waits. */
const MOMENT_MS = 60;
/** Longer than a server waits before it looks for a circle. */
const CIRCLE_MS = 1_300;
const POLL_MS = 5;

/** Three connections, and what each of them was told, in order. */
class Three {
  readonly told: string[] = [];
  readonly #step: string[] = [];
  readonly #place: Place;
  readonly #clients: readonly PoolClient[];

  private constructor(place: Place, clients: readonly PoolClient[]) {
    this.#place = place;
    this.#clients = clients;
  }

  static async of(place: Place): Promise<Three> {
    const clients: PoolClient[] = [];
    for (let n = 0; n < 3; n += 1) clients.push(await place.pool.connect());
    return new Three(place, clients);
  }

  /** Has one of them execute a statement, and waits until so many are done. */
  async ask(nth: number, sql: string, dones = 1): Promise<void> {
    this.#begin(nth, sql);
    while (this.#step.length < dones) await this.#place.wait(POLL_MS);
    this.told.push(...this.#step.splice(0).toSorted(), "-");
  }

  /** Has one of them execute a statement which has to wait. */
  async block(nth: number, sql: string, ms = MOMENT_MS): Promise<void> {
    this.#begin(nth, sql);
    await this.#place.wait(ms);
    this.told.push(...this.#step.splice(0), "waits");
  }

  #begin(nth: number, sql: string): void {
    const client = this.#clients[nth];
    if (client === undefined) throw new RangeError("There are three");
    void client.query<object>(sql).then(
      ({ rows, fields }) => {
        const types = fields.map(({ dataTypeID }) => dataTypeID).join(" ");
        this.#step.push(`${nth} ${sql}: ${JSON.stringify(rows)} ${types}`);
      },
      (error: Error & { code?: string }) =>
        this.#step.push(`${nth} ${sql}: ${error.code} ${error.message}`),
    );
  }

  async end(nth: number, dones = 0): Promise<void> {
    this.#clients[nth]?.release(true);
    while (this.#step.length < dones) await this.#place.wait(POLL_MS);
    this.told.push(...this.#step.splice(0).toSorted(), "-");
  }

  async close(...nths: readonly number[]): Promise<readonly string[]> {
    for (const nth of nths) await this.end(nth);
    return this.told;
  }
}

/** Locks that have a number and no row. */
export const LOCK_SCRIPTS: Readonly<Record<string, Script>> = {
  "a lock that has a number is one connection's": async (place) => {
    const [one, other] = [await place.pool.connect(), await place.pool.connect()];
    const ask = async (client: typeof one, call: string): Promise<unknown> =>
      (await client.query<{ is: boolean }>(`SELECT ${call} AS is`)).rows[0]?.is;
    const seen = [
      await ask(one, "pg_try_advisory_lock(1)"),
      await ask(one, "pg_try_advisory_lock(1)"),
      await ask(other, "pg_try_advisory_lock(1)"),
      await ask(other, "pg_advisory_unlock(1)"),
      await ask(one, "pg_advisory_unlock(1)"),
      await ask(other, "pg_try_advisory_lock(1)"),
      await ask(one, "pg_advisory_unlock(1)"),
      await ask(other, "pg_try_advisory_lock(1)"),
    ];
    await one.query("BEGIN");
    seen.push(
      await ask(one, "pg_try_advisory_xact_lock(2)"),
      await ask(other, "pg_try_advisory_xact_lock(2)"),
    );
    await one.query("COMMIT");
    seen.push(await ask(other, "pg_try_advisory_xact_lock(2)"));
    one.release(true);
    other.release(true);
    return seen;
  },
  "a lock that has a number is waited for in turn": async (place) => {
    const three = await Three.of(place);
    await three.ask(0, "SELECT pg_advisory_lock(11)");
    await three.block(1, "SELECT pg_advisory_lock(11) AS got");
    await three.block(2, "SELECT pg_advisory_lock(11)");
    await three.ask(0, "SELECT pg_advisory_lock(11)");
    await three.ask(0, "SELECT pg_advisory_unlock(11)");
    await three.ask(0, "SELECT pg_advisory_unlock(11), pg_try_advisory_lock(11)", 2);
    await three.ask(1, "SELECT pg_advisory_unlock(11)", 2);
    await three.ask(2, "SELECT pg_advisory_unlock(11)");
    return await three.close(0, 1, 2);
  },
  "a lock of a transaction that has a number ends with it": async (place) => {
    const three = await Three.of(place);
    await three.ask(0, "BEGIN");
    await three.ask(0, "SELECT pg_advisory_xact_lock(12)");
    await three.block(1, "SELECT pg_advisory_xact_lock(12)");
    await three.ask(0, "SELECT pg_advisory_unlock(12)");
    await three.ask(2, "BEGIN");
    await three.block(2, "SELECT pg_advisory_xact_lock(12)");
    // The second one's ends with its statement, and the third one has it at once.
    await three.ask(0, "COMMIT", 3);
    await three.ask(0, "SELECT pg_try_advisory_lock(12)");
    await three.ask(2, "ROLLBACK");
    await three.ask(0, "SELECT pg_try_advisory_lock(12)");
    return await three.close(0, 1, 2);
  },
  "who has waited too long for a lock that has a number is out of the queue": async (place) => {
    const three = await Three.of(place);
    await three.ask(0, "SELECT pg_advisory_lock(13)");
    await three.ask(1, "SET lock_timeout = 100");
    await three.ask(1, "BEGIN");
    await three.ask(1, "SELECT pg_advisory_lock(13)");
    await three.block(2, "SELECT pg_advisory_lock(13)");
    await three.ask(1, "ROLLBACK");
    await three.end(0, 1);
    await three.ask(1, "SELECT pg_try_advisory_lock(13)");
    await three.ask(2, "SELECT pg_advisory_unlock(13)");
    await three.ask(1, "SELECT pg_try_advisory_lock(13)");
    return await three.close(1, 2);
  },
  "connections that wait for each other's locks are a circle": async (place) => {
    const three = await Three.of(place);
    await three.ask(0, "SELECT pg_advisory_lock(14)");
    await three.ask(1, "SELECT pg_advisory_lock(15)");
    await three.ask(2, "BEGIN");
    await three.ask(2, "SELECT pg_advisory_xact_lock(16)");
    await three.block(0, "SELECT pg_advisory_lock(15)", CIRCLE_MS);
    await three.block(1, "SELECT pg_advisory_lock(16)", CIRCLE_MS);
    // The last one is told of the circle; its lock, and so the second one, is free.
    await three.ask(2, "SELECT pg_advisory_xact_lock(14)", 2);
    await three.ask(1, "SELECT pg_advisory_unlock(16), pg_advisory_unlock(15)", 2);
    return await three.close(2, 1, 0);
  },
  "a statement that waits keeps the locks that it has got": async (place) => {
    const three = await Three.of(place);
    await three.ask(0, "SELECT pg_advisory_lock(18)");
    await three.block(1, "SELECT pg_advisory_lock(17) AS a, pg_advisory_lock(18) AS b");
    await three.ask(2, "SELECT pg_try_advisory_lock(17)");
    await three.ask(0, "SELECT pg_advisory_unlock(18)", 2);
    await three.ask(1, "SELECT pg_advisory_unlock(17) AS once, pg_advisory_unlock(18) AS b");
    await three.ask(1, "SELECT pg_advisory_unlock(17) AS twice");
    await three.ask(2, "SELECT pg_advisory_lock(NULL), pg_advisory_lock('19')");
    await three.ask(2, "SELECT pg_advisory_lock(true)");
    return await three.close(0, 1, 2);
  },
  "a row and a lock that has a number are waited for in a circle": async (place) => {
    await place.publish(1);
    const three = await Three.of(place);
    await three.ask(0, "SELECT pg_advisory_lock(20)");
    await three.ask(1, "BEGIN");
    await three.ask(1, "UPDATE outbox SET attempts = 1 WHERE id = 1");
    await three.block(0, "UPDATE outbox SET attempts = 2 WHERE id = 1", CIRCLE_MS);
    await three.ask(1, "SELECT pg_advisory_lock(20)", 2);
    await three.ask(1, "ROLLBACK");
    return await three.close(0, 1, 2);
  },
};
