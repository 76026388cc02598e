import { type StateCommand, commandWords } from "../../sim/check/backend/state-backend-commands.ts";
import { commandsFrom } from "../../sim/check/backend/state-backend-draws.ts";
import { playCommands } from "../../sim/check/backend/state-backend-model-law.ts";
import type { CreateStateBackend } from "../../sim/check/backend/state-backend-subject.ts";
import { LineDigest } from "../../sim/trace/digest.ts";
import type { Violation } from "../../sim/checkers/mod.ts";
import type { Subject } from "../../sim/search/subject.ts";

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

function violationFrom(detail: string): Violation {
  const promise = "the store says what the plain model says";
  const [checker, symptom, host] = ["model", "read-differs", "store"] as const;
  return { checker, promise, symptom, detail, at: 0, host, ref: undefined, story: [] };
}
