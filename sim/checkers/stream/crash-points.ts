import { FAULT_WORDS, type FaultName } from "../../trace/fault-words.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import type { StreamFacts } from "./stream-facts.ts";

/** The crash and fault points of a triggerer (K1 to K30), and what each is. */
export const CRASH_POINTS: Readonly<Record<string, string>> = {
  K1: "the runner dies before it has fetched",
  K2: "fetched, not broadcast",
  K3: "broadcast, still in a subscriber's queue",
  K4: "the filter works on it",
  K5: "the filter has yielded, nothing is bound",
  K6: "bound, not yet sent to the supervisor",
  K7: "the runner's changes do not reach the supervisor",
  K8: "the runner dies before the supervisor's reply",
  K9: "the supervisor dies with the event in its queue",
  K10: "storing the trigger event raises",
  K11: "the asset event is stored, the rows it queues are not",
  K12: "stored, and the supervisor dies before it remembers",
  K13: "the reply with the confirmations is lost",
  K14: "a confirmation for a group that is gone",
  K15: "confirmed, and the runner dies before the advance",
  K16: "the runner dies, or the call is lost, during the advance",
  K17: "the broker has settled, and its reply is lost",
  K18: "the database is down for longer than the ack timeout",
  K19: "the runner stalls for longer than its health threshold",
  K20: "siblings sit on different triggerers",
  K21: "the last sibling leaves during an advance",
  K22: "killed while it drains",
  K23: "a trigger event cannot be encoded",
  K24: "a filter raises",
  K25: "a trigger joins while events are outstanding",
  K26: "more than fifty siblings come in waves",
  K27: "a wall clock jumps",
  K28: "only the runner restarts, its supervisor goes on",
  K29: "the producer's session expires",
  K30: "a record comes again while its first copy is outstanding",
};

const HEALTH_MS = 30_000;
const WAVE = 50;

const FAULTS_OF_POINTS: readonly (readonly [site: string, fault: FaultName, point: string])[] = [
  ["producer.connect", "crash-before", "K1"],
  ["broker.fetch", "crash-before", "K1"],
  ["producer.fetched", "crash-before", "K2"],
  ["runner.filter", "crash-before", "K4"],
  ["runner.yield", "crash-before", "K5"],
  ["runner.bound", "crash-before", "K6"],
  ["sync.request", "crash-before", "K7"],
  ["sync.request", "drop-request", "K7"],
  ["sync.request", "crash-after", "K8"],
  ["supervisor.handle", "crash-before", "K9"],
  ["database.commit", "fail-before", "K10"],
  ["database.commit", "fail-after", "K10"],
  ["database.queue", "fail-before", "K11"],
  ["supervisor.confirm", "crash-before", "K12"],
  ["sync.request", "drop-reply", "K13"],
  ["producer.advance", "crash-before", "K15"],
  ["broker.settle", "crash-before", "K16"],
  ["broker.settle", "crash-after", "K16"],
  ["broker.settle", "drop-request", "K16"],
  ["broker.settle", "drop-reply", "K17"],
  ["broker.settle", "fail-after", "K17"],
  ["sync.encode", "encode", "K23"],
  ["runner.filter", "raise", "K24"],
  ["broker.session", "expire", "K29"],
];

/** Which point a fault at a site is, whatever else is going on. */
const POINT_OF_FAULT: ReadonlyMap<string, string> = new Map(
  FAULTS_OF_POINTS.map(([site, fault, point]) => [`${site}: ${FAULT_WORDS[fault]}`, point]),
);

/**
 * Counts which crash points a run hit, from the trace.
 *
 * Holds: a point that depends on the situation is counted only if the facts confirm the situation.
 */
export class CrashPointCounter {
  readonly #hits = new Map<string, number>();
  readonly #downSince = new Map<string, number>();
  readonly #crashedAt = new Map<string, number>();

  hits(): ReadonlyMap<string, number> {
    return this.#hits;
  }

  /** Called with each event before the facts take it in. */
  observe(event: TraceEvent, facts: StreamFacts): void {
    switch (event.kind) {
      case "fault": {
        const point = POINT_OF_FAULT.get(`${event.site}: ${event.verdict}`);
        if (point !== undefined) this.#hit(point);
        break;
      }
      case "host":
        this.#hearHost(event, facts);
        break;
      case "force-failed":
        if (event.reason === "ackTimeout" && this.#downSince.has("database")) this.#hit("K18");
        break;
      case "confirm":
        this.#hearConfirm(event, facts);
        break;
      case "subscribe":
        this.#hearSubscribe(event, facts);
        break;
      case "unsubscribe": {
        const group = facts.subs.get(event.sub)?.group;
        if (group?.subs.size === 1 && group.poll?.isInFlight === true) this.#hit("K21");
        break;
      }
      case "emit":
        if (facts.copiesOf.has(event.ref)) this.#hit("K30");
        break;
      default:
        break;
    }
  }

  #hit(point: string): void {
    this.#hits.set(point, (this.#hits.get(point) ?? 0) + 1);
  }

  #hearHost(event: Extract<TraceEvent, { kind: "host" }>, facts: StreamFacts): void {
    const { host, state, at } = event;
    if (state === "skew") this.#hit("K27");
    if (state === "pause" && (event.until ?? at) - at > HEALTH_MS && facts.managers.has(host)) {
      this.#hit("K19");
    }
    if (state === "crash") {
      this.#downSince.set(host, at);
      this.#crashedAt.set(host, at);
      for (const { group, isInFlight } of facts.managers.get(host)?.polls ?? []) {
        if (isInFlight && group.ended !== undefined) this.#hit("K22");
      }
      for (const sub of facts.managers.get(host)?.subs ?? []) {
        if (sub.queue.length > 0) {
          this.#hit("K3");
          break;
        }
      }
    }
    if (state === "restart") {
      const parent = host.replace(/^runner/, "supervisor");
      const diedAt = this.#downSince.get(host) ?? at;
      const parentDiedAt = this.#crashedAt.get(parent);
      if (parent !== host && (parentDiedAt === undefined || parentDiedAt < diedAt))
        this.#hit("K28");
      this.#downSince.delete(host);
    }
  }

  #hearConfirm(event: Extract<TraceEvent, { kind: "confirm" }>, facts: StreamFacts): void {
    const seqs = facts.managers.get(event.host)?.seqs;
    for (const seq of event.seqs) {
      if (seqs?.get(seq)?.sub.group.ended === undefined) continue;
      this.#hit("K14");
      return;
    }
  }

  #hearSubscribe(event: Extract<TraceEvent, { kind: "subscribe" }>, facts: StreamFacts): void {
    for (const [host, manager] of facts.managers) {
      const group = manager.groups.get(event.key);
      if (group === undefined || group.ended !== undefined) continue;
      if (host !== event.host) {
        if (group.subs.size > 0) this.#hit("K20");
        continue;
      }
      if ((group.poll?.lanes.size ?? 0) > 0) this.#hit("K25");
      if (group.subs.size >= WAVE && group.poll !== undefined) this.#hit("K26");
    }
  }
}
