import { Host } from "../hosts/host.ts";
import type { Life } from "../hosts/life.ts";
import type { Network } from "../hosts/network.ts";
import type { JobSystemKnobs } from "../jobs/job-knobs.ts";
import { JobSystem } from "../jobs/job-system.ts";
import type { World } from "../kernel/world.ts";

/** The host of the outside job system. */
export const JOB_SYSTEM_HOST = "jobs";
const RESTART_MS = 3_000;

/** Adds an outside job system to a world, on a host of its own: its jobs outlive every client. */
export function addJobSystem(
  world: World,
  network: Network<Host>,
  knobs: JobSystemKnobs,
): JobSystem {
  const system = new JobSystem(world, JOB_SYSTEM_HOST, knobs);
  const boot = ({ incarnation }: Life): void => {
    if (incarnation > 1) system.restart();
  };
  new Host(world, network, JOB_SYSTEM_HOST, boot, { restartAfterMs: RESTART_MS });
  return system;
}
