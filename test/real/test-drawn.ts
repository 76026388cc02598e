import { basename } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { assertAlike, type DrawnSequences } from "../brokers/drawn/drawn.ts";
import { placeOf, type RunningServer } from "./loopback-server.ts";
import { observedFrom, type RealBroker } from "./test-real.ts";

/** Every pull request plays the same sequences; a longer search takes others. */
const SEED = 1;

/**
 * Defines a test that plays drawn sequences on the server and on the model. SEQUENCES in the
 * environment is how many, SEED which.
 */
export function testDrawn<Client, Operation>(
  drawn: DrawnSequences<Client, Operation>,
  broker: RealBroker<Client>,
  createModel: () => BrokerModel<Client>,
  preset: { readonly numRuns: number },
): void {
  const numRuns = Number(process.env["SEQUENCES"] ?? preset.numRuns);
  const seed = Number(process.env["SEED"] ?? SEED);
  const missing = broker.commands.filter((command) => placeOf(command) === undefined);
  describe(broker.name, () => {
    let server: RunningServer | undefined;
    beforeAll(async () => {
      if (missing.length === 0) server = await broker.start();
    });
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
    });
    test(
      `${numRuns} drawn sequences are the same on the model`,
      { timeout: 0 },
      async (context) => {
        const names = missing.map((command) => basename(command)).join(", ");
        const running = server;
        if (running === undefined) return context.skip(`not installed here: ${names}`);
        await assertAlike(
          drawn,
          createModel,
          async (play) => {
            const stage = await broker.stage(running);
            try {
              return await play(observedFrom(stage));
            } finally {
              await stage.close();
            }
          },
          { numRuns, seed },
        );
      },
    );
  });
}
