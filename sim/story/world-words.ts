import { instantText } from "../trace/epoch.ts";
import type { ProcessEvent, WorldEvent } from "../trace/trace.ts";

/** Returns in words what happened to a host, a link, or the process on a host. */
export function worldWords(event: (WorldEvent | ProcessEvent) & { readonly host: string }): string {
  switch (event.kind) {
    case "host":
      if (event.state === "skew") return clockWords(event);
      if (event.held !== undefined) {
        return `${event.host}: ${event.state}, killed for memory with ${event.held} events held`;
      }
      return event.isHalfOpen === true
        ? `${event.host}: ${event.state}, and its peers are not told`
        : `${event.host}: ${event.state}`;
    case "link":
      return `link ${event.host} to ${event.to}: ${event.state}`;
    case "fault":
      return `fault at ${event.site}: ${event.verdict}`;
    case "phase":
      return event.epochMs === undefined
        ? `phase: ${event.phase}`
        : `phase: ${event.phase}, clocks begin at ${instantText(event.epochMs)}`;
    case "uncaught":
      return `${event.host}: nobody catches ${event.error}`;
    case "spinning":
      return `${event.host} spins: ${event.steps} steps within ${event.ms} ms`;
    case "output":
      return `${event.host} prints: ${event.text.trimEnd()}`;
    default:
      return event satisfies never;
  }
}

function clockWords({
  host,
  aheadMs = 0,
  ppm = 0,
}: Extract<WorldEvent, { kind: "host" }> & { readonly host: string }): string {
  const off = `${Math.abs(aheadMs)} ms ${aheadMs < 0 ? "behind" : "ahead"}`;
  const drift = ppm === 0 ? "" : `, and drifts by ${ppm} ppm`;
  return `${host}: its wall clock is ${off}${drift}`;
}
