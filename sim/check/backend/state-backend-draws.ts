import type { ChoiceStream } from "../../choices/choices.ts";
import { COMMAND_PARTS, type CommandPart, type StateCommand } from "./state-backend-commands.ts";

/** The longest run of commands that is tried. */
const COMMANDS_MAX = 30;
const KINDS: readonly StateCommand["kind"][] = [
  ...(["get", "set", "set", "set-many", "update", "delete"] as const),
  ...(["clear", "list", "sweep", "wait"] as const),
];

/** Draws a run of commands, part by part. */
export function commandsFrom(chance: ChoiceStream): readonly StateCommand[] {
  const count = 1 + chance.choose(COMMANDS_MAX, "commands");
  return Array.from({ length: count }, () => commandFrom(chance));
}

function commandFrom(chance: ChoiceStream): StateCommand {
  const pick = (part: CommandPart): number => chance.choose(COMMAND_PARTS[part], part);
  const isSo = (label: string): number => chance.choose(2, label);
  const client = pick("client");
  const scope = pick("scope");
  const kind = KINDS[chance.choose(KINDS.length, "command")] as StateCommand["kind"];
  switch (kind) {
    case "get":
    case "delete":
      return { kind, client, scope, key: pick("key") };
    case "set":
      return { kind, client, scope, key: pick("key"), value: pick("value"), life: pick("life") };
    case "set-many": {
      const entries = Array.from({ length: 1 + chance.choose(4, "entries") }, () => {
        return { key: pick("key"), value: pick("value") };
      });
      return { kind, client, scope, entries, life: pick("life") };
    }
    case "update":
      return { kind, client, scope, key: pick("key"), value: pick("value") };
    case "clear":
      return { kind, client, scope, allMapIndices: isSo("over all map indices") };
    case "list": {
      const [limit, offset] = [chance.choose(4, "limit"), chance.choose(3, "offset")];
      return { kind, client, scope, limit, offset, onlyVisible: isSo("only visible") };
    }
    case "sweep":
      return { kind, client, batchSize: pick("batchSize"), dryRun: isSo("for show") };
    case "wait":
      return { kind, more: chance.choose(3, "how long") };
    default:
      return kind satisfies never;
  }
}
