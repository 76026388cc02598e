import type { SettleAct, TraceEvent } from "../../trace/trace.ts";
import type { Facts } from "../checker.ts";
import type { CopyFacts, DecisionTable, RecordFacts, SessionFacts } from "./record-facts.ts";
import { MALFORMED } from "./broker-errors.ts";

/** How long a fault has effects: retries, timeouts, a library that reconnects late. */
const AFTERMATH_MS = 30_000;
const DISTURBED_MS = 15_000;
/** How long a library may take to end what it was refused: it repeats calls whose replies are lost. */
const ENDING_MS = 90_000;
const CLIENT_HOST = "triggerer";

/** What the checkers of a producer know of its run. */
export class ProducerFacts implements Facts {
  restedUntil = 0;
  now = 0;
  readonly records: Map<string, RecordFacts> = new Map();
  readonly copies: Map<number, CopyFacts> = new Map();
  readonly sessions: Map<number, SessionFacts> = new Map();
  /** Where each cumulative unit was committed last, by whomever. */
  readonly positions: Map<string, bigint> = new Map();
  /** When each delivery was settled for good, by its handle. */
  readonly finals: Map<string, number> = new Map();
  /** When a record of each ordering unit was given back last, which may take others with it. */
  readonly givenBackAt: Map<string, number> = new Map();
  readonly decide: DecisionTable;
  /** Whether a client can know that a record which it acknowledged is settled. */
  readonly confirms: boolean;
  phase: "safety" | "liveness" | "rest" = "safety";
  /** Since when faults are over; -1: they are not. */
  calmSince = -1;
  /** When a record was settled, dead-lettered or expired last, or the faults ended. */
  progressedAt = -1;
  /** Until when calls to the broker may fail because of faults. */
  troubledUntil = -1;
  /** When something happened last that makes repeating oneself natural. */
  lastDisruptionAt = -1;
  /** Until when a disturbance of the broker's own may last: a topic that refuses, a rival. */
  disturbedUntil = -1;
  /** Until when consumers may not know that an earlier producer's has left their group. */
  leftUntil = -1;
  /** Until when client libraries may be at work on the end of what the broker refuses to serve. */
  refusedUntil = -1;
  readonly #units = new Map<string, RecordFacts[]>();
  #cuts = 0;
  #isBrokerDown = false;
  #newest: SessionFacts | undefined;

  constructor(decide: DecisionTable, confirms = true) {
    this.decide = decide;
    this.confirms = confirms;
  }

  get isTroubled(): boolean {
    return this.#cuts > 0 || this.#isBrokerDown || this.now <= this.troubledUntil;
  }

  /** Whether calls to the broker may have failed at some time from `since` on. */
  wasTroubledSince(since: number): boolean {
    return this.isTroubled || this.troubledUntil >= since;
  }

  /** Whether it is a client of ours, and no rival's. */
  isOurs(consumer: string): boolean {
    return consumer.startsWith(`${CLIENT_HOST}/`);
  }

  /** The records of the same ordering unit that were published before this one, in their order. */
  earlierOf(record: RecordFacts): readonly RecordFacts[] {
    const units = this.#units.get(record.unit) ?? [];
    return units.slice(0, units.indexOf(record));
  }

  apply(event: TraceEvent): void {
    this.now = event.at;
    switch (event.kind) {
      case "phase":
        this.phase = event.phase;
        if (event.phase !== "liveness") break;
        this.calmSince = event.at;
        this.progressedAt = event.at;
        break;
      case "published":
        this.#record(event.ref);
        break;
      case "garbled":
        this.#record(event.ref).isGarbled = true;
        break;
      case "copied":
        this.#copied(this.#record(event.ref));
        break;
      case "delivered":
        this.#record(event.ref).deliveries += 1;
        this.#record(event.ref).deliveredAt = event.at;
        this.#join(this.#record(event.ref), event.unit);
        this.#record(event.ref).place ??= event.place;
        break;
      case "settled": {
        const record = this.#record(event.ref);
        record.settledAt ??= event.at;
        this.progressedAt = event.at;
        if (!this.isOurs(event.consumer)) record.settledByRival = true;
        break;
      }
      case "settle":
        this.#settle(event);
        break;
      case "dead-lettered":
        this.#record(event.ref).deadLetteredAt = event.at;
        this.progressedAt = event.at;
        break;
      case "expired":
        this.#record(event.ref).isExpired = true;
        this.progressedAt = event.at;
        break;
      case "commits-lost":
        this.#lose(event.since);
        break;
      case "disturbed":
        this.disturbedUntil = event.at + DISTURBED_MS;
        this.lastDisruptionAt = event.at;
        if (event.isFatal !== true) break;
        this.#trouble(AFTERMATH_MS);
        this.refusedUntil = event.at + ENDING_MS;
        break;
      case "lapsed":
        this.lastDisruptionAt = event.at;
        break;
      default:
        this.#applySession(event);
        this.#applyTrouble(event);
    }
  }

  /** A fail-over has lost what was settled, and what was dead-lettered, since then. */
  #lose(since: number): void {
    this.lastDisruptionAt = this.now;
    for (const record of this.records.values()) {
      if ((record.deadLetteredAt ?? -1) >= since) record.deadLetteredAt = undefined;
      if ((record.settledAt ?? -1) < since) continue;
      record.settledAt = undefined;
      record.settledByRival = false;
    }
  }

  /** Notes the ordering unit of a record when it is delivered. */
  /** What is put behind others, or elsewhere, has no place among them any more. */
  #copied(record: RecordFacts): void {
    record.isCopied = true;
    const members = this.#units.get(record.unit) ?? [];
    if (members.includes(record)) members.splice(members.indexOf(record), 1);
    record.unit = "";
  }

  #join(record: RecordFacts, unit: string): void {
    if (record.unit === unit || record.isCopied) return;
    record.unit = unit;
    const members = this.#units.get(unit) ?? [];
    const at = members.findIndex(({ order }) => order > record.order);
    members.splice(at === -1 ? members.length : at, 0, record);
    this.#units.set(unit, members);
  }

  #settle({ ref, act, refused, handle }: Extract<TraceEvent, { kind: "settle" }>): void {
    const isFinal = act === "ack" || act === "nack" || act === "terminate" || act === "defer";
    if (isFinal && refused === "") this.#end(handle, ref, act);
    if (refused !== "" && !MALFORMED.has(refused)) this.lastDisruptionAt = this.now;
    const mark = handle.lastIndexOf("@");
    if (act !== "commit" || refused !== "" || mark === -1) return;
    const position = BigInt(handle.slice(mark + 1));
    // Below 0 the group is told to start anew, as a library does when retention removed its position.
    if (position >= 0n) this.positions.set(handle.slice(0, mark), position);
  }

  #end(handle: string, ref: string, act: SettleAct): void {
    this.finals.set(handle, this.now);
    const record = this.records.get(ref);
    if (record === undefined) return;
    record.finalAt = this.now;
    if (act !== "nack") return;
    this.givenBackAt.set(record.unit, this.now);
    for (const copy of record.copies) if (copy.outcome !== undefined) copy.isNacked = true;
  }

  #applySession(event: TraceEvent): void {
    switch (event.kind) {
      case "factory":
        this.#newest = {
          poll: event.poll,
          host: event.host,
          openedAt: undefined,
          endedAt: undefined,
          closingAt: undefined,
          closedAt: undefined,
          diedAt: undefined,
          advance: undefined,
          error: undefined,
        };
        this.sessions.set(event.poll, this.#newest);
        this.lastDisruptionAt = event.at;
        break;
      case "open":
        this.#session(event.poll).openedAt = event.at;
        break;
      case "emit":
        this.#emit(event.poll, event.copy, event.ref);
        break;
      case "fan-out": {
        const copy = this.copies.get(event.copy);
        if (copy !== undefined) copy.lane = event.lane;
        break;
      }
      case "advance":
        this.#advance(event);
        break;
      case "advanced":
        for (const copy of this.#session(event.poll).advance?.copies ?? [])
          copy.passedAt = this.now;
        this.#session(event.poll).advance = undefined;
        break;
      case "producer-error":
        this.#session(event.poll).error = event.error;
        break;
      case "poll-ended":
        this.#session(event.poll).endedAt = event.at;
        break;
      case "aclose":
        this.#session(event.poll).closingAt = event.at;
        break;
      case "aclosed":
        this.#session(event.poll).closedAt = event.at;
        if (this.#newest?.poll !== event.poll) this.leftUntil = event.at + DISTURBED_MS;
        this.#session(event.poll).upsetUntil = this.isTroubled
          ? this.now
          : Math.max(this.lastDisruptionAt, this.disturbedUntil, this.troubledUntil);
        break;
      default:
    }
  }

  #applyTrouble(event: TraceEvent): void {
    switch (event.kind) {
      case "fault":
        this.lastDisruptionAt = event.at;
        if (event.site.startsWith("broker.")) this.#trouble(AFTERMATH_MS);
        break;
      case "link":
        this.lastDisruptionAt = event.at;
        if (event.state === "cut" || event.state === "held") this.#cuts += 1;
        else this.#cuts = Math.max(0, this.#cuts - 1);
        this.#trouble(AFTERMATH_MS);
        break;
      case "host":
        this.lastDisruptionAt = event.at;
        this.#applyHost(event.host, event.state, event.until);
        break;
      default:
    }
  }

  #applyHost(host: string, state: string, until: number | undefined): void {
    if (state === "pause") {
      this.troubledUntil = Math.max(this.troubledUntil, (until ?? this.now) + AFTERMATH_MS);
    } else if (state === "resume") {
      this.#trouble(AFTERMATH_MS);
    } else if (host !== CLIENT_HOST) {
      this.#isBrokerDown = state === "crash";
      // The first start of the broker is not a fault.
      if (state !== "start") this.#trouble(AFTERMATH_MS);
    } else if (state === "crash") {
      for (const session of this.sessions.values()) session.diedAt ??= this.now;
    }
  }

  #trouble(ms: number): void {
    this.troubledUntil = Math.max(this.troubledUntil, this.now + ms);
  }

  #emit(poll: number, number: number, ref: string): void {
    const record = this.#record(ref);
    const copy: CopyFacts = {
      number,
      record,
      session: this.#session(poll),
      emittedAt: this.now,
      deliveredAt: record.deliveries > record.copies.length + 1 ? -1 : record.deliveredAt,
      lane: undefined,
      outcome: undefined,
      decision: undefined,
      resolvedAt: -1,
      passedAt: -1,
      isNacked: false,
    };
    record.copies.push(copy);
    this.copies.set(number, copy);
  }

  #advance(event: Extract<TraceEvent, { kind: "advance" }>): void {
    const copies: CopyFacts[] = [];
    for (const [number, acked, failed, rejected] of event.items) {
      const copy = this.copies.get(number);
      if (copy === undefined) continue;
      copy.outcome = { acked, failed, rejected };
      copy.decision = this.decide(copy.outcome);
      copy.resolvedAt = this.now;
      copies.push(copy);
    }
    this.#session(event.poll).advance = { at: this.now, copies };
  }

  #record(ref: string): RecordFacts {
    const known = this.records.get(ref);
    if (known !== undefined) return known;
    const record: RecordFacts = {
      ref,
      order: this.records.size,
      isGarbled: false,
      isCopied: false,
      unit: "",
      place: undefined,
      deliveries: 0,
      deliveredAt: -1,
      finalAt: -1,
      copies: [],
      settledAt: undefined,
      deadLetteredAt: undefined,
      isExpired: false,
      settledByRival: false,
    };
    this.records.set(ref, record);
    return record;
  }

  #session(poll: number): SessionFacts {
    const known = this.sessions.get(poll);
    if (known === undefined) throw new RangeError(`No producer with poll ${poll}`);
    return known;
  }
}
