import type { MetadataDatabase } from "../../hosts/metadata-database.ts";
import type { Host } from "../../hosts/host.ts";
import type { World } from "../../kernel/world.ts";
import type { Operation, TriggererVersion } from "./triggerer-scenario.ts";

/** A triggerer as its users see it: a supervisor, and a runner that can drain. */
export interface Triggerer {
  readonly supervisor: Host;
  drain(): void;
}

/** What operations reach. */
export interface OperationTargets {
  readonly database: MetadataDatabase;
  /** By the name that a scenario gives them. */
  readonly triggerers: ReadonlyMap<string, Triggerer>;
  /** From its next start on a triggerer runs with this version. */
  deploy(triggerer: string, version: TriggererVersion): void;
}

/** How long a stopping triggerer may drain before it is killed (T19). */
const KILL_AFTER_MS = 10_000;
/** How long a triggerer is down until its new version starts. */
const UPGRADE_MS = 3_000;

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
    world.injector.tookEffect(operation);
  } else if ("cancelTriggers" in operation) {
    const rows = database.triggersOf(operation.cancelTriggers);
    for (const { id } of rows.slice(-operation.count)) database.deleteTrigger(id);
    if (rows.length > 0) world.injector.tookEffect(operation);
  } else if ("upgrade" in operation) {
    upgrade(world, operation, targets);
  } else {
    const isUp = shutDown(world, operation.shutDown, operation.restartAfter, targets);
    if (isUp) world.injector.tookEffect(operation);
  }
}

/** Replaces one triggerer after the other; each drains, as whenever it is shut down. */
function upgrade(
  world: World,
  operation: Extract<Operation, { readonly upgrade: unknown }>,
  targets: OperationTargets,
): void {
  const names = [...targets.triggerers.keys()];
  for (const [nth, name] of names.entries()) {
    world.schedule(nth * operation.every, { lane: "operations" }, () => {
      targets.deploy(name, operation.upgrade);
      if (shutDown(world, name, UPGRADE_MS, targets)) world.injector.tookEffect(operation);
    });
  }
}

/** Lets the runner drain for a while, then stops runner and supervisor; returns whether they are up. */
function shutDown(
  world: World,
  name: string,
  restartAfterMs: number,
  { triggerers }: OperationTargets,
): boolean {
  const triggerer = triggerers.get(name);
  if (triggerer === undefined) throw new RangeError(`There is no "${name}" in this world`);
  const { supervisor: host } = triggerer;
  world.injector.count(`shut down ${name}`);
  const life = host.life;
  triggerer.drain();
  world.schedule(KILL_AFTER_MS, { lane: "operations", hop: false }, () => {
    if (host.life === life) host.crash(restartAfterMs);
  });
  return life !== undefined;
}
