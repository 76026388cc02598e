import type { HttpEvent } from "../trace/http-events.ts";
import type { LoadEvent, StateEvent } from "../trace/task-events.ts";

type DataEvent = StateEvent | HttpEvent | LoadEvent;

const KINDS: ReadonlySet<string> = new Set<DataEvent["kind"]>([
  "state-set",
  "state-got",
  "state-deleted",
  "state-cleared",
  "state-swept",
  "state-removed",
  "state-read",
  "sweep-done",
  "retention-asked",
  "asset-undeclared",
  "orphans-cleared",
  "clear-asked",
  "reads-lag",
  "commits-lost",
  "schema-changed",
  "http-asked",
  "http-answered",
  "page-loaded",
  "rows-loaded",
  "user-rewound",
  "run-triggered",
  "rows-arrived",
]);

/** Whether an event is about what tasks keep in their store, or load. */
export function isOfData<E extends { readonly kind: string }>(
  event: E,
): event is Extract<E, { readonly kind: DataEvent["kind"] }> {
  return KINDS.has(event.kind);
}

/** Returns in words what happened to a key of the store, or to rows and pages. */
export function dataWords(event: DataEvent): string {
  switch (event.kind) {
    case "page-loaded":
    case "rows-loaded":
    case "user-rewound":
    case "run-triggered":
    case "rows-arrived":
      return loadWords(event);
    case "http-asked":
    case "http-answered":
      return httpWords(event);
    default:
      return stateWords(event);
  }
}

function httpWords(event: HttpEvent): string {
  if (event.kind === "http-answered") {
    const shown = event.shown.map(({ key, value }) => `"${key}" as ${value}`).join(", ");
    return `request ${event.request} is answered with ${event.status}${shown && `: ${shown}`}`;
  }
  const { request, method, scope, key, value } = event;
  const what = key === "" ? scope : `"${key}" of ${scope}`;
  return `request ${request} over HTTP: ${method} ${what}${value === null ? "" : ` with ${value}`}`;
}

function stateWords(event: StateEvent): string {
  switch (event.kind) {
    case "state-set":
      return `"${event.key}" is set to ${event.value}`;
    case "state-got":
      return `"${event.key}" reads ${event.value ?? "nothing"}`;
    case "state-deleted":
      return `"${event.key}" is deleted`;
    case "state-cleared":
      return `${event.scope} is cleared (${event.why})`;
    case "state-swept":
      return `"${event.key}" is swept`;
    case "state-removed":
      return `${event.key === undefined ? event.scope : `"${event.key}"`} is told to be gone`;
    case "state-read":
      return `"${event.key}" is read as ${event.value ?? "nothing"}`;
    case "sweep-done":
      return `a sweep is over`;
    case "retention-asked":
      return `${event.key === "" ? "entries are" : `"${event.key}" is`} to be kept ${event.ms === null ? "for ever" : `for ${event.ms} ms`}`;
    case "asset-undeclared":
      return `no DAG declares ${event.scope} any more`;
    case "orphans-cleared":
      return `a clean-up of orphaned assets is over`;
    case "clear-asked":
      return `the state of ${event.task} is to go with its success`;
    case "reads-lag":
      return `reads of the store lag by ${event.by} ms`;
    case "commits-lost":
      return `the fail-over has lost what was committed after ${event.since} ms`;
    case "schema-changed":
      return `the table of the store now has the columns ${event.columns}`;
    default:
      return event satisfies never;
  }
}

function loadWords(event: LoadEvent): string {
  switch (event.kind) {
    case "page-loaded":
      return `page ${event.page} is loaded`;
    case "rows-loaded":
      return `rows ${event.from} to ${event.to} are loaded`;
    case "user-rewound":
      return `a user sets the watermark of ${event.process} back to ${event.to}`;
    case "run-triggered":
      return `a user triggers ${event.task} for ${event.logicalAt} ms`;
    case "rows-arrived":
      return `rows up to ${event.to} have arrived`;
    default:
      return event satisfies never;
  }
}
