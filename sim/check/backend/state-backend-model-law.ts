import type { StateBackend } from "../../../src/store/mod.ts";
import { fewer, lower, type ShrinkStage, within } from "../../search/shrink/shrink.ts";
import { numbersIn, withMember } from "../../codecs/members.ts";
import { runCommand, type StateCommand, commandWords } from "./state-backend-commands.ts";
import { commandsFrom } from "./state-backend-draws.ts";
import { StateModel } from "./state-backend-model.ts";
import { tryProperty } from "./state-backend-runs.ts";
import {
  type Bench,
  type CreateStateBackend,
  type LawSettings,
  type StateBackendLaw,
  withBench,
} from "./state-backend-subject.ts";

type Commands = readonly StateCommand[];
type ClientsOf = (bench: Bench) => readonly [StateBackend, ...StateBackend[]];

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

type Walk = Generator<Commands, Commands, boolean>;

/** How a run of commands gets smaller. */
export const COMMAND_STAGES: readonly ShrinkStage<Commands>[] = [
  [["commands", fewer]],
  [["plain writes", plainer]],
  [
    ["all toward 0", alike],
    ["toward 0", calmer],
  ],
];
const COMMON = ["client", "scope", "key", "value", "life"] as const;

function agrees(
  create: CreateStateBackend,
  settings: LawSettings,
  clientsOf: ClientsOf,
): Promise<void> {
  return tryProperty(
    {
      draw: commandsFrom,
      hold: (commands) => playCommands(create, commands, clientsOf),
      stages: COMMAND_STAGES,
      describe: (commands) =>
        commands.map((one, at) => `${at + 1}. ${commandWords(one)}; `).join(""),
    },
    settings,
  );
}

/** @throws {LawBroken} where the store and the model differ */
export function playCommands(
  create: CreateStateBackend,
  commands: Commands,
  clientsOf: ClientsOf = ({ one, other }) => [one, other],
): Promise<void> {
  return withBench(create, async (bench) => {
    const clients = clientsOf(bench);
    const model = new StateModel();
    for (const command of commands) {
      const { client = 0 } = command;
      await runCommand(command, clients[client % clients.length] ?? clients[0], model);
    }
  });
}

/** Plain sets instead of larger writes. */
function* plainer(commands: Commands): Walk {
  let kept = commands;
  for (const [at, command] of kept.entries()) {
    if (command.kind === "set-many") {
      const { entries, ...rest } = command;
      const ofOne = (entry: (typeof entries)[number]): StateCommand => {
        return { ...rest, ...entry, kind: "set" };
      };
      for (const entry of entries) {
        const plain = kept.with(at, ofOne(entry));
        if (!(yield plain)) continue;
        kept = plain;
        break;
      }
      if (kept[at] !== command) continue;
      kept = yield* within(fewer(entries), (some) => kept.with(at, { ...command, entries: some }));
    } else if (command.kind === "update") {
      const plain = kept.with(at, { ...command, kind: "set", life: 0 });
      if (yield plain) kept = plain;
    }
  }
  return kept;
}

/** What commands have in common toward the first possibility, in all of them at once. */
function* alike(commands: Commands): Walk {
  let kept = commands;
  for (const name of COMMON) {
    const numbers = numbersIn(kept).flatMap(([path, number]) =>
      path.at(-1) === name ? [number] : [],
    );
    for (const number of new Set(numbers)) {
      const before = kept;
      const places = numbersIn(before).filter(
        ([path, other]) => path.at(-1) === name && other === number,
      );
      kept = yield* within(lower(number, 0), (less) =>
        places.reduce((changed, [path]) => withMember(changed, path, less), before),
      );
    }
  }
  return kept;
}

/** Each possibility toward the first. */
function* calmer(commands: Commands): Walk {
  let kept = commands;
  for (const [path, number] of numbersIn(commands)) {
    kept = yield* within(lower(number, 0), (less) => withMember(kept, path, less));
  }
  return kept;
}
