import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import type { BrokerModel } from "../../../sim/brokers/broker.ts";
import type { ObservedStage } from "../observed/observation.ts";
import { observeModel } from "../observed/observation.ts";

/** Sequences of calls of a client library that fast-check draws, beside those written by hand. */
export interface DrawnSequences<Client, Operation> {
  /** What is drawn: data alone, so that a sequence shrinks and can be read. */
  readonly operation: fc.Arbitrary<Operation>;
  readonly operationsMax: number;
  /** Returns what was observed, as JSON, the same in each run; usually one for each operation. */
  play(stage: ObservedStage<Client>, operations: readonly Operation[]): Promise<readonly unknown[]>;
}

/** How many sequences are drawn, which, and how many are played at a time. */
export interface DrawnRuns {
  readonly numRuns: number;
  readonly seed: number;
  readonly lanes: number;
}

/** The server runs on real time, which a busy machine does not always grant it. */
const SERVER_TRIES = 3;

/** So many sequences that differ among others are played again, alone. */
const SUSPECTS_MAX = 10;
/** How long the smallest sequence is looked for. */
const SHRINK_MS = 120_000;

type Play<Client> = (stage: ObservedStage<Client>) => Promise<readonly unknown[]>;
/** Plays a sequence on a server, in a lane whose state is that from which a model begins. */
type ObserveServer<Client> = (play: Play<Client>, lane: number) => Promise<readonly unknown[]>;

/**
 * Draws sequences and plays each on a server and on the model.
 *
 * @throws {Error} for the smallest sequence found whose observations differ, with the first two
 */
export async function assertAlike<Client, Operation>(
  drawn: DrawnSequences<Client, Operation>,
  createModel: () => BrokerModel<Client>,
  observeServer: ObserveServer<Client>,
  runs: DrawnRuns,
): Promise<void> {
  const { operation, operationsMax: maxLength } = drawn;
  const sequences = fc.array(operation, { minLength: 1, maxLength, size: "max" });
  await assertDrawn(sequences, runs, async (operations, lane) => {
    const play: Play<Client> = (stage) => drawn.play(stage, operations);
    const model = asJson(await observeModel(createModel(), play));
    const compared = comparedIn(model);
    let server: readonly unknown[] = [];
    for (let tries = 1; tries <= SERVER_TRIES; tries += 1) {
      try {
        server = asJson(await observeServer(play, lane)).slice(0, compared);
        if (isDeepStrictEqual(server, model.slice(0, compared))) return;
      } catch (error) {
        if (tries === SERVER_TRIES) throw error;
      }
    }
    const at = server.findIndex((one, index) => !isDeepStrictEqual(one, model[index]));
    const [left, right] = [server, model].map((seen) => JSON.stringify(seen.at(at)));
    throw new Error(`Observation ${at + 1} differs\n server: ${left}\n model:  ${right}`);
  });
}

/**
 * Asserts something of drawn values, several at a time. A value that fails counts if it does so
 * alone, too: servers run on real time.
 *
 * @throws {Error} for the smallest value found that fails
 */
export async function assertDrawn<Value>(
  values: fc.Arbitrary<Value>,
  { numRuns, seed, lanes }: DrawnRuns,
  assertOne: (value: Value, lane: number) => Promise<void>,
): Promise<void> {
  const samples = fc.sample(values, { numRuns, seed });
  let next = 0;
  const suspects: number[] = [];
  const playLane = async (lane: number): Promise<void> => {
    while (next < samples.length && suspects.length < SUSPECTS_MAX) {
      const path = next;
      next += 1;
      await assertOne(samples[path] as Value, lane).catch(() => void suspects.push(path));
    }
  };
  while (next < samples.length) {
    await Promise.all(Array.from({ length: lanes }, (_, lane) => playLane(lane)));
    for (const path of suspects.splice(0)) {
      // Alone it has the time that others took from it.
      const failure = await failureOf(assertOne(samples[path] as Value, 0));
      if (failure !== undefined) throw await smallest(values, { seed, path, failure }, assertOne);
    }
  }
}

async function failureOf(done: Promise<void>): Promise<Error | undefined> {
  try {
    await done;
  } catch (error) {
    return error as Error;
  }
  return undefined;
}

interface FailedValue {
  readonly seed: number;
  /** The number of the sample. */
  readonly path: number;
  readonly failure: Error;
}

/** Returns the error of the smallest value that is found in time. */
async function smallest<Value>(
  values: fc.Arbitrary<Value>,
  { seed, path, failure }: FailedValue,
  assertOne: (value: Value, lane: number) => Promise<void>,
): Promise<Error> {
  const property = fc.asyncProperty(values, (value) => assertOne(value, 0));
  const replay = { seed, path: String(path), numRuns: 1, interruptAfterTimeLimit: SHRINK_MS };
  const details = await fc.check(property, replay);
  if (details.counterexample !== null) {
    const cause = details.errorInstance;
    return new Error(await fc.asyncDefaultReportMessage(details), { cause });
  }
  return new Error(`Sequence ${path} of seed ${seed} differs`, { cause: failure });
}

/** What follows a refusal by name is not compared: the server may have done what was asked. */
export function comparedIn(model: readonly unknown[]): number {
  const at = model.findIndex((one) => JSON.stringify(one).includes("Not modelled: "));
  return at === -1 ? model.length : at;
}

export function asJson(seen: readonly unknown[]): readonly unknown[] {
  return JSON.parse(JSON.stringify(seen)) as readonly unknown[];
}
