import { describe, expect, test } from "vitest";
import { OutboxLeases } from "../../../sim/brokers/outbox/outbox-leases.ts";
import type { Row, Values } from "../../../sim/brokers/outbox/table.ts";
import { SettlementLog } from "../../../sim/brokers/settlement-log.ts";
import { CalmChoices } from "../../../sim/choices/choices.ts";
import { World } from "../../../sim/kernel/world.ts";

const LEASE_MS = 5_000;

function valuesOf(world: World, owner: string | null, untilMs: number): Values {
  return new Map([
    ["payload", { type: "text", value: '{"ref":"ref-000001"}' }],
    ["leased_by", { type: "text", value: owner }],
    ["visible_at", { type: "timestamp with time zone", value: world.epochMs + untilMs }],
  ]);
}

// The story: the lease of a row ends at the very instant at which somebody else claims the row, and
// the claim comes first in that instant.
test.each([-1, 0, 1])(
  "who claims a row %i ms after its lease has ended is told of after the lapse",
  async (lateMs) => {
    const world = new World(new CalmChoices(), { keepTrace: true });
    const leases = new OutboxLeases(world, "broker", new SettlementLog(world, "broker"));
    const row: Row = { committed: undefined, locker: undefined, pending: undefined };
    const free = valuesOf(world, null, 0);
    const held = valuesOf(world, "one", LEASE_MS);
    world.schedule(LEASE_MS + lateMs, { lane: "another" }, () => {
      leases.handedOut(row, held, "another");
    });
    leases.handedOut(row, free, "one");
    leases.changed({ row, before: free, after: held, consumer: "one" });
    await world.run(2 * LEASE_MS);
    const told = world.trace
      .events()
      .flatMap((event) =>
        event.kind === "delivered" || event.kind === "lapsed"
          ? [`${event.kind} ${event.consumer} at ${event.at}`]
          : [],
      );
    const another = `delivered another at ${LEASE_MS + lateMs}`;
    const lapsed = `lapsed one at ${LEASE_MS}`;
    expect(told).toEqual([
      "delivered one at 0",
      ...(lateMs < 0 ? [another, lapsed] : [lapsed, another]),
    ]);
  },
);

/** What is told of a row that consumers take, change and delete, in whose own words it has a holder. */
class OneRow {
  readonly world = new World(new CalmChoices(), { keepTrace: true });
  readonly #leases = new OutboxLeases(
    this.world,
    "broker",
    new SettlementLog(this.world, "broker"),
  );
  readonly #row: Row = { committed: undefined, locker: undefined, pending: undefined };
  #now = valuesOf(this.world, null, 0);

  reads(consumer: string): void {
    this.#leases.handedOut(this.#row, this.#now, consumer);
  }

  /** Leases the row in this name, or frees it. */
  leases(consumer: string, holder: string | null, ms = LEASE_MS): void {
    this.#change(consumer, valuesOf(this.world, holder, holder === null ? 0 : ms));
  }

  deletes(consumer: string): void {
    this.#change(consumer, undefined);
  }

  #change(consumer: string, after: Values | undefined): void {
    const [row, before] = [this.#row, this.#now];
    this.#leases.changed({ row, before, after, consumer });
    this.#now = after ?? before;
  }

  get told(): readonly string[] {
    return this.world.trace.events().flatMap((event) => {
      if (event.kind === "delivered") return [`${event.consumer} has it`];
      if (event.kind === "lapsed") return [`${event.consumer} lapses`];
      if (event.kind !== "settle") return [];
      const over = event.heldBy === undefined ? "" : ` over ${event.heldBy}`;
      return [`${event.consumer}: ${event.act} ${event.handle}${over}`];
    });
  }
}

describe("a row that another has leased meanwhile", () => {
  /** It has been freed by somebody who is nobody of these, and claimed by the other one. */
  function overtaken(holder = "w2"): OneRow {
    const row = new OneRow();
    row.reads("one");
    row.leases("one", "w1");
    row.leases("operator", null);
    row.reads("two");
    row.leases("two", holder);
    return row;
  }
  const BEFORE = ["one has it", "two has it"];

  test("is deleted by the claim of who deletes it", () => {
    const row = overtaken();
    row.deletes("one");
    expect(row.told).toEqual([...BEFORE, "one: ack ref-000001.1 over two"]);
  });

  test("is given back by the claim of who gives it back", () => {
    const row = overtaken();
    row.leases("one", null);
    row.leases("two", "w2");
    expect(row.told).toEqual([...BEFORE, "one: nack ref-000001.1 over two"]);
  });

  test("stays on the lease of the other who has it, whoever extends that", async () => {
    const row = overtaken();
    row.leases("one", "w2", 2 * LEASE_MS);
    row.leases("operator", "w2", 3 * LEASE_MS);
    row.leases("two", "w2", 4 * LEASE_MS);
    const extended = ["one: extend ref-000001.1 over two", "two: extend ref-000001.2"];
    await row.world.run(4 * LEASE_MS);
    expect(row.told).toEqual([...BEFORE, ...extended, "two lapses"]);
  });

  test("is settled as ever by who has it, and by one of the same name", () => {
    const own = overtaken();
    own.deletes("two");
    expect(own.told).toEqual([...BEFORE, "two: ack ref-000001.2"]);
    const alike = overtaken("w1");
    alike.deletes("one");
    expect(alike.told).toEqual([...BEFORE, "one: ack ref-000001.1"]);
  });

  test("may be taken from him by who has read it since", () => {
    const row = overtaken();
    row.reads("one");
    row.leases("one", "w1");
    row.deletes("one");
    expect(row.told).toEqual([...BEFORE, "one has it", "one: ack ref-000001.3"]);
  });

  test("is nobody's when that lease has ended", async () => {
    const row = overtaken();
    await row.world.run(LEASE_MS);
    row.deletes("one");
    expect(row.told).toEqual([...BEFORE, "two lapses", "one: ack ref-000001.1"]);
  });
});

// The story: some take rows with a statement that returns their ids, and read them with the next one.
test("a row that is taken with one statement and read with the next is delivered each time", () => {
  const row = new OneRow();
  for (let nth = 1; nth <= 2; nth += 1) {
    row.leases("one", "w1");
    row.reads("one");
    row.reads("one");
    row.leases("one", null);
  }
  row.leases("one", "w1");
  row.leases("one", null);
  const twice = [1, 2].flatMap((nth) => ["one has it", `one: nack ref-000001.${nth}`]);
  expect(row.told).toEqual([...twice, "one: nack ref-000001.3"]);
});

test("who gives his lease another name has the same claim", () => {
  const row = new OneRow();
  row.reads("one");
  row.leases("one", "w1");
  row.leases("one", "renamed");
  row.deletes("one");
  const told = ["one has it", "one: extend ref-000001.1", "one: ack ref-000001.1"];
  expect(row.told).toEqual(told);
});
