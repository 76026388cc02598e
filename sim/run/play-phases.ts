import type { World } from "../kernel/world.ts";
import { EPOCH_MS } from "../trace/epoch.ts";
import type { Stage } from "../worlds/stage.ts";

/** How often the liveness phase checks whether it may end, unless the world says otherwise. */
const REST_CHECK_MS = 5_000;

/**
 * Runs a world: a safety phase with faults, then a liveness phase without faults, which lasts until
 * nothing is owed any more, then the orderly shutdown of worlds that have one.
 *
 * What is still owed is given up when there was no progress for `liveness`, or for the world's
 * own patience where that is longer. So the phase follows from the work that a world contains: a
 * job that runs for days, a retry that is due in an hour, and a backlog that shrinks are
 * progress, while a job that never ends is found out `liveness` after the last of them. Progress
 * is finite, and with it the phase: there are only so many records, retries and attempts.
 *
 * Units: virtual milliseconds. A world that is ended early (`World.end`) starts no further phase.
 */
export async function playPhases(
  world: World,
  { safety, liveness }: { readonly safety: number; readonly liveness: number },
  stage: Stage,
): Promise<void> {
  const restCheckMs = stage.restCheckMs ?? REST_CHECK_MS;
  const epochMs = world.epochMs === EPOCH_MS ? undefined : world.epochMs;
  world.trace.emit("world", { kind: "phase", phase: "safety", epochMs });
  stage.start();
  await world.run(safety);
  if (world.isEnded) return;
  world.injector.disarm();
  world.trace.emit("world", { kind: "phase", phase: "liveness" });
  stage.calmDown();
  const giveUpAt = (): number => world.now + Math.max(liveness, stage.patienceMs ?? 0);
  let end = giveUpAt();
  while (!world.isEnded && world.now < end && !stage.isAtRest()) {
    await world.run(Math.min(end, world.now + restCheckMs));
    if (stage.hasProgressed()) end = giveUpAt();
  }
  world.trace.emit("world", { kind: "phase", phase: "rest" });
  const { shutdown } = stage;
  if (shutdown === undefined || world.isEnded) return;
  shutdown.begin();
  await world.run(world.now + shutdown.takesMs);
  if (!world.isEnded) shutdown.inspect();
}
