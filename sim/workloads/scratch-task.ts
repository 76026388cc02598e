import { BaseOperator, type TaskContext } from "../../src/operator/mod.ts";
import { type JsonValue, NEVER_EXPIRE, type Retention } from "../../src/store/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import type { TaskServices } from "../hosts/task-process.ts";

export interface ScratchTaskOptions {
  readonly pieces: number;
  /** How long the task works on its pieces, in virtual milliseconds. */
  readonly worksMs: number;
  /** Whether it clears what all map indices of its task have left, instead of its own. */
  readonly clearsAll: boolean;
}

/** How long pieces are kept, in turns; undefined: as long as the store keeps by default. */
const RETENTIONS: readonly (Retention | undefined)[] = [
  undefined,
  NEVER_EXPIRE,
  { hours: 1 },
  { seconds: 20 },
];

/**
 * Keeps pieces of its work in its state, each for a time of its own, and removes them when it is
 * done: the one task of a world that deletes and clears by itself.
 *
 * It counts on no piece: one that has expired, or that a sibling has cleared, is not missed. What
 * it reads is in the trace.
 *
 * Source: Airflow 3.3, Task State Store, "delete(key)", "clear(all_map_indices)", "retention"
 */
export class ScratchTask extends BaseOperator<number> {
  readonly #services: TaskServices;
  readonly #options: ScratchTaskOptions;

  constructor(services: TaskServices, options: ScratchTaskOptions) {
    super();
    this.#services = services;
    this.#options = options;
  }

  override async execute(ctx: TaskContext): Promise<number> {
    const { life, contextStores } = this.#services;
    const { pieces, worksMs, clearsAll: allMapIndices } = this.#options;
    const store = contextStores.taskStateStore;
    const keys = Array.from({ length: pieces }, (_, at) => `piece-${at + 1}`);
    // What an attempt before this one has left is of no use, but it can be read.
    for (const key of keys) await this.#read(key);
    await store.clear();
    for (const [at, key] of keys.entries()) {
      const retention = RETENTIONS[at % RETENTIONS.length];
      await store.set(key, at + 1, retention === undefined ? {} : { retention });
    }
    await sleep(life.clock, worksMs, ctx.signal);
    await this.#readAll(keys);
    const [first = ""] = keys;
    await store.delete(first);
    await this.#read(first);
    await store.clear({ allMapIndices });
    for (const key of keys) await this.#read(key);
    return pieces;
  }

  async #read(key: string): Promise<void> {
    this.#note(key, await this.#services.contextStores.taskStateStore.get(key));
  }

  async #readAll(keys: readonly string[]): Promise<void> {
    const values = await this.#services.contextStores.taskStateStore.getMany(keys);
    for (const key of keys) this.#note(key, values.get(key) ?? null);
  }

  #note(key: string, value: JsonValue | null): void {
    const { life, assignment } = this.#services;
    const text = value === null ? null : JSON.stringify(value);
    const { attempt } = assignment;
    life.trace({ kind: "state-read", attempt, key, value: text });
  }
}
