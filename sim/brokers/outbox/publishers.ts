import type { World } from "../../kernel/world.ts";
import type { Publication } from "../broker.ts";
import type { SettlementLog } from "../settlement-log.ts";
import { asJsonb } from "./sql-values.ts";
import type { Table } from "./table.ts";
import { Transaction } from "./transaction.ts";

/** What a transaction of a busy service takes; rows with higher ids are there before. */
const LATE_MS = 4_000;

interface Late {
  readonly publication: Publication;
  transaction: Transaction;
}

/**
 * Those who put records into the outbox, each in a transaction of its own.
 *
 * Holds: a row has its id from when it is inserted, and is seen from when its transaction is
 * committed, so that rows are not seen in the order of their ids. A record is published when it is
 * seen. Whose transaction is lost publishes again.
 *
 * Source: PostgreSQL 15, 9.17 Sequence Manipulation Functions ("obtained without blocking")
 */
export class Publishers {
  readonly #world: World;
  readonly #host: string;
  readonly #outbox: Table;
  readonly #settlements: SettlementLog;
  readonly #late = new Set<Late>();
  #isNextLate = false;

  constructor(world: World, host: string, outbox: Table, settlements: SettlementLog) {
    this.#world = world;
    this.#host = host;
    this.#outbox = outbox;
    this.#settlements = settlements;
  }

  publish(publication: Publication): void {
    const one: Late = { publication, transaction: this.#begun(publication) };
    if (!this.#isNextLate) return this.#commit(one);
    this.#isNextLate = false;
    this.#late.add(one);
    const options = { lane: "publishers", hop: false };
    this.#world.schedule(LATE_MS, options, () => {
      if (this.#late.delete(one)) this.#commit(one);
    });
  }

  /** Has the next publisher commit later than those after it. */
  delayNext(): void {
    this.#isNextLate = true;
  }

  /** All connections have ended, and with them the transactions under way. */
  beginAgain(): void {
    for (const one of this.#late) {
      one.transaction.rollBack();
      one.transaction = this.#begun(one.publication);
    }
  }

  /** Has all commit now. */
  calmDown(): void {
    this.#isNextLate = false;
    for (const one of this.#late) this.#commit(one);
    this.#late.clear();
  }

  #begun({ ref, key }: Publication): Transaction {
    const now = this.#world.wallMs;
    const transaction = new Transaction(now, this.#host);
    const given = new Map([
      ["key", { type: "text", value: key } as const],
      ["payload", { type: "jsonb", value: asJsonb({ ref, key }) } as const],
    ]);
    transaction.insert(this.#outbox, this.#outbox.valuesFrom(given, now));
    return transaction;
  }

  #commit({ publication, transaction }: Late): void {
    this.#settlements.published(publication);
    transaction.commit();
  }
}
