import type { SharedStream, StreamKey } from "../../../src/shared-stream/mod.ts";
import { sleep } from "../../../src/time/mod.ts";
import { HostDied } from "../../kernel/host-died.ts";
import type { Life } from "../../hosts/life.ts";
import type { TracedManager } from "../../hosts/traced-manager.ts";
import type { TraceIds } from "../../hosts/trace-ids.ts";
import { TracedStream } from "../../hosts/traced-stream.ts";
import type { Behaviour } from "./producer-scenario.ts";

/** What a subscriber needs from its run. */
export interface SubscriberParts {
  readonly manager: TracedManager;
  readonly ids: TraceIds;
  readonly trigger: Parameters<TracedManager["subscribe"]>[0]["trigger"];
  readonly key: StreamKey;
  /** What to do with the record this time. */
  readonly behaviourFor: (raw: unknown) => { readonly does: Behaviour; readonly for: number };
}

/** How long a trigger that ended stays away: a sync round and a creation. */
const REJOIN_MS = 1_500;
/** From a trigger event to the word that it is persisted. */
const CONFIRM_MS = [300, 600, 1_100] as const;

/**
 * A trigger and its runner in one: pulls events, derives trigger events, confirms them, and
 * subscribes again after its stream has ended, as a triggerer would do it.
 *
 * Holds: it ends with its incarnation; a restarted host creates a new one.
 */
export class Subscriber {
  readonly #life: Life;
  readonly #id: number;
  readonly #parts: SubscriberParts;
  #isWanted = false;
  #isThere = false;

  constructor(life: Life, id: number, parts: SubscriberParts) {
    this.#life = life;
    this.#id = id;
    this.#parts = parts;
  }

  join(): void {
    this.#isWanted = true;
    if (!this.#isThere) void this.#stay();
  }

  /** Leaves now, whatever it is doing; `join` brings it back. */
  leave(): void {
    this.#isWanted = false;
    void this.#unsubscribe();
  }

  async #stay(): Promise<void> {
    this.#isThere = true;
    const { clock } = this.#life;
    while (this.#isWanted) {
      const { manager, trigger, key } = this.#parts;
      try {
        await this.#work(manager.subscribe({ triggerId: this.#id, trigger, key }));
      } catch {
        // The stream failed or a filter threw: the trigger ends, and is created again.
      }
      void this.#unsubscribe();
      await sleep(clock, REJOIN_MS);
    }
    this.#isThere = false;
  }

  async #work(stream: SharedStream<unknown>): Promise<void> {
    for (;;) {
      const result = await stream.next();
      if (result.done === true) return;
      const { does, for: ms } = this.#parts.behaviourFor(result.value);
      if (ms > 0 && (does === "slow" || does === "stall")) await sleep(this.#life.clock, ms);
      switch (does) {
        case "reject":
          stream.reject();
          break;
        case "skip":
        case "stall":
          break;
        case "raise":
        case "fail":
          throw new Error("The filter raised");
        case "leave":
          void this.#unsubscribe();
          await sleep(this.#life.clock, ms);
          return;
        default:
          this.#derive(stream, does, ms);
      }
    }
  }

  #derive(stream: SharedStream<unknown>, does: Behaviour, ms: number): void {
    const { manager, ids, key } = this.#parts;
    if (stream instanceof TracedStream) manager.yielded(stream.sub, ids.take());
    const seq = manager.bindPendingEvent({ triggerId: this.#id, key });
    if (seq === null || does === "lose") return;
    const pick = this.#life.choices("workload").choose(CONFIRM_MS.length, "confirm");
    const delay = does === "late" ? ms : (CONFIRM_MS[pick] as number);
    this.#life.after(delay, () => {
      try {
        if (this.#life.alive) manager.confirmPersisted([seq]);
      } catch (error) {
        // A crash may strike on the confirmation's way in.
        if (!(error instanceof HostDied)) throw error;
      }
    });
  }

  async #unsubscribe(): Promise<void> {
    const { manager, key } = this.#parts;
    await manager.unsubscribe({ triggerId: this.#id, key });
  }
}
