import type { Host } from "../../hosts/host.ts";
import type { Network } from "../../hosts/network.ts";
import type { World } from "../../kernel/world.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import type { MemoryLimit } from "./triggerer-scenario.ts";

/** How often the kernel looks who holds too much. */
const LOOK_EVERY_MS = 500;

/** How many raw events each runner holds: broadcast, and not handed to the producer yet. */
export class Backlogs {
  readonly #held = new Map<string, number>();

  observe(event: TraceEvent): void {
    const { kind, host } = event;
    if (kind === "emit") this.#held.set(host, this.of(host) + 1);
    else if (kind === "advance") this.#held.set(host, this.of(host) - event.items.length);
    else if (kind === "host" && event.state !== "pause") this.#held.delete(host);
  }

  of(host: string): number {
    return this.#held.get(host) ?? 0;
  }

  /** The host with the largest backlog, the first of them to hold something; none if all are empty. */
  largest(): readonly [host: string, held: number] | undefined {
    let found: readonly [string, number] | undefined;
    for (const one of this.#held) if (found === undefined || one[1] > found[1]) found = one;
    return found;
  }
}

/**
 * Kills whoever holds most each time that it holds more than the limit, without a word and without
 * grace, until the limit's time is over or `isOver()`; one without a length outlasts the faults.
 */
export function installMemoryLimit(
  world: World,
  limit: MemoryLimit,
  parts: {
    readonly network: Network<Host>;
    readonly backlogs: Backlogs;
    readonly isOver: () => boolean;
  },
): void {
  const { memoryLimit, for: ms, restartAfter } = limit;
  const until = ms === undefined ? undefined : world.now + ms;
  const look = (): void => {
    if (until !== undefined && (world.now >= until || parts.isOver())) return;
    const [name, held] = parts.backlogs.largest() ?? ["", 0];
    if (held > memoryLimit) {
      world.injector.tookEffect(limit);
      parts.network.host(name)?.runOutOfMemory(held, restartAfter);
    }
    world.schedule(LOOK_EVERY_MS, { lane: "memory", hop: false }, look);
  };
  look();
}
