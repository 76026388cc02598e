import type { TraceEvent } from "../../trace/trace.ts";

/** Returns the few letters that stand on a bar that begins with this event. */
export function barLabel(event: TraceEvent): string {
  switch (event.kind) {
    case "host":
      return event.state === "pause" ? "paused" : `incarnation ${event.incarnation}`;
    case "phase":
      return event.phase;
    case "link":
      return event.state;
    case "task-state":
      return event.state;
    case "attempt":
      return `attempt ${event.attempt}, ${event.start}`;
    case "deliver":
      return "window";
    case "advance":
      return `advance ${event.items.length}`;
    case "job-accepted":
      return "accepted";
    case "job-started":
      return "running";
    case "subscribe":
      return "subscribed";
    case "factory":
    case "open":
      return "open";
    default:
      return "";
  }
}
