import type { TraceEvent } from "../../trace/trace.ts";
import type { RunModel } from "../model/run-model.ts";

/** One line of a sequence diagram: a message from one party to another, or a note at one. */
export interface DiagramStep {
  readonly from: string;
  /** Undefined: a note. */
  readonly to?: string | undefined;
  readonly text: string;
}

/** What concerns everybody: phases, and what a checker has seen. */
export const WORLD = "world";

const BROKER = "broker";
const DATABASE = "database";
const JOBS = "jobs";

/** Says between whom an event of a run happens. */
export class DiagramParties {
  readonly #run: RunModel;
  readonly #hostOfAttempt = new Map<number, string>();

  constructor(run: RunModel) {
    this.#run = run;
    for (const event of run.trace) {
      if (event.kind === "attempt") this.#hostOfAttempt.set(event.attempt, event.host);
    }
  }

  /** Returns the line of an event; where two hosts are not known, a note at the one that is. */
  stepOf(index: number, text: string): DiagramStep {
    const event = this.#run.trace.event(index);
    const [from, to] = this.#between(event) ?? [event.host, undefined];
    return from === undefined || from === to || to === undefined
      ? { from: event.host, text }
      : { from, to, text };
  }

  #between(event: TraceEvent): readonly [string | undefined, string | undefined] | undefined {
    const { host } = event;
    switch (event.kind) {
      case "published":
        return [host, BROKER];
      case "delivered":
        return [BROKER, host === BROKER ? event.consumer : host];
      case "emit":
        return [BROKER, host];
      case "settle":
        return [host === BROKER ? event.consumer : host, BROKER];
      case "deliver":
      case "stream-error":
      case "stream-done":
        return [host, this.#subscriber(event.sub)];
      case "subscribe":
      case "yield":
      case "reject":
      case "late-reject":
      case "unsubscribe":
        return [this.#subscriber(event.sub), host];
      case "confirm":
        return [DATABASE, host];
      case "state-sent":
        return [host, DATABASE];
      case "state-got":
        return [DATABASE, this.#hostOfAttempt.get(event.attempt)];
      case "job-accepted":
      case "job-deduplicated":
      case "job-status":
        return [this.#hostOfAttempt.get(event.attempt), JOBS];
      case "job-reply":
        return [JOBS, host];
      default:
        return undefined;
    }
  }

  #subscriber(sub: number): string | undefined {
    const { triggers, subscriber } = this.#run.cast;
    const trigger = triggers.get(sub);
    return trigger === undefined ? undefined : `${subscriber} ${trigger}`;
  }
}
