import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { TraceEvent } from "../../trace/trace.ts";

/** Separates the two hosts in the name of a link's lane: "runner-1→broker". */
const LINK_MARK = "\u2192";
/** Kinds of event that affect more hosts than the one that traces them. */
const EVERYWHERE: ReadonlySet<TraceEvent["kind"]> = new Set(["host", "link", "phase"]);
const HASH_LENGTH = 32;

/**
 * Identifies the state of a simulated world: for each host, everything it did and received so far.
 *
 * Holds: runs that differ only in the order of steps of different hosts have the same fingerprint.
 *
 * A host's memory cannot be inspected, but hosts share nothing and are deterministic, so that equal
 * histories mean equal memories. Whatever is not a step of a single host (a fault, an operation, a
 * publisher) counts as a step of all hosts.
 */
export class Fingerprint {
  readonly #histories = new Map<string, string>();
  #lane: string | undefined;
  #observed: string[] = [];
  #isEverywhere = false;

  /** Begins a step of this lane, which ends the previous step. */
  took(lane: string): void {
    this.#close();
    this.#lane = lane;
  }

  /** Records a decision other than scheduling. */
  chose(question: string, value: number): void {
    this.#observed.push(`${question}=${value}`);
  }

  /** Adds an event to the current step. */
  observe(event: TraceEvent): void {
    if (event.kind === "host" && !this.#histories.has(event.host)) {
      this.#histories.set(event.host, "");
    }
    if (EVERYWHERE.has(event.kind)) this.#isEverywhere = true;
    this.#observed.push(JSON.stringify(event));
  }

  /** Ends the current step and returns the fingerprint. */
  text(): string {
    this.#close();
    return this.#allHistories();
  }

  #allHistories(): string {
    const histories = [...this.#histories].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return JSON.stringify(histories);
  }

  #close(): void {
    if (this.#lane === undefined && this.#observed.length === 0) return;
    const lane = this.#lane ?? "";
    const host = lane.slice(lane.indexOf(LINK_MARK) + 1);
    const step = `${lane}\n${this.#observed.join("\n")}`;
    const known = this.#histories.get(host);
    if (known !== undefined && !this.#isEverywhere) {
      this.#histories.set(host, hash(`${known}\n${step}`));
    } else {
      const all = this.#allHistories();
      for (const name of this.#histories.keys()) {
        this.#histories.set(name, hash(`${name}\n${all}\n${step}`));
      }
    }
    this.#lane = undefined;
    this.#observed = [];
    this.#isEverywhere = false;
  }
}

function hash(text: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text))).slice(0, HASH_LENGTH);
}
