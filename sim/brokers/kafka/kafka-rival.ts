import type { World } from "../../kernel/world.ts";
import type { KafkaGroups } from "./kafka-groups.ts";
import type { KafkaLog } from "./kafka-log.ts";

const STAY_MS = [6_000, 9_000, 14_000] as const;
const STEP_MS = 300;
const SESSION_MS = 30_000;
const REBALANCE_MS = 60_000;

/**
 * A competing consumer of the same group, in another process: it joins, gets its share of the
 * partitions, reads and commits record by record, and leaves.
 */
export class KafkaRival {
  readonly #world: World;
  readonly #host: string;
  readonly #log: KafkaLog;
  readonly #groups: KafkaGroups;
  readonly #group: string;
  #memberId: string | undefined;

  constructor(world: World, host: string, log: KafkaLog, groups: KafkaGroups, group: string) {
    this.#world = world;
    this.#host = host;
    this.#log = log;
    this.#groups = groups;
    this.#group = group;
  }

  join(): void {
    this.#memberId = this.#joinAs(undefined);
    const chance = this.#world.choices.stream("time", "rival");
    const stayMs = STAY_MS[chance.choose(STAY_MS.length, "stay")] as number;
    this.#world.schedule(stayMs, { lane: this.#host, hop: false }, () => this.leave());
    this.#later();
  }

  /** Joins, or joins again, and returns its id. */
  #joinAs(memberId: string | undefined): string {
    const options = {
      ...{ topics: this.#log.sources, sessionMs: SESSION_MS, rebalanceMs: REBALANCE_MS },
      ...{ isAlive: () => true, consumer: "a-rival" },
    };
    return this.#groups.join(this.#group, memberId, options).memberId;
  }

  leave(): void {
    if (this.#memberId !== undefined) this.#groups.leave(this.#group, this.#memberId);
    this.#memberId = undefined;
  }

  #later(): void {
    this.#world.schedule(STEP_MS, { lane: this.#host, hop: false }, () => this.#step());
  }

  /** Reads and commits one record of each partition that it owns. */
  #step(): void {
    const memberId = this.#memberId;
    if (memberId === undefined) return;
    const joined = this.#groups.joined(this.#group, memberId);
    if (joined === undefined) {
      this.#joinAs(memberId);
      this.#later();
      return;
    }
    const { generation, assignment } = joined;
    for (const [topic, numbers] of assignment) {
      for (const number of numbers) {
        const partition = this.#log.partition(topic, number);
        if (partition === undefined) continue;
        const [next] = this.#groups.uncommitted(this.#group, partition);
        if (next === undefined) continue;
        const { ref } = next;
        const unit = `${topic}/${number}`;
        this.#world.trace.emit(this.#host, { kind: "delivered", ref, consumer: memberId, unit });
        const commit = { topic, partition: number, offset: next.offset + 1 };
        this.#groups.commit(this.#group, memberId, generation, [commit]);
      }
    }
    this.#later();
  }
}
