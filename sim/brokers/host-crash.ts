import type { World } from "../kernel/world.ts";

/**
 * Calls `listener` whenever the host of a broker crashes: all its connections end with it.
 *
 * `isHalfOpen`: nobody tells the other end, which learns of it when it next sends something.
 */
export function onHostCrash(
  world: World,
  host: string,
  listener: (isHalfOpen: boolean) => void,
): void {
  world.trace.listen((event) => {
    if (event.kind !== "host" || event.host !== host || event.state !== "crash") return;
    listener(event.isHalfOpen === true);
  });
}
