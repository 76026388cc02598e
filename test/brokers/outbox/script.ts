import type { Pool } from "pg";

/** What a script runs on: a real server, or the model. */
export interface Place {
  readonly pool: Pool;
  /** Adds records ref-000001 and so on, in order. */
  publish(count: number): Promise<void>;
  /** The server ends all connections of the pool. */
  failOver(): Promise<void>;
  /** Waits, in real or in virtual time. */
  wait(ms: number): Promise<void>;
}

/** Code of a client, and what it has seen. */
export type Script = (place: Place) => Promise<readonly unknown[]>;
