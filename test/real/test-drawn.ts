import { test } from "vitest";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { assertAlike, type DrawnSequences } from "../brokers/drawn/drawn.ts";
import { observedFrom, type RealBroker, type Running } from "./test-real.ts";

/** Every pull request plays the same sequences; a longer search takes others. */
const SEED = 1;

/**
 * Returns what defines a test that plays drawn sequences on the server and on the model. SEQUENCES
 * in the environment is how many, SEED which, LANES how many are played at a time.
 */
export function testDrawn<Client, Operation>(
  drawn: DrawnSequences<Client, Operation>,
  broker: RealBroker<Client>,
  createModel: () => BrokerModel<Client>,
  preset: { readonly numRuns: number; readonly lanes: number },
): (running: Running) => void {
  const numRuns = Number(process.env["SEQUENCES"] ?? preset.numRuns);
  const lanes = lanesFrom(preset.lanes);
  const seed = Number(process.env["SEED"] ?? SEED);
  const { name } = createModel();
  return (running) => {
    test(
      `${numRuns} drawn sequences are the same on the model of ${name}`,
      { timeout: 0 },
      async (context) => {
        const server = running(context);
        await assertAlike(
          drawn,
          createModel,
          async (play, lane) => {
            const stage = await broker.stage(server, lane);
            try {
              return await play(observedFrom(stage));
            } finally {
              await stage.close();
            }
          },
          { numRuns, seed, lanes },
        );
      },
    );
  };
}

/** Returns how many sequences are played at a time. */
export function lanesFrom(preset: number): number {
  return Number(process.env["LANES"] ?? preset);
}
