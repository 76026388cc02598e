import type { MetadataDatabase } from "../../hosts/metadata-database.ts";
import type { Host } from "../../hosts/host.ts";
import type { Network } from "../../hosts/network.ts";
import type { World } from "../../kernel/world.ts";
import type { Operation } from "./triggerer-scenario.ts";

/** What operations reach. */
export interface OperationTargets {
  readonly database: MetadataDatabase;
  readonly network: Network<Host>;
  readonly abortOf: (runner: string) => AbortController | undefined;
}

/** How long a triggerer that is told to stop may drain before it is killed (T19). */
const KILL_AFTER_MS = 10_000;

/** Schedules what users and operators of the world do. */
export function installOperations(
  world: World,
  operations: readonly Operation[],
  targets: OperationTargets,
): void {
  for (const operation of operations) {
    world.schedule(operation.at, { lane: "operations" }, () => perform(world, operation, targets));
  }
}

function perform(world: World, operation: Operation, targets: OperationTargets): void {
  const { database } = targets;
  if ("createTrigger" in operation) {
    const known = database.triggersOf(operation.createTrigger).length;
    for (let at = 1; at <= operation.count; at += 1) {
      database.createTrigger(operation.createTrigger, known + at);
    }
  } else if ("cancelTriggers" in operation) {
    const rows = database.triggersOf(operation.cancelTriggers);
    for (const { id } of rows.slice(-operation.count)) database.deleteTrigger(id);
  } else {
    shutDown(world, operation.shutDown, operation.restartAfter, targets);
  }
}

/** The runner drains in peace for a while, then triggerer and supervisor are gone. */
function shutDown(
  world: World,
  triggerer: string,
  restartAfterMs: number,
  { network, abortOf }: OperationTargets,
): void {
  const number = triggerer.replace(/^triggerer-/, "");
  const host = network.host(`supervisor-${number}`);
  if (host === undefined) throw new RangeError(`There is no "${triggerer}" in this world`);
  world.injector.count(`shut down ${triggerer}`);
  const life = host.life;
  abortOf(`runner-${number}`)?.abort();
  world.schedule(KILL_AFTER_MS, { lane: "operations", hop: false }, () => {
    if (host.life === life) host.crash(restartAfterMs);
  });
}
