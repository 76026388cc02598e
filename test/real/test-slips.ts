import { isDeepStrictEqual } from "node:util";
import type * as fc from "fast-check";
import { test } from "vitest";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { assertDrawn } from "../brokers/drawn/drawn.ts";
import { isRefused } from "../brokers/drawn/odd-values.ts";
import { type ObservedStage, observeModel } from "../brokers/observed/observation.ts";
import { lanesFrom } from "./test-drawn.ts";
import { observedFrom, type RealBroker, type Running } from "./test-real.ts";

/** Every pull request plays the same programs; a longer search takes others. */
const SEED = 1;

/** Programs of a client library that fast-check draws, with values and calls of every kind. */
export interface DrawnPrograms<Client, Program> {
  readonly program: fc.Arbitrary<Program>;
  play(stage: ObservedStage<Client>, program: Program, name: string): Promise<readonly unknown[]>;
}

let played = 0;

/**
 * Returns what defines a test that plays drawn programs on the server and on the model, up to where
 * the model refuses something by its name. SLIPS in the environment is how many, SEED which, LANES
 * how many are played at a time.
 */
export function testSlips<Client, Program>(
  drawn: DrawnPrograms<Client, Program>,
  broker: RealBroker<Client>,
  createModel: () => BrokerModel<Client>,
  preset: {
    readonly numRuns: number;
    readonly lanes: number;
    /** Where what the model refuses ends the process of the library. */
    readonly isRefusedLeftOut?: true;
  },
): (running: Running) => void {
  const numRuns = Number(process.env["SLIPS"] ?? preset.numRuns);
  const seed = Number(process.env["SEED"] ?? SEED);
  const { name } = createModel();
  return (running) => {
    test(
      `${numRuns} drawn programs that slip are the same on the model of ${name}`,
      {
        timeout: 0,
      },
      async (context) => {
        const server = running(context);
        await assertDrawn(
          drawn.program,
          { numRuns, seed, lanes: lanesFrom(preset.lanes) },
          async (program, lane) => {
            played += 1;
            const own = `slips-${played}`;
            const model = await observeModel(createModel(), (stage) =>
              drawn.play(stage, program, own),
            );
            if (preset.isRefusedLeftOut === true && model.some(isRefused)) return;
            const stage = await broker.stage(server, lane);
            try {
              assertAlike(await drawn.play(observedFrom(stage), program, own), model);
            } finally {
              await stage.close();
            }
          },
        );
      },
    );
  };
}

/** @throws {Error} for the first difference before something that is refused */
function assertAlike(server: readonly unknown[], model: readonly unknown[]): void {
  for (const [at, of] of model.entries()) {
    if (isRefused(of)) return;
    const [left, right] = [server[at], of].map((one) => JSON.stringify(one));
    if (isDeepStrictEqual(left, right)) continue;
    throw new Error(`Observation ${at + 1} differs\n server: ${left}\n model:  ${right}`);
  }
}
