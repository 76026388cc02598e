import type { TraceEvent } from "../../trace/trace.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { LANE_GROUPS, type Lane, type LaneGroup, type Tone } from "./lane.ts";
import { LaneBuilder } from "./lane-builder.ts";
import { RECORD_TONES, type RecordKind, STATE_TONES } from "./tones.ts";

/** The lanes of a run, and on which of them each event lies. */
export interface RunLanes {
  readonly lanes: readonly Lane[];
  /** For each event the place of its lane in `lanes`. */
  readonly laneOf: Uint16Array;
}

/** More lanes than anybody looks at; what would need another one is shown on its host's lane. */
const LANES_MAX = 4_000;

/** Reads the lanes of a run from its trace. */
export function lanesFrom(trace: PackedTrace): RunLanes {
  const reader = new LaneReader(trace);
  for (let index = 0; index < trace.length; index += 1) reader.read(trace.event(index), index);
  return reader.lanes();
}

type EventOf<K extends TraceEvent["kind"]> = Extract<TraceEvent, { readonly kind: K }>;

class LaneReader {
  readonly #trace: PackedTrace;
  readonly #builders = new Map<string, LaneBuilder>();
  readonly #byPlace: LaneBuilder[] = [];
  readonly #groups: LaneGroup[] = [];
  readonly #laneOf: Uint16Array;
  readonly #subs = new Map<number, LaneBuilder>();
  readonly #polls = new Map<number, LaneBuilder>();
  /** What is over on other lanes when a host dies. */
  readonly #onHost = new Map<string, Map<LaneBuilder, (index: number) => void>>();
  readonly #attempts = new Map<number, LaneBuilder>();

  constructor(trace: PackedTrace) {
    this.#trace = trace;
    this.#laneOf = new Uint16Array(trace.length);
  }

  read(event: TraceEvent, index: number): void {
    const host = this.#lane("hosts", event.host, event.host);
    const lane = this.#laneFor(event, index, host);
    this.#laneOf[index] = lane.place;
    if (lane !== host) host.tick(index);
  }

  /** The lanes in the order of their groups; within one, as they first came up. */
  lanes(): RunLanes {
    const order = LANE_GROUPS.flatMap(({ id }) =>
      this.#byPlace.filter(({ place }) => this.#groups[place] === id),
    );
    const places = new Uint16Array(order.length);
    for (const [at, { place }] of order.entries()) places[place] = at;
    const { length } = this.#trace;
    return {
      lanes: order.map((builder) => builder.lane(length)),
      laneOf: this.#laneOf.map((place) => places[place] ?? 0),
    };
  }

  #lane(group: LaneGroup, key: string, name: string): LaneBuilder {
    const id = `${group} ${key}`;
    const known = this.#builders.get(id);
    if (known !== undefined) return known;
    const rest = this.#byPlace[0];
    if (rest !== undefined && this.#byPlace.length >= LANES_MAX) return rest;
    const builder = new LaneBuilder(this.#byPlace.length, id, group, name);
    this.#builders.set(id, builder);
    this.#byPlace.push(builder);
    this.#groups.push(group);
    return builder;
  }

  #laneFor(event: TraceEvent, index: number, host: LaneBuilder): LaneBuilder {
    switch (event.kind) {
      case "phase": {
        const lane = this.#lane("run", "phases", "phases");
        lane.bars.open(index, event.phase === "safety" ? "plain" : "good");
        return lane;
      }
      case "host":
        this.#host(event, index, host);
        return host;
      case "link":
        return this.#link(event, index);
      case "fault": {
        const lane = this.#lane("run", "faults", "faults");
        lane.mark(index, "fault");
        host.mark(index, "fault");
        return lane;
      }
      case "uncaught":
      case "spinning":
      case "manager-threw":
      case "breach":
      case "producer-error":
        return marked(host, index, "crash");
      case "disturbed":
        return marked(host, index, "warn");
      case "published":
      case "delivered":
      case "settled":
      case "settle":
      case "dead-lettered":
      case "dead-letter-dropped":
      case "lapsed":
      case "expired":
        return this.#record(event, index, host);
      case "task-state":
      case "attempt":
      case "attempt-ended":
      case "kill":
      case "declared-dead":
      case "user-cleared":
      case "user-stopped":
      case "page-loaded":
        return this.#task(event, index);
      case "job-accepted":
      case "job-started":
      case "job-finished":
      case "job-cancel-asked":
      case "job-cancelled":
      case "job-forgotten":
      case "job-deduplicated":
      case "job-status":
      case "job-result":
        return this.#job(event, index, host);
      default:
        return this.#streamOrAttempt(event, index, host);
    }
  }

  #streamOrAttempt(event: TraceEvent, index: number, host: LaneBuilder): LaneBuilder {
    if ("sub" in event) return this.#subscriber(event, index, host);
    if ("poll" in event) return this.#poll(event, index, host);
    if (event.kind === "force-failed") {
      const lane = this.#lane(
        "subscribers",
        `${event.host} ${event.trigger} ${event.key}`,
        subscriberName(event),
      );
      return marked(lane, index, "crash");
    }
    const attempt = "attempt" in event ? this.#attempts.get(event.attempt) : undefined;
    if (attempt === undefined) return ticked(host, index);
    const isRefused = event.kind === "refused";
    const isDecision = event.kind === "resume-decided" || event.kind === "state-set";
    if (isRefused) return marked(attempt, index, "warn");
    return isDecision ? marked(attempt, index, "first") : ticked(attempt, index);
  }

  #host(event: EventOf<"host">, index: number, lane: LaneBuilder): void {
    switch (event.state) {
      case "start":
      case "restart":
        lane.bars.open(index, "first");
        lane.tick(index);
        break;
      case "crash":
      case "stop":
        lane.end(index);
        lane.mark(index, event.state === "crash" ? "crash" : "plain");
        for (const end of this.#onHost.get(event.host)?.values() ?? []) end(index);
        this.#onHost.delete(event.host);
        break;
      case "pause": {
        const to = event.until === undefined ? index + 1 : this.#trace.firstAt(event.until);
        lane.spans.add(index, to, "wait");
        lane.mark(index, "wait");
        break;
      }
      case "resume":
        lane.tick(index);
        break;
      case "skew":
        lane.mark(index, "warn");
        break;
      default:
        event.state satisfies never;
    }
  }

  #link(event: EventOf<"link">, index: number): LaneBuilder {
    const name = `${event.host} → ${event.to}`;
    const lane = this.#lane("links", name, name);
    if (event.state === "cut") lane.bars.open(index, "crash");
    else if (event.state === "held") lane.bars.open(index, "wait");
    else lane.bars.close(index);
    return ticked(lane, index);
  }

  #record(event: EventOf<RecordKind>, index: number, host: LaneBuilder): LaneBuilder {
    if (event.ref === "") return marked(host, index, "warn");
    const place = placeOfRef(event.ref);
    const lane = this.#lane("records", place, place);
    return marked(lane, index, RECORD_TONES[event.kind]);
  }

  #subscriber(
    event: Extract<TraceEvent, { readonly sub: number }>,
    index: number,
    host: LaneBuilder,
  ): LaneBuilder {
    if (event.kind === "subscribe") {
      const key = `${event.host} ${event.trigger} ${event.key}`;
      const lane = this.#lane("subscribers", key, subscriberName(event));
      this.#subs.set(event.sub, lane);
      this.#live(event.host, lane, "all");
      lane.bars.open(index, "second");
      return ticked(lane, index);
    }
    const lane = this.#subs.get(event.sub);
    if (lane === undefined) return ticked(host, index);
    switch (event.kind) {
      case "deliver":
        lane.spans.open(index, "first");
        return ticked(lane, index);
      case "pull":
        lane.spans.close(index);
        return ticked(lane, index);
      case "unsubscribed":
      case "stream-done":
        lane.end(index);
        return ticked(lane, index);
      case "stream-error":
      case "visit-threw":
      case "visit-failed":
        return marked(lane, index, "crash");
      case "reject":
      case "late-reject":
        return marked(lane, index, "warn");
      case "yield":
        return marked(lane, index, "good");
      default:
        return ticked(lane, index);
    }
  }

  #poll(
    event: Extract<TraceEvent, { readonly poll: number }>,
    index: number,
    host: LaneBuilder,
  ): LaneBuilder {
    if (event.kind === "factory" || event.kind === "open") {
      const lane = this.#lane(
        "polls",
        String(event.poll),
        `poll ${event.poll} · ${keyWords(event.key)} · ${event.host}`,
      );
      if (!this.#polls.has(event.poll)) lane.bars.open(index, "second");
      this.#polls.set(event.poll, lane);
      this.#live(event.host, lane, "all");
      return ticked(lane, index);
    }
    const lane = this.#polls.get(event.poll);
    if (lane === undefined) return ticked(host, index);
    switch (event.kind) {
      case "advance":
        lane.spans.open(index, "good");
        return ticked(lane, index);
      case "advanced":
        lane.spans.close(index);
        return event.ok ? ticked(lane, index) : marked(lane, index, "crash");
      case "poll-ended":
        lane.bars.close(index);
        return marked(lane, index, event.how === "threw" ? "crash" : "plain");
      case "lane-failed":
      case "factory-failed":
        return marked(lane, index, "crash");
      case "emit":
        return marked(lane, index, "first");
      default:
        return ticked(lane, index);
    }
  }

  #task(event: Extract<TraceEvent, { readonly task: string }>, index: number): LaneBuilder {
    const lane = this.#lane("tasks", event.task, event.task);
    switch (event.kind) {
      case "task-state":
        lane.bars.open(index, STATE_TONES[event.state]);
        return ticked(lane, index);
      case "attempt":
        this.#attempts.set(event.attempt, lane);
        lane.spans.open(index, "first");
        this.#live(event.host, lane, "spans");
        return marked(lane, index, "plain");
      case "attempt-ended":
        lane.spans.close(index);
        return marked(lane, index, event.outcome === "success" ? "good" : "plain");
      case "kill":
      case "declared-dead":
        return marked(lane, index, "crash");
      case "user-cleared":
      case "user-stopped":
        return marked(lane, index, "warn");
      default:
        return ticked(lane, index);
    }
  }

  #job(
    event: Extract<TraceEvent, { readonly job: number }>,
    index: number,
    host: LaneBuilder,
  ): LaneBuilder {
    if (event.job === 0) return ticked(host, index);
    const name = event.kind === "job-accepted" ? `job ${event.job} · ${event.task}` : "";
    const lane = this.#lane("jobs", String(event.job), name || `job ${event.job}`);
    switch (event.kind) {
      case "job-accepted":
        lane.bars.open(index, "second");
        return ticked(lane, index);
      case "job-started":
        lane.bars.open(index, "first");
        return ticked(lane, index);
      case "job-finished":
        lane.bars.close(index);
        return marked(lane, index, event.outcome === "success" ? "good" : "crash");
      case "job-cancelled":
        lane.bars.close(index);
        return marked(lane, index, "warn");
      case "job-cancel-asked":
      case "job-forgotten":
      case "job-deduplicated":
        return marked(lane, index, "warn");
      default:
        return ticked(lane, index);
    }
  }

  /** What is on this lane, or its `spans` alone, is over when the host dies. */
  #live(host: string, lane: LaneBuilder, part: "all" | "spans"): void {
    const ends = this.#onHost.get(host) ?? new Map<LaneBuilder, (index: number) => void>();
    const end = (index: number): void =>
      part === "all" ? lane.end(index) : lane.spans.close(index);
    this.#onHost.set(host, ends.set(lane, end));
  }
}

function marked(lane: LaneBuilder, index: number, tone: Tone): LaneBuilder {
  lane.mark(index, tone);
  return lane;
}

function ticked(lane: LaneBuilder, index: number): LaneBuilder {
  lane.tick(index);
  return lane;
}

function subscriberName(event: {
  readonly host: string;
  readonly trigger: number;
  readonly key: string;
}): string {
  return `trigger ${event.trigger} · ${keyWords(event.key)} · ${event.host}`;
}

/** A stream key, which is traced as JSON, in few letters: "topic/orders". */
export function keyWords(key: string): string {
  return key.replaceAll(/[[\]"]/g, "").replaceAll(",", "/");
}

/** Returns the partition or queue that a record lies in: its name without its own number. */
export function placeOfRef(ref: string): string {
  return ref.replace(/[@#:-]?\d+$/, "") || ref;
}
