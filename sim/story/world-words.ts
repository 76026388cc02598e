import type { ProcessEvent, WorldEvent } from "../trace/trace.ts";

/** Returns in words what happened to a host, a link, or the process on a host. */
export function worldWords(event: (WorldEvent | ProcessEvent) & { readonly host: string }): string {
  switch (event.kind) {
    case "host":
      return event.isHalfOpen === true
        ? `${event.host}: ${event.state}, and its peers are not told`
        : `${event.host}: ${event.state}`;
    case "link":
      return `link ${event.host} to ${event.to}: ${event.state}`;
    case "fault":
      return `fault at ${event.site}: ${event.verdict}`;
    case "phase":
      return `phase: ${event.phase}`;
    case "uncaught":
      return `${event.host}: nobody catches ${event.error}`;
    case "output":
      return `${event.host} prints: ${event.text.trimEnd()}`;
    default:
      return event satisfies never;
  }
}
