import type { TraceEvent } from "../../trace/trace.ts";

/** What a journey is about. */
export type JourneySubject =
  | { readonly kind: "record"; readonly name: string }
  | { readonly kind: "task"; readonly name: string }
  | { readonly kind: "job"; readonly name: string };

/** One event of a journey. */
export interface JourneyStep {
  readonly event: number;
  /** Which copy of a record it is about, or which attempt of a task; 0: the whole. */
  readonly part: number;
}

/** Returns every event that belongs to a record, a task or a job, in order. */
export function journeyOf(
  events: Iterable<TraceEvent>,
  subject: JourneySubject,
): readonly JourneyStep[] {
  const part = partReader(subject);
  const steps: JourneyStep[] = [];
  let event = 0;
  for (const one of events) {
    const of = part(one);
    if (of !== undefined) steps.push({ event, part: of });
    event += 1;
  }
  return steps;
}

/** Returns the part of the subject that an event is about, or undefined if it is about none. */
type PartReader = (event: TraceEvent) => number | undefined;

function partReader({ kind, name }: JourneySubject): PartReader {
  if (kind === "record") {
    const record = new RecordJourney(name);
    return (event) => record.partOf(event);
  }
  return kind === "task" ? taskJourney(name) : jobJourney(Number(name));
}

/** Follows a record: its copies, who holds them, and what was derived from them. */
class RecordJourney {
  readonly #ref: string;
  readonly #copies = new Set<number>();
  /** The copy whose window a subscription has open. */
  readonly #open = new Map<number, number>();
  /** Subscriptions that got a copy and have not resolved it for all that the trace shows. */
  readonly #derived = new Map<number, number>();
  /** By host, because each manager counts for itself. */
  readonly #seqs = new Map<string, Map<number, number>>();
  readonly #inFlight = new Map<number, number>();
  readonly #holders = new Map<string, number>();
  #isOver = false;

  constructor(ref: string) {
    this.#ref = ref;
  }

  partOf(event: TraceEvent): number | undefined {
    if ("ref" in event && event.kind !== "emit" && event.kind !== "persisted") {
      if (event.ref !== this.#ref) return undefined;
      if (event.kind === "settled" || event.kind === "dead-lettered") this.#isOver = true;
      return 0;
    }
    if ("sub" in event) return this.#partOfSubscriber(event);
    switch (event.kind) {
      case "emit":
        if (event.ref !== this.#ref) return undefined;
        this.#copies.add(event.copy);
        this.#holders.set(event.host, event.copy);
        return event.copy;
      case "fan-out":
      case "lane-failed":
        return this.#copies.has(event.copy) ? event.copy : undefined;
      case "persisted":
        return this.#derived.get(event.event) ?? (event.ref === this.#ref ? 0 : undefined);
      case "confirm":
        return firstOf(event.seqs, this.#seqs.get(event.host));
      case "advance":
        return this.#advance(event);
      case "advanced":
        return this.#take(this.#inFlight, event.poll);
      case "manager":
        this.#seqs.delete(event.host);
        return undefined;
      case "host":
        return this.#partOfHost(event);
      default:
        return undefined;
    }
  }

  #partOfSubscriber(event: Extract<TraceEvent, { readonly sub: number }>): number | undefined {
    const { sub } = event;
    const copy = this.#open.get(sub);
    switch (event.kind) {
      case "deliver":
        if (this.#copies.has(event.copy)) this.#open.set(sub, event.copy);
        else this.#open.delete(sub);
        return this.#open.get(sub);
      case "pull":
      case "unsubscribe":
        return this.#take(this.#open, sub);
      case "yield":
        if (copy !== undefined) this.#derived.set(event.event, copy);
        return copy;
      case "bind": {
        const from = copy ?? this.#derived.get(event.event);
        if (from !== undefined && event.seq !== null) this.#seqsOf(event.host).set(event.seq, from);
        return from;
      }
      case "subscribe":
      case "unsubscribed":
        return undefined;
      default:
        return copy;
    }
  }

  #advance({ poll, items }: Extract<TraceEvent, { kind: "advance" }>): number | undefined {
    const item = items.find(([copy]) => this.#copies.has(copy));
    if (item !== undefined) this.#inFlight.set(poll, item[0]);
    return item?.[0];
  }

  /** A host that dies with a copy in hand is a part of the journey. */
  #partOfHost({ host, state }: Extract<TraceEvent, { kind: "host" }>): number | undefined {
    if (state !== "crash" && state !== "pause") return undefined;
    const copy = this.#holders.get(host);
    if (state === "crash") {
      this.#holders.delete(host);
      this.#seqs.delete(host);
    }
    return this.#isOver ? undefined : copy;
  }

  #seqsOf(host: string): Map<number, number> {
    const seqs = this.#seqs.get(host) ?? new Map<number, number>();
    this.#seqs.set(host, seqs);
    return seqs;
  }

  #take(from: Map<number, number>, key: number): number | undefined {
    const copy = from.get(key);
    from.delete(key);
    return copy;
  }
}

function firstOf(
  seqs: readonly number[],
  known: ReadonlyMap<number, number> | undefined,
): number | undefined {
  const seq = seqs.find((one) => known?.has(one) === true);
  return seq === undefined ? undefined : known?.get(seq);
}

/** Follows a task instance with its attempts, their state and their jobs. */
function taskJourney(task: string): PartReader {
  const attempts = new Set<number>();
  const scopes = new Set<string>();
  const jobs = new Map<number, number>();
  const hosts = new Map<string, number>();
  return (event) => {
    if (event.kind === "host") {
      const attempt = hosts.get(event.host);
      if (event.state === "crash" || event.state === "stop") hosts.delete(event.host);
      return event.state === "start" ? undefined : attempt;
    }
    if (event.kind === "attempt" && event.task === task) {
      attempts.add(event.attempt);
      scopes.add(event.scope);
      hosts.set(event.host, event.attempt);
    }
    if (event.kind === "fault") return hosts.get(event.host);
    if (event.kind === "job-accepted" && event.task === task) jobs.set(event.job, event.attempt);
    if ("task" in event) {
      if (event.task !== task) return undefined;
      return "attempt" in event ? event.attempt : 0;
    }
    if ("attempt" in event && event.attempt > 0) {
      return attempts.has(event.attempt) ? event.attempt : undefined;
    }
    if ("job" in event) return jobs.get(event.job);
    return "scope" in event && scopes.has(event.scope) ? 0 : undefined;
  };
}

function jobJourney(job: number): PartReader {
  return (event) => {
    if (!("job" in event) || event.job !== job) return undefined;
    return "attempt" in event ? event.attempt : 0;
  };
}

/** What the event at hand belongs to, so that its journeys can be chosen. */
export function subjectsOf(
  event: TraceEvent,
  refOf: ReadonlyMap<number, string>,
  taskOfAttempt: ReadonlyMap<number, string>,
): readonly JourneySubject[] {
  const subjects = new Map<string, JourneySubject>();
  const add = (kind: JourneySubject["kind"], name: string | undefined): void => {
    if (name !== undefined && name !== "") subjects.set(`${kind} ${name}`, { kind, name });
  };
  if ("ref" in event) add("record", event.ref);
  if ("copy" in event) add("record", refOf.get(event.copy));
  if (event.kind === "advance") for (const [copy] of event.items) add("record", refOf.get(copy));
  if ("task" in event) add("task", event.task);
  if ("attempt" in event) add("task", taskOfAttempt.get(event.attempt));
  if ("job" in event && event.job > 0) add("job", String(event.job));
  return [...subjects.values()];
}
