import { expect, test } from "vitest";
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
