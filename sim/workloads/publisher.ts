import type { PartitionLog } from "../brokers/partition-log.ts";
import type { StreamSpec } from "./stream-spec.ts";
import type { World } from "../kernel/world.ts";
import type { WATCHER_MARKS } from "./marks.ts";
import type { PublishedRecord } from "./watcher-trigger.ts";

/** The time to the next record in percent of the period; the calm value first. */
const JITTER = [100, 100, 80, 120, 50, 150, 10, 190] as const;

const ALL_SETTLED: (typeof WATCHER_MARKS)[number] =
  "everything published was settled before the storm was over";

/** Publishes records during the safety phase, and counts those that are not settled. */
export class Publisher {
  readonly #world: World;
  readonly #log: PartitionLog;
  readonly #streams: readonly StreamSpec[];
  readonly #owed = new Set<string>();
  #isStopped = false;

  constructor(world: World, log: PartitionLog, streams: readonly StreamSpec[]) {
    this.#world = world;
    this.#log = log;
    this.#streams = streams;
    world.trace.listen((event) => {
      if (event.kind !== "settled" || !this.#owed.delete(event.ref)) return;
      if (this.#owed.size === 0 && !this.#isStopped) world.trace.sometimes(ALL_SETTLED);
    });
  }

  /** How many published records are not settled yet. */
  get owed(): number {
    return this.#owed.size;
  }

  start(): void {
    for (const spec of this.#streams) this.#publishNext(spec);
  }

  stop(): void {
    this.#isStopped = true;
  }

  #publishNext(spec: StreamSpec): void {
    const time = this.#world.choices.stream("time", `publisher/${spec.name}`);
    const share = JITTER[time.choose(JITTER.length, "next record")] as number;
    const ms = Math.max(1, Math.floor((spec.publishEvery * share) / 100));
    this.#world.schedule(ms, { lane: `publisher/${spec.name}`, hop: false }, () => {
      if (this.#isStopped) return;
      for (let at = 0; at < spec.burst; at += 1) this.#publish(spec);
      this.#publishNext(spec);
    });
  }

  #publish(spec: StreamSpec): void {
    const data = this.#world.choices.stream("data", `publisher/${spec.name}`);
    const partition = data.choose(spec.partitions, "partition");
    this.#log.produce(spec.name, partition, (offset): PublishedRecord => {
      const ref = `${spec.name}/${partition}@${offset}`;
      if (spec.mode === "ack") {
        this.#owed.add(ref);
        this.#world.trace.emit("publisher", { kind: "published", ref, key: spec.name });
      }
      return { ref, partition };
    });
  }
}
