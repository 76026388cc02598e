import type { Host } from "./host.ts";
import type { Network } from "./network.ts";

/**
 * Ends the faults of hosts and links: cut and held links are repaired, paused hosts go on at once,
 * and those that are down start again. Children and attempts are started by whoever owns them.
 */
export function endFaults(network: Network<Host>): void {
  network.repairAll();
  for (const host of network.hosts()) {
    if (host.isUp) host.resume();
    else if (host.role === "service" || host.role === "worker") host.start();
  }
}
