import type { TraceEvent } from "../../trace/trace.ts";
import { HostClocks } from "./host-clocks.ts";

/** A request over HTTP. */
export type Asked = Extract<TraceEvent, { kind: "http-asked" }>;

/** The API server, whose clock dates what is written over HTTP, and decides what has expired. */
const API = "api";

/** The requests over HTTP that are not answered yet, and what the clock of the API server shows. */
export class HttpRequests {
  readonly clocks: HostClocks = new HostClocks();
  readonly #asked = new Map<number, Asked>();
  #lostAt = -1;

  apply(event: TraceEvent): void {
    this.clocks.apply(event);
    if (event.kind === "http-asked") this.#asked.set(event.request, event);
    if (event.kind === "commits-lost") this.#lostAt = event.at;
  }

  /**
   * Returns the request that an answer is for; undefined where a fail-over came meanwhile, which
   * takes back what was read.
   */
  answered(request: number): Asked | undefined {
    const asked = this.#asked.get(request);
    return asked === undefined || this.#lostAt >= asked.at ? undefined : asked;
  }

  /** Returns the request that has written a value, the last one; undefined when there is none. */
  writing(scope: string, key: string, value: string): Asked | undefined {
    return [...this.#asked.values()].findLast(
      (one) => one.scope === scope && one.key === key && one.value === value,
    );
  }

  /** Returns the least and the most that the clock of the API server shows between two times. */
  apiRange(from: number, to: number): readonly [least: number, most: number] {
    return this.clocks.rangeOf(API, from, to);
  }
}
