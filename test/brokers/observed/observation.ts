import { expect, test } from "vitest";
import type { BrokerModel } from "../../../sim/brokers/broker.ts";
import { BrokerStage, pass } from "../broker-stage.ts";

/** Where a sequence is run: beside a broker whose queue, stream or topic is called as the model's. */
export interface ObservedStage<Client> {
  readonly client: Client;
  /** Publishes records of one key, "key-1" by default; they are called ref-000001 and so on. */
  publish(count: number, key?: string): Promise<void>;
  pass(ms: number): Promise<void>;
  /**
   * Has an operator do something, by the name of the model's disturbance, `BROKER_CRASHES`, or
   * `BROKER_AWAY` for so long.
   */
  operate(action: string, forMs?: number): Promise<void>;
}

/** A sequence of calls of a client library, and what came of it on a real server. */
export interface Observation<Client> {
  readonly name: string;
  /** Returns what was observed, as JSON. */
  play(stage: ObservedStage<Client>): Promise<unknown>;
  /** What was observed; of a stand-in, what the service itself is documented to show. */
  readonly real: unknown;
  /** Where a stand-in shows something else. */
  readonly standIn?: { readonly shows: unknown; readonly documented: string };
}

/** What was observed on one server through one client library. */
export interface Observed<Client> {
  /** Server and library with their versions. */
  readonly server: string;
  readonly observations: readonly Observation<Client>[];
}

/** Defines a test for each observation: the model behaves as the server did. */
export function testObserved<Client>(
  { server, observations }: Observed<Client>,
  createModel: () => BrokerModel<Client>,
): void {
  for (const { name, play, real } of observations) {
    test(`${name} (as on ${server})`, async () => {
      expect(await observeModel(createModel(), play)).toEqual(real);
    });
  }
}

/** What an operator does who kills the broker's process and starts it again, and waits for it. */
export const BROKER_CRASHES = "the broker's process is killed, and started again";
const DOWN_MS = 1_000;
/** Nobody reaches the broker for a while: connections are closed, and new ones refused. */
export const BROKER_AWAY = "the broker is away";

/** Plays a sequence on a model, in a calm world of its own. */
export async function observeModel<Client, Seen>(
  model: BrokerModel<Client>,
  play: (stage: ObservedStage<Client>) => Promise<Seen>,
): Promise<Seen> {
  const stage = new BrokerStage(model);
  return await stage.play((client, life) =>
    play({
      client,
      publish: (count, key) => Promise.resolve(stage.publish(count, key)),
      pass: (ms) => pass(life, ms),
      operate(action, forMs = DOWN_MS) {
        if (action === BROKER_CRASHES || action === BROKER_AWAY) {
          stage.network.host("broker")?.crash(forMs);
          return pass(life, action === BROKER_AWAY ? forMs : forMs + DOWN_MS);
        }
        const found = stage.broker.disturbances.find((one) => one.name === action);
        if (found === undefined) throw new Error(`The model has no "${action}"`);
        return Promise.resolve(found.strike());
      },
    }),
  );
}

/** What a failed call is told by. */
export function errorFacts(error: unknown): object {
  const { name, message, code, classId, methodId, retriable, type, cause, status } =
    error as Record<string, unknown>;
  const facts = { name, message, code, classId, methodId, retriable, type, status };
  const told = Object.entries(facts).filter(([, value]) => value !== undefined);
  const inner = cause instanceof Error ? { cause: errorFacts(cause) } : {};
  return { ...Object.fromEntries(told), ...inner };
}

/** Returns what the call resolves with, or the facts of its error. */
export async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    return (await call()) ?? "nothing";
  } catch (error) {
    return errorFacts(error);
  }
}

/** Waits until `isSo`: it looks every so many milliseconds, and so often at most. */
export async function untilSo(
  stage: Pick<ObservedStage<unknown>, "pass">,
  isSo: () => boolean,
  { everyMs, looksMax = 200 }: { readonly everyMs: number; readonly looksMax?: number },
): Promise<void> {
  for (let looks = 0; looks < looksMax && !isSo(); looks += 1) await stage.pass(everyMs);
}
