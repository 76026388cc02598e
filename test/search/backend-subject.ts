import {
  COMMAND_PARTS,
  type CommandPart,
  type StateCommand,
  commandWords,
} from "../../sim/check/backend/state-backend-commands.ts";
import { playCommands } from "../../sim/check/backend/state-backend-model-law.ts";
import type { CreateStateBackend } from "../../sim/check/backend/state-backend-subject.ts";
import type { ChoiceStream } from "../../sim/choices/choices.ts";
import { LineDigest } from "../../sim/trace/digest.ts";
import type { Violation } from "../../sim/checkers/mod.ts";
import type { Subject } from "../../sim/search/subject.ts";

const COMMANDS_MAX = 30;
const KINDS: readonly StateCommand["kind"][] = [
  ...(["get", "set", "set", "set-many", "update", "delete"] as const),
  ...(["clear", "list", "sweep", "wait"] as const),
];

/** A state backend beside its model, by two clients in turn, as the subject of a search. */
export function backendSubject(name: string, create: CreateStateBackend): Subject {
  return {
    name,
    mayStall: false,
    async run({ choices }) {
      const commands = commandsFrom(choices.stream("workload", "commands"));
      const digest = new LineDigest();
      for (const command of commands) digest.add(commandWords(command));
      const detail = await disagreement(create, commands);
      if (detail !== undefined) digest.add(detail);
      const violations = detail === undefined ? [] : [violationFrom(detail)];
      return { violations, digest: digest.hex(), marks: [], faults: 0 };
    },
  };
}

/** What the store says and the model does not; undefined when they agree. */
export async function disagreement(
  create: CreateStateBackend,
  commands: readonly StateCommand[],
): Promise<string | undefined> {
  try {
    await playCommands(create, commands);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A run of commands, drawn part by part. */
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

function violationFrom(detail: string): Violation {
  const promise = "the store says what the plain model says";
  const [checker, symptom, host] = ["model", "read-differs", "store"] as const;
  return { checker, promise, symptom, detail, at: 0, host, ref: undefined, story: [] };
}
