import type { SharedStreamProducer } from "../../../src/mod.ts";
import type { RunningServer } from "../loopback-server.ts";

/** What stands in the modules of scenarios/producers. */
export interface ProducerModule {
  createProducer(given: { readonly client: unknown }): SharedStreamProducer<unknown, unknown>;
}

/** A server, which mostly keeps its data on disk, and the producers that read from it. */
export interface CrashBroker {
  readonly name: string;
  /** The programs that it needs; where one is not installed, its tests are skipped. */
  readonly commands: readonly string[];
  /** Modules in scenarios/producers. */
  readonly correct: string;
  readonly naive: string;
  /** How long after a last order a naive producer may still be handed one again, in ms. */
  readonly silenceMs: number;
  /** False for one that has lost everything when it was killed: it is not killed; default true. */
  readonly keepsData?: boolean;
  /** How many orders there are; default 300. */
  readonly orders?: number;
  start(): Promise<RunningServer>;
  /** Makes anew what producers read from and where dead letters go, and connects. */
  open(server: RunningServer): Promise<Orders>;
  /** Connects to the server at this port; returns what makes the client of a new producer. */
  connect(port: number): Promise<() => unknown>;
}

/** The publisher's and the operator's side of a broker. */
export interface Orders {
  /** Resolves when the server has all of them on disk. */
  publish(refs: readonly string[]): Promise<void>;
  /** Returns the orders among the dead letters. */
  deadLetters(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/** Returns the body of an order, as the producers read it. */
export function bodyOf(ref: string): string {
  return JSON.stringify({ ref, key: "key-1", amount: 1 });
}

/** Returns the order that a body or a list of fields is of. */
export function refOf(raw: unknown): string {
  if (Array.isArray(raw)) return String(raw[raw.indexOf("ref") + 1]);
  return (raw as { readonly ref: string }).ref;
}

export function refOfBody(body: Uint8Array | null): string {
  return refOf(JSON.parse(new TextDecoder().decode(body ?? new Uint8Array())));
}
