import { endFaults } from "../../hosts/end-faults.ts";
import { Host } from "../../hosts/host.ts";
import type { Life } from "../../hosts/life.ts";
import { Network } from "../../hosts/network.ts";
import { observerOf } from "../../hosts/traced-failures.ts";
import { TracedManager } from "../../hosts/traced-manager.ts";
import { TraceIds } from "../../hosts/trace-ids.ts";
import { HostileClient } from "../../workloads/hostile-client.ts";
import type { World } from "../../kernel/world.ts";
import { createManagerOf, settingsFrom, traceSettings } from "./profiles.ts";
import type { ManagerScenario } from "./manager-scenario.ts";
import type { ManagerFactory, Stage } from "../stage.ts";

/** For the steps of the phase itself. */
const MARGIN_MS = 60_000;

/** Builds the world of one manager and its hostile client. */
export function buildManagerWorld(
  world: World,
  scenario: ManagerScenario,
  createManager: ManagerFactory = createManagerOf(scenario.profile),
): Stage {
  const ids = new TraceIds();
  let client: HostileClient | undefined;
  let isDone = false;
  let calmedAt: number | undefined;
  let finishedAt: number | undefined;
  let actsBefore = 0;
  const network = new Network<Host>(world);
  const host = new Host(world, network, "client", (life: Life) => {
    const settings = settingsFrom(scenario);
    traceSettings(life, settings);
    const manager = createManager(life, settings, observerOf(life, ids));
    const traced = new TracedManager(life, manager, ids, refOf);
    client = new HostileClient(life, traced, ids, scenario);
    client.start(() => {
      isDone = true;
    });
  });
  /** Long enough for everything that is outstanding to be acked or to time out. */
  const patienceMs = 3 * scenario.manager.ackTimeout + scenario.manager.cohortGracePeriod;
  return {
    start: () => host.start(),
    calmDown() {
      endFaults(network);
      client?.calmDown();
      calmedAt = world.now;
    },
    patienceMs: 2 * patienceMs + MARGIN_MS,
    hasProgressed() {
      const acts = client?.acts ?? 0;
      const isMore = acts > actsBefore;
      actsBefore = acts;
      return isMore;
    },
    isAtRest() {
      if (!isDone || calmedAt === undefined) return false;
      if (finishedAt === undefined && world.now > calmedAt + patienceMs) {
        finishedAt = world.now;
        world.schedule(0, { lane: "client" }, () => client?.finish());
      }
      return finishedAt !== undefined && world.now > finishedAt + patienceMs;
    },
  };
}

function refOf(raw: unknown): string {
  return typeof raw === "object" && raw !== null && "ref" in raw ? String(raw.ref) : "?";
}
