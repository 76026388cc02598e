import type { Pool } from "pg";
import { outbox } from "../../../sim/brokers/outbox/model.ts";
import { BrokerStage, pass } from "../broker-stage.ts";
import type { Script } from "./script.ts";

/** Plays a script on the model, in a calm world. */
export function playOnModel(script: Script): Promise<readonly unknown[]> {
  const stage = new BrokerStage(outbox());
  return stage.play((client, life) =>
    script({
      pool: client as unknown as Pool,
      publish: async (count) => stage.publish(count),
      failOver: async () =>
        stage.broker.disturbances.find(({ name }) => name === "the server fails over")?.strike(),
      wait: (ms) => pass(life, ms),
    }),
  );
}
