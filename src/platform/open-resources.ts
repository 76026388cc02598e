interface ProcessHost {
  getActiveResourcesInfo?(): readonly string[];
}

/** The names of timers and sockets among what a runtime lists. */
const TIMERS_AND_SOCKETS = /^(Timeout|TCP|TLS|UDP|Pipe|GetAddrInfo|HTTP)/i;
const SOCKETS = /^(TCP|TLS|UDP|Pipe|GetAddrInfo|HTTP)/i;

/**
 * Returns how many timers and sockets of the runtime are open; 0 where it does not report them.
 *
 * @example
 * ```ts
 * import { openResources } from "faultlane/platform";
 *
 * const before = openResources();
 * const timer = setTimeout(() => undefined, 60_000);
 * console.log(openResources() >= before); // => true
 * clearTimeout(timer);
 * ```
 */
export function openResources(): number {
  return count(TIMERS_AND_SOCKETS);
}

/**
 * Returns how many sockets of the runtime are open or connecting; 0 where it does not report them.
 *
 * @example
 * ```ts
 * import { openResources, openSockets } from "faultlane/platform";
 *
 * console.log(openSockets() <= openResources()); // => true
 * ```
 */
export function openSockets(): number {
  return count(SOCKETS);
}

function count(names: RegExp): number {
  const { process } = globalThis as { readonly process?: ProcessHost };
  try {
    return process?.getActiveResourcesInfo?.().filter((name) => names.test(name)).length ?? 0;
  } catch {
    return 0;
  }
}
