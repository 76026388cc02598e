import { textFromJobId } from "../../jobs/job-id.ts";
import type { Trace } from "../../trace/trace.ts";

/** The jobs that the system accepted from one task, by their ids and keys. */
export class OwnJobs {
  readonly #ids = new Set<string>();
  readonly #keys: string[] = [];

  constructor(trace: Trace, owner: string) {
    trace.listen((event) => {
      if (event.kind !== "job-accepted" || event.task !== owner) return;
      if (event.id !== "") this.#ids.add(event.id);
      this.#keys.push(event.key);
    });
  }

  /** How many jobs there were. */
  get count(): number {
    return this.#keys.length;
  }

  /** The idempotency keys and chosen ids, newest first; empty where a job had none. */
  keys(): readonly string[] {
    return this.#keys.toReversed();
  }

  /** Writes a result as text in which it does not matter which of the jobs made it. */
  textFrom(result: unknown): string {
    const text = JSON.stringify(result, (_key, value: unknown) => {
      const word = typeof value === "bigint" ? String(value) : value;
      return this.#ids.has(textFromJobId(word)) ? "the job's id" : word;
    });
    return text ?? String(result);
  }
}
