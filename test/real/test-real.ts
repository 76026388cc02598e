import { basename } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, type TestContext } from "vitest";
import type { Observed, ObservedStage } from "../brokers/observed/observation.ts";
import { placeOf, type RunningServer } from "./loopback-server.ts";

/** A real server under observation. */
export interface RealBroker<Client, Server extends RunningServer = RunningServer> {
  readonly name: string;
  /** The programs that it needs; where one is not installed, its tests are skipped. */
  readonly commands: readonly string[];
  /** How many servers are under observation side by side, for one with long waits; 1 by default. */
  readonly servers?: number;
  start(): Promise<Server>;
  /**
   * Puts the server into the state from which a model begins, and connects a client. Stages of
   * other lanes are in use meanwhile; by default there is one.
   */
  stage(server: Server, lane?: number): Promise<RealStage<Client>>;
}

/** One client, and what operators and publishers do meanwhile. */
export interface RealStage<Client> {
  readonly client: Client;
  /** Publishes a record as the model's broker does. */
  publish(ref: string, key: string): Promise<void>;
  /** What operators do, by the names of the model's disturbances. */
  readonly operations: Readonly<Record<string, (forMs?: number) => Promise<void>>>;
  close(): Promise<void>;
}

/** Returns the server, or skips the test where it is not installed. */
export type Running = (context: TestContext) => RunningServer;

/** Server and library run on real time, which a busy machine does not always grant them. */
const RETRIED = { retry: 4 };

/**
 * Defines a test for each observation: the server still behaves as was observed, through the real
 * client library, with the code that runs against the model as well. `more` defines further tests
 * on the same server.
 */
export function testReal<Client, Server extends RunningServer = RunningServer>(
  { observations }: Observed<Client>,
  broker: RealBroker<Client, Server>,
  more: (running: Running) => void = () => undefined,
): void {
  const missing = broker.commands.filter((command) => placeOf(command) === undefined);
  const { servers = 1 } = broker;
  describe(broker.name, () => {
    let all: readonly Server[] = [];
    const free = new FreeServers<Server>();
    beforeAll(async () => {
      if (missing.length > 0) return;
      all = await Promise.all(Array.from({ length: servers }, () => broker.start()));
      for (const server of all) free.give(server);
    });
    afterAll(async () => {
      for (const server of all) await server[Symbol.asyncDispose]();
    });
    const running: Running = (context) => {
      const names = missing.map((command) => basename(command)).join(", ");
      return all[0] ?? context.skip(`not installed here: ${names}`);
    };
    for (const { name, play, real, standIn } of observations) {
      test(name, { ...RETRIED, concurrent: servers > 1 }, async (context) => {
        running(context);
        const server = await free.take();
        try {
          const stage = await broker.stage(server);
          try {
            expect(await play(observedFrom(stage))).toEqual(standIn?.shows ?? real);
          } finally {
            await stage.close();
          }
        } finally {
          free.give(server);
        }
      });
    }
    more(running);
  });
}

/** The servers that no test observes just now, and the tests that wait for one. */
class FreeServers<Server> {
  readonly #free: Server[] = [];
  readonly #waiting: ((server: Server) => void)[] = [];

  take(): Promise<Server> {
    const server = this.#free.shift();
    if (server !== undefined) return Promise.resolve(server);
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  give(server: Server): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(server);
    else next(server);
  }
}

export function observedFrom<Client>(stage: RealStage<Client>): ObservedStage<Client> {
  let published = 0;
  return {
    client: stage.client,
    async publish(count, key = "key-1") {
      for (let at = 0; at < count; at += 1) {
        published += 1;
        await stage.publish(`ref-${String(published).padStart(6, "0")}`, key);
      }
    },
    pass: (ms) => pass(ms),
    async operate(action, forMs) {
      const operation = stage.operations[action];
      if (operation === undefined) throw new Error(`No operator can "${action}"`);
      await operation(forMs);
    },
  };
}
