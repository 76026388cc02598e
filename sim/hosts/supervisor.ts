import type { SyncReply, SyncRequest, TriggerWorkload } from "../../src/triggerer/mod.ts";
import type { FiredPayload } from "../workloads/watcher-trigger.ts";
import { CallTimedOut, ConnectionRefused, HostDied, type Life } from "./host.ts";
import type { MetadataDatabase, TriggerRow } from "./metadata-database.ts";

/** What a runner is told of a trigger to create. */
export interface WatcherWorkload extends TriggerWorkload {
  readonly stream: string;
  readonly ordinal: number;
}

export interface SupervisorOptions {
  readonly triggerer: string;
  readonly database: string;
  readonly roundMs: number;
  readonly heartbeatMs: number;
  readonly staleMs: number;
}

/** Rows that one round claims at most (Airflow: max_trigger_to_select_per_loop). */
const CLAIMED_PER_ROUND_MAX = 50;
const CAPACITY = 1_000;
/** A runner that did not sync for so long is taken for hung: its supervisor stops heartbeating. */
const RUNNER_HEALTH_MS = 30_000;
const RESTART_MS = 3_000;

interface QueuedEvent {
  readonly runnerId: string;
  readonly triggerId: number;
  readonly seq: number | null;
  readonly payload: FiredPayload;
}

/**
 * The synchronous parent of a runner: owns the way to the database.
 *
 * Holds: a round of the runner is taken once, however often it is sent; a sequence number is
 * confirmed only to the incarnation that drew it, after its trigger event was stored, and again
 * until the next round proves receipt.
 *
 * Source: spec, shared streams, section D (T0, T10 to T13, T18)
 */
export class Supervisor {
  readonly #life: Life;
  readonly #database: MetadataDatabase;
  readonly #options: SupervisorOptions;
  readonly #queue: QueuedEvent[] = [];
  readonly #running = new Set<number>();
  #owned: readonly TriggerRow[] = [];
  #persisted: number[] = [];
  #runnerId = "";
  #round = 0;
  #reply: SyncReply<WatcherWorkload> | undefined;
  #syncedAt: number;
  #heartbeatAt = Number.NEGATIVE_INFINITY;

  constructor(life: Life, database: MetadataDatabase, options: SupervisorOptions) {
    this.#life = life;
    this.#database = database;
    this.#options = options;
    this.#syncedAt = life.world.now;
  }

  /** Works round after round, for as long as this incarnation lives. */
  start(): void {
    const next = (): void => {
      this.#life.after(this.#options.roundMs, start);
    };
    const start = (): void => {
      this.#work().then(next, (error: unknown) => this.#die(error));
    };
    start();
  }

  /** Answers a runner at once; runs whole, at one instant. */
  handle(request: SyncRequest): SyncReply<WatcherWorkload> {
    this.#syncedAt = this.#life.world.now;
    if (request.runnerId !== this.#runnerId) this.#meet(request.runnerId);
    if (request.round === this.#round && this.#reply !== undefined) return this.#reply;
    this.#round = request.round;
    for (const { triggerId, event, seq } of request.events) {
      const payload = event.payload as FiredPayload;
      this.#queue.push({ runnerId: request.runnerId, triggerId, seq, payload });
    }
    for (const triggerId of request.finished) this.#running.delete(triggerId);
    this.#reply = {
      toCreate: this.#takeNew(),
      toCancel: this.#takeGone(),
      persistedSeqs: this.#persisted,
    };
    this.#persisted = [];
    return this.#reply;
  }

  /** Another incarnation of the runner: it knows no trigger, and its sequence numbers are new. */
  #meet(runnerId: string): void {
    this.#runnerId = runnerId;
    this.#round = 0;
    this.#reply = undefined;
    this.#persisted = [];
    this.#running.clear();
  }

  #takeNew(): readonly WatcherWorkload[] {
    const fresh = this.#owned.filter(({ id }) => !this.#running.has(id));
    for (const { id } of fresh) this.#running.add(id);
    return fresh.map(({ id, stream, ordinal }) => ({ triggerId: id, stream, ordinal }));
  }

  /** What runs but is not owned any more; said again each round until it is reported finished. */
  #takeGone(): readonly number[] {
    // Every owned one runs by now, so equal numbers mean the same triggers.
    if (this.#running.size === this.#owned.length) return [];
    const owned = new Set(this.#owned.map(({ id }) => id));
    return [...this.#running].filter((id) => !owned.has(id));
  }

  async #work(): Promise<void> {
    await this.#load();
    await this.#storeEvents();
  }

  /** Claims and heartbeats in one transaction; a database that is away is asked again later. */
  async #load(): Promise<void> {
    const { triggerer, database, heartbeatMs, staleMs } = this.#options;
    const { now } = this.#life.world;
    const isHealthy = now - this.#syncedAt <= RUNNER_HEALTH_MS;
    const isDue = now - this.#heartbeatAt >= heartbeatMs;
    try {
      this.#owned = await this.#life.call("database.query", database, () => {
        if (isHealthy && isDue) this.#database.heartbeat(triggerer);
        const limit = CLAIMED_PER_ROUND_MAX;
        return this.#database.claim(triggerer, { limit, capacity: CAPACITY, staleMs });
      });
      if (isHealthy && isDue) this.#heartbeatAt = now;
    } catch (error) {
      if (!isAway(error)) throw error;
    }
  }

  async #storeEvents(): Promise<void> {
    for (;;) {
      const next = this.#queue[0];
      if (next === undefined) return;
      this.#life.point("supervisor.handle");
      try {
        await this.#store(next);
      } catch (error) {
        // A database that is away keeps the event in its place; any other error is the end (K10).
        if (isAway(error)) return;
        throw error;
      }
      this.#queue.shift();
      this.#life.point("supervisor.confirm");
      if (next.runnerId === this.#runnerId && next.seq !== null) this.#persisted.push(next.seq);
    }
  }

  async #store({ triggerId, payload: { event, ref } }: QueuedEvent): Promise<void> {
    const { database } = this.#options;
    const stored = { event, trigger: triggerId, ref };
    const life = this.#life;
    await life.call("database.commit", database, () => this.#database.storeAssetEvent(stored));
    await life.call("database.queue", database, () => this.#database.queueRuns(stored));
  }

  #die(error: unknown): void {
    if (error instanceof HostDied || !this.#life.alive) return;
    this.#life.host.crash(RESTART_MS);
  }
}

function isAway(error: unknown): boolean {
  return error instanceof ConnectionRefused || error instanceof CallTimedOut;
}
