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

/** How many sequences are drawn, and which. */
export interface DrawnRuns {
  readonly numRuns: number;
  readonly seed: number;
}

/** The server runs on real time, which a busy machine does not always grant it. */
const SERVER_TRIES = 3;

type Play<Client> = (stage: ObservedStage<Client>) => Promise<readonly unknown[]>;
/** Plays a sequence on a server in the state from which a model begins. */
type ObserveServer<Client> = (play: Play<Client>) => Promise<readonly unknown[]>;

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
  const property = fc.asyncProperty(sequences, async (operations) => {
    const play: Play<Client> = (stage) => drawn.play(stage, operations);
    const model = asJson(await observeModel(createModel(), play));
    let server: readonly unknown[] = [];
    for (let tries = 0; tries < SERVER_TRIES; tries += 1) {
      server = asJson(await observeServer(play));
      if (isDeepStrictEqual(server, model)) return;
    }
    const at = server.findIndex((one, index) => !isDeepStrictEqual(one, model[index]));
    const [left, right] = [server, model].map((seen) => JSON.stringify(seen.at(at)));
    throw new Error(`Observation ${at + 1} differs\n server: ${left}\n model:  ${right}`);
  });
  await fc.assert(property, runs);
}

function asJson(seen: readonly unknown[]): readonly unknown[] {
  return JSON.parse(JSON.stringify(seen)) as readonly unknown[];
}
