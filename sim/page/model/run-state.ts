import { StreamFacts } from "../../checkers/stream/stream-facts.ts";
import { TaskFacts } from "../../checkers/task/task-facts.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { BrokerState } from "./broker-state.ts";

/** A host as its own events leave it. */
export interface HostState {
  readonly state: "up" | "down" | "paused";
  readonly incarnation: number;
  /** When its pause ends, in virtual milliseconds. */
  readonly until?: number | undefined;
}

/** Everything that is known of a run after some of its events. */
export class RunState {
  /** How many events were applied. */
  events = 0;
  now = 0;
  phase = "";
  readonly hosts: Map<string, HostState> = new Map();
  /** Links that are cut or held, as "from → to". */
  readonly links: Map<string, "cut" | "held"> = new Map();
  readonly streams: StreamFacts = new StreamFacts();
  readonly tasks: TaskFacts = new TaskFacts();
  readonly broker: BrokerState = new BrokerState();

  apply(event: TraceEvent): void {
    this.events += 1;
    this.now = event.at;
    if (event.kind === "phase") this.phase = event.phase;
    else if (event.kind === "host") this.#applyHost(event);
    else if (event.kind === "link") this.#applyLink(event);
    this.streams.apply(event);
    this.tasks.apply(event);
    this.broker.apply(event);
  }

  #applyHost({ host, state, incarnation, until }: Extract<TraceEvent, { kind: "host" }>): void {
    if (state === "skew") return;
    if (state === "pause") this.hosts.set(host, { state: "paused", incarnation, until });
    else {
      const isDown = state === "crash" || state === "stop";
      this.hosts.set(host, { state: isDown ? "down" : "up", incarnation });
    }
  }

  #applyLink({ host, to, state }: Extract<TraceEvent, { kind: "link" }>): void {
    const name = `${host} → ${to}`;
    if (state === "cut" || state === "held") this.links.set(name, state);
    else this.links.delete(name);
  }
}

/** How many events before the one that is asked for are remembered. */
const STEPS_BACK = 32;
/** How many views are kept. */
const KEPT_MAX = 8 * STEPS_BACK;

/**
 * Reads the state of a run after any of its events, as the view that `viewOf` makes of it.
 *
 * Going on from the last state is cheap. Going back reads the run again from its beginning, and
 * keeps the views of some events before: most steps back are cheap.
 */
export class StateReader<View> {
  readonly #trace: PackedTrace;
  readonly #viewOf: (state: RunState) => View;
  readonly #kept = new Map<number, View>();
  #state = new RunState();

  /** A view must not change when its state does. */
  constructor(trace: PackedTrace, viewOf: (state: RunState) => View) {
    this.#trace = trace;
    this.#viewOf = viewOf;
  }

  /** How many events have been read. */
  get events(): number {
    return this.#state.events;
  }

  /**
   * Returns the state after the event at `index`; undefined if that is more than `eventsMax` events
   * away, which are read: then it is to be called again.
   */
  read(index: number, eventsMax: number = Number.POSITIVE_INFINITY): View | undefined {
    const known = this.#kept.get(index);
    if (known !== undefined) return known;
    if (this.#state.events > index) this.#state = new RunState();
    const end = Math.min(index + 1, this.#state.events + eventsMax);
    while (this.#state.events < end) {
      const at = this.#state.events;
      this.#state.apply(this.#trace.event(at));
      if (at > index - STEPS_BACK) this.#keep(at);
    }
    return this.#kept.get(index);
  }

  #keep(index: number): void {
    this.#kept.set(index, this.#viewOf(this.#state));
    // The oldest are at the beginning.
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}
