import { FAULT_WORDS } from "../../trace/fault-words.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import type { ProducerFacts } from "./producer-facts.ts";

const CRASHES: ReadonlySet<string> = new Set([
  FAULT_WORDS["crash-before"],
  FAULT_WORDS["crash-after"],
]);

/** The situations in which producers go wrong. */
const SITUATIONS = {
  failed: "an event failed",
  zero: "an event was broadcast to nobody",
  rejected: "an event was rejected",
  mixed: "an event was rejected by one subscriber and failed by another",
  heldInBatch: "a batch held a failed event and others behind it",
  settledAfterHold: "a held event came back and was settled",
  overflow: "a subscriber was too slow for its queue",
  timedOut: "a subscriber held an event past the ack timeout",
  staleCopy: "a copy of an older reading was resolved after its record had come again",
  refused: "the broker refused a settlement",
  crashInAdvance: "the triggerer died while advance was under way",
  restart: "a producer took over from one that had died",
  unopened: "a producer was closed before its stream was opened",
  factory: "a factory failed after it had made its producer",
  lapsed: "a lease or membership ended",
  expired: "retention took a record that nobody had settled",
  heldExpired: "retention took a record that was held for redelivery",
  renewed: "a lease was renewed three times",
} as const;

type Situation = keyof typeof SITUATIONS;

export const PRODUCER_SITUATIONS: readonly string[] = Object.freeze(Object.values(SITUATIONS));

/** The situation that only brokers bring about whose leases a client has to renew. */
export const RENEWAL_SITUATION: string = SITUATIONS.renewed;

/** Where a triggerer with a producer may die. */
export const PRODUCER_CRASH_SITES = [
  "producer.advance",
  "broker.settle",
  "broker.produce",
  "broker.fetch",
  "producer.broadcast",
  "producer.fetched",
  "producer.connect",
  "producer.close",
  "runner.filter",
  "runner.bound",
  "runner.confirm",
] as const;

/** The mark of a triggerer that dies at this site. */
export function diedAt(site: string): string {
  return `the triggerer died at ${site}`;
}

const DEATHS: ReadonlySet<string> = new Set(PRODUCER_CRASH_SITES.map(diedAt));

/** What should happen now and then in the world of a producer. */
export const PRODUCER_MARKS: readonly string[] = Object.freeze([...PRODUCER_SITUATIONS, ...DEATHS]);

/** A renewal that strikes once or twice may still be one that ends too early. */
const RENEWALS = 3;

const TRIGGERER = "triggerer";

type AdvanceItems = Extract<TraceEvent, { kind: "advance" }>["items"];

/** Counts the marks of one run. */
export class ProducerMarks {
  readonly #sometimes: (mark: string) => void;
  readonly #batches: AdvanceItems[] = [];
  /** How often each delivery or session was renewed, by consumer and handle. */
  readonly #renewals = new Map<string, number>();
  #advancing = 0;

  constructor(sometimes: (mark: string) => void) {
    this.#sometimes = sometimes;
  }

  observe(event: TraceEvent): void {
    switch (event.kind) {
      case "advance":
        this.#advancing += 1;
        this.#batches.push(event.items);
        break;
      case "advanced":
        this.#advancing -= 1;
        break;
      case "settle":
        if (event.refused !== "") this.#count("refused");
        else if (event.act === "extend") this.#observeRenewal(`${event.consumer} ${event.handle}`);
        break;
      case "lapsed":
        this.#count("lapsed");
        break;
      case "force-failed":
        this.#count(event.reason === "overflow" ? "overflow" : "timedOut");
        break;
      case "expired":
        this.#count("expired");
        break;
      case "factory":
        if (event.key === "unopened") this.#count("unopened");
        break;
      case "factory-failed":
        this.#count("factory");
        break;
      case "fault":
        if (CRASHES.has(event.verdict)) this.#observeDeath(event.site);
        break;
      case "host":
        if (event.host === TRIGGERER) this.#observeTriggerer(event.state);
        break;
      default:
    }
  }

  /** Counts the situations that are known only when all outcomes are. */
  end({ records, copies: all }: ProducerFacts): void {
    for (const { copies, settledAt, isExpired } of records.values()) {
      if (isExpired && copies.at(-1)?.decision === "hold") this.#count("heldExpired");
      for (const [at, copy] of copies.entries()) {
        if (copy.outcome === undefined) continue;
        const { acked, failed, rejected } = copy.outcome;
        if (failed > 0) this.#count("failed");
        if (acked + failed + rejected === 0) this.#count("zero");
        if (rejected > 0) this.#count("rejected");
        if (rejected > 0 && failed > 0) this.#count("mixed");
        if (copy.decision === "hold" && settledAt !== undefined) this.#count("settledAfterHold");
        const next = copies[at + 1];
        if (next !== undefined && next.session === copy.session && copy.resolvedAt > next.emittedAt)
          this.#count("staleCopy");
      }
    }
    for (const items of this.#batches) {
      const held = items.findIndex(([number]) => all.get(number)?.decision === "hold");
      if (held !== -1 && held < items.length - 1) this.#count("heldInBatch");
    }
  }

  #observeRenewal(lease: string): void {
    const renewals = (this.#renewals.get(lease) ?? 0) + 1;
    this.#renewals.set(lease, renewals);
    if (renewals === RENEWALS) this.#count("renewed");
  }

  #observeDeath(site: string): void {
    const mark = diedAt(site);
    if (DEATHS.has(mark)) this.#sometimes(mark);
  }

  #observeTriggerer(state: string): void {
    if (state === "restart") this.#count("restart");
    if (state !== "crash") return;
    if (this.#advancing > 0) this.#count("crashInAdvance");
    this.#advancing = 0;
  }

  #count(situation: Situation): void {
    this.#sometimes(SITUATIONS[situation]);
  }
}
