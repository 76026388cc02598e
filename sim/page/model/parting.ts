import type { PackedTrace } from "../packed-trace.ts";

/** Returns how many events two runs have in common from their beginning on. */
export function sameEvents(one: PackedTrace, other: PackedTrace): number {
  const most = Math.min(one.length, other.length);
  for (let index = 0; index < most; index += 1) {
    if (JSON.stringify(one.event(index)) !== JSON.stringify(other.event(index))) return index;
  }
  return most;
}
