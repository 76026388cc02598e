import type { HerdFault, OverloadFault } from "../codecs/crowd-faults.ts";
import { type SiteName, TRANSACTIONS } from "../faults/site.ts";
import { PASS, type Verdict } from "../faults/verdict.ts";
import type { Host } from "../hosts/host.ts";
import type { Network } from "../hosts/network.ts";
import type { World } from "../kernel/world.ts";

/** How long a client waits for a connection of an exhausted pool. */
const POOL_WAIT_MS = 2_000;
const SECOND_MS = 1_000;

/** Crashes every host of a kind that is up; returns whether there was one. */
export function restartAll(
  network: Network<Host>,
  { restartAll: kind, restartAfter }: Pick<HerdFault, "restartAll" | "restartAfter">,
): boolean {
  const isOfKind = (name: string): boolean =>
    name.startsWith(`${kind}-`) && /^\d+$/.test(name.slice(kind.length + 1));
  const herd = network.hosts().filter(({ name, isUp }) => isUp && isOfKind(name));
  for (const host of herd) host.crash(restartAfter);
  return herd.length > 0;
}

/** Installs the limit of a host that has too much to do; it strikes each call beyond the limit. */
export function installOverload(world: World, fault: OverloadFault): void {
  const { at: from, overload, admits, calls, for: ms, capacity = false } = fault;
  let counted: number[] = [];
  world.injector.install({
    name: `${overload} admits ${admits} calls a second`,
    part: fault,
    outlastsFaults: capacity,
    decide({ site, to }, now) {
      if (to !== overload || now < from || now >= from + ms) return PASS;
      if (calls !== undefined && calls !== site) return PASS;
      counted = counted.filter((when) => when > now - SECOND_MS);
      const isRefused = counted.length >= admits;
      if (!isRefused || capacity) counted.push(now);
      return isRefused ? refusalAt(site) : PASS;
    },
  });
}

function refusalAt(site: SiteName): Verdict {
  return TRANSACTIONS.has(site)
    ? { kind: "fail", when: "before", error: "pool-exhausted", ms: POOL_WAIT_MS }
    : { kind: "fail", when: "before", refusal: "too-many-requests" };
}
