import type { SyncReply, SyncRequest, TriggerWorkload } from "../../src/triggerer/mod.ts";
import type { FiredPayload } from "./fired-payload.ts";
import { CallTimedOut, ConnectionLost, ConnectionRefused } from "./call.ts";
import type { Life } from "./life.ts";
import type { MetadataDatabase, TriggerRow } from "./metadata-database.ts";

/** What a runner needs to create a watcher trigger. */
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

/** How many rows one round claims at most (Airflow: max_trigger_to_select_per_loop). */
const CLAIMED_PER_ROUND_MAX = 50;
const CAPACITY = 1_000;
/** The supervisor stops heartbeating if its runner has not synced for this long: it is hung. */
const RUNNER_HEALTH_MS = 30_000;
const RESTART_MS = 3_000;

interface QueuedEvent {
  readonly runnerId: string;
  readonly triggerId: number;
  readonly seq: number | null;
  readonly payload: FiredPayload;
}

/**
 * The synchronous parent process of a runner; only it talks to the database.
 *
 * Holds: a round of the runner is processed once, however often it is sent; a sequence number is
 * confirmed only to the incarnation that drew it, once its trigger event is stored, and repeatedly
 * until the runner's next round shows that it was received.
 *
 * Its part of an event's way through a triggerer: T0, T10 to T13 and T18.
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

  /** Runs round after round until this incarnation dies. */
  start(): void {
    const next = (): void => {
      this.#life.after(this.#options.roundMs, start);
    };
    const start = (): void => {
      // A host that has crashed at a point of its own is down already, and stays as it is.
      this.#work().then(next, () => this.#life.host.crash(RESTART_MS));
    };
    start();
  }

  /** Handles a runner's sync request, at one instant. */
  handle(request: SyncRequest): SyncReply<WatcherWorkload> {
    this.#syncedAt = this.#life.world.now;
    if (request.runnerId !== this.#runnerId) this.#resetFor(request.runnerId);
    if (request.round === this.#round && this.#reply !== undefined) return this.#reply;
    this.#round = request.round;
    for (const { triggerId, event, seq } of request.events) {
      const payload = event.payload as FiredPayload;
      this.#queue.push({ runnerId: request.runnerId, triggerId, seq, payload });
    }
    for (const triggerId of request.finished) this.#running.delete(triggerId);
    this.#reply = {
      toCreate: this.#startOwned(),
      toCancel: this.#runningButNotOwned(),
      persistedSeqs: this.#persisted,
    };
    this.#persisted = [];
    return this.#reply;
  }

  /** A new incarnation of the runner runs no triggers yet, and its sequence numbers start at 0. */
  #resetFor(runnerId: string): void {
    this.#runnerId = runnerId;
    this.#round = 0;
    this.#reply = undefined;
    this.#persisted = [];
    this.#running.clear();
  }

  #startOwned(): readonly WatcherWorkload[] {
    const fresh = this.#owned.filter(({ id }) => !this.#running.has(id));
    for (const { id } of fresh) this.#running.add(id);
    return fresh.map(({ id, stream, ordinal }) => ({ triggerId: id, stream, ordinal }));
  }

  /** Repeated in each round until the runner reports the trigger as finished. */
  #runningButNotOwned(): readonly number[] {
    // Every owned trigger is running by now, so equal counts mean equal sets.
    if (this.#running.size === this.#owned.length) return [];
    const owned = new Set(this.#owned.map(({ id }) => id));
    return [...this.#running].filter((id) => !owned.has(id));
  }

  async #work(): Promise<void> {
    await this.#load();
    await this.#storeEvents();
  }

  /** Heartbeats and claims rows in one transaction; retried next round if the database is away. */
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
      if (!isUnreachable(error)) throw error;
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
        // While the database is away the event stays queued; any other error is fatal (K10).
        if (isUnreachable(error)) return;
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
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof ConnectionRefused || error instanceof ConnectionLost) return true;
  return error instanceof CallTimedOut;
}
