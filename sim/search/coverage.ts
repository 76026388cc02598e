import type { TraceEvent } from "../trace/trace.ts";

/** Members by which an event identifies its subject; an edge joins two events about one subject. */
const SUBJECTS = ["copy", "sub", "event", "poll", "ref", "trigger", "seq", "task", "job"] as const;
/** Members that refine the kind of an event. */
const WORDS = ["state", "verdict", "site", "how", "reason", "error", "ok", "act", "phase"] as const;
/** Event kinds that increase or decrease a counter of a host's abstract state. */
/** What a host survives with its memory. */
const SURVIVED: ReadonlySet<string> = new Set(["pause", "resume", "skew"]);
const COUNTERS: ReadonlyMap<string, readonly [name: string, by: number]> = new Map([
  ["subscribe", ["subs", 1]],
  ["unsubscribe", ["subs", -1]],
  ["open", ["polls", 1]],
  ["aclosed", ["polls", -1]],
  ["advance", ["flights", 1]],
  ["advanced", ["flights", -1]],
  ["fan-out", ["copies", 1]],
  ["bind", ["seqs", 1]],
  ["confirm", ["seqs", -1]],
  ["pull", ["waiting", 1]],
  ["deliver", ["waiting", -1]],
]);
/** The cap of each counter: few bugs need larger counts, and new states must stay rare. */
const COUNTED_TO: readonly (readonly [name: string, most: number])[] = [
  ["subs", 2],
  ["polls", 1],
  ["flights", 1],
  ["copies", 2],
  ["seqs", 1],
  ["waiting", 1],
];
/** How many subjects a run keeps track of; when there are more, it forgets all of them. */
const SUBJECTS_MAX = 50_000;

/**
 * The features of a run, as hashes: each pair of abstract state and event kind, each edge from the
 * previous event about a subject to the next one, each mark.
 *
 * Holds: equal traces give equal sets on every runtime. Hashes have 32 bits; collisions are rare.
 */
export class Coverage {
  readonly features: Set<number> = new Set();
  readonly #hosts = new Map<string, Map<string, number>>();
  readonly #last = new Map<string, string>();

  /** Adds the features of one event. */
  readonly observe = (event: TraceEvent): void => {
    const members = event as unknown as Readonly<Record<string, unknown>>;
    const kind = kindFrom(event.kind, members);
    const counts = this.#countsOf(event.host);
    this.features.add(hashOf(`${stateFrom(counts)} ${kind}`));
    this.#count(counts, event, members);
    for (const name of SUBJECTS) {
      const id = members[name];
      if (id === undefined || id === null) continue;
      this.#follow(`${name} ${id as string | number}`, event.host, kind, name);
    }
  };

  /** Adds a mark that the run reached. */
  mark(name: string): void {
    this.features.add(hashOf(`mark ${name}`));
  }

  #follow(subject: string, host: string, kind: string, name: string): void {
    const now = `${host} ${kind}`;
    const before = this.#last.get(subject);
    this.#last.set(subject, now);
    if (before === undefined) {
      if (this.#last.size > SUBJECTS_MAX) this.#last.clear();
      return;
    }
    const at = before.indexOf(" ");
    const where = before.slice(0, at) === host ? "here" : "elsewhere";
    this.features.add(hashOf(`${name} ${before.slice(at + 1)} ${where} ${kind}`));
  }

  #countsOf(host: string): Map<string, number> {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const counts = new Map<string, number>();
    this.#hosts.set(host, counts);
    return counts;
  }

  #count(
    counts: Map<string, number>,
    event: TraceEvent,
    members: Readonly<Record<string, unknown>>,
  ): void {
    if (event.kind === "host" && !SURVIVED.has(event.state)) counts.clear();
    const counter = COUNTERS.get(event.kind);
    if (counter !== undefined) add(counts, counter[0], counter[1]);
    if (event.kind === "advance") add(counts, "copies", -(members["items"] as unknown[]).length);
  }
}

function add(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, Math.max(0, (counts.get(name) ?? 0) + by));
}

function stateFrom(counts: ReadonlyMap<string, number>): string {
  let text = "";
  for (const [name, most] of COUNTED_TO) text += Math.min(most, counts.get(name) ?? 0);
  return text;
}

function kindFrom(kind: string, members: Readonly<Record<string, unknown>>): string {
  let text = kind;
  for (const name of WORDS) {
    const word = members[name];
    if (typeof word === "string" || typeof word === "boolean") text += ` ${word}`;
  }
  if (kind === "bind" && members["seq"] === null) text += " none";
  return text;
}

/** FNV-1a over UTF-16 code units, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
