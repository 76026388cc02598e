import * as fc from "fast-check";
import type { StateBackend } from "../../src/store/mod.ts";
import { commandRuns } from "./state-backend-commands.ts";
import { type Real, StateModel } from "./state-backend-model.ts";
import { runProperty } from "./state-backend-runs.ts";
import {
  type Bench,
  type CreateStateBackend,
  type LawSettings,
  type StateBackendLaw,
  withBench,
} from "./state-backend-subject.ts";

/** What the plain model says, the store says: for one client, and for two that take turns. */
export const MODEL_LAWS: readonly StateBackendLaw[] = [
  {
    title: "for every run of commands, one client finds what a plain map would hold",
    hold: (create, settings) => agrees(create, settings, ({ one }) => [one]),
  },
  {
    title: "for every run of commands, two clients in turn find what a plain map would hold",
    hold: (create, settings) => agrees(create, settings, ({ one, other }) => [one, other]),
  },
];

async function agrees(
  create: CreateStateBackend,
  settings: LawSettings,
  clientsOf: (bench: Bench) => readonly StateBackend[],
): Promise<void> {
  const law = fc.asyncProperty(commandRuns, (commands) =>
    withBench(create, async (bench) => {
      const setup = (): { model: StateModel; real: Real } => {
        return { model: new StateModel(), real: { clients: clientsOf(bench) } };
      };
      await fc.asyncModelRun(setup, commands);
    }),
  );
  await runProperty(law, settings);
}
