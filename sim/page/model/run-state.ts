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

/**
 * Returns the state of a run after any of its events.
 *
 * Going on from the last state is cheap; going back reads the run again from its beginning.
 */
export class StateReader {
  readonly #trace: PackedTrace;
  #state = new RunState();

  constructor(trace: PackedTrace) {
    this.#trace = trace;
  }

  /** The state after the event at `index`; it changes with the next call. */
  after(index: number): RunState {
    if (this.#state.events > index + 1) this.#state = new RunState();
    while (this.#state.events <= index && this.#state.events < this.#trace.length) {
      this.#state.apply(this.#trace.event(this.#state.events));
    }
    return this.#state;
  }
}
