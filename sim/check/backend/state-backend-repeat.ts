import type { StateBackend } from "../../../src/store/mod.ts";
import { SeededChoices } from "../../choices/choices.ts";
import { indexOfDifference, likelySource, type Outcome } from "../../run/likely-source.ts";
import { type Difference, NotDeterministic } from "../../run/not-deterministic.ts";
import { letRealTimePass } from "../../run/repeat.ts";
import {
  COMMAND_PARTS,
  commandWords,
  runCommand,
  type StateCommand,
} from "./state-backend-commands.ts";
import { commandsFrom } from "./state-backend-draws.ts";
import { StateModel } from "./state-backend-model.ts";
import { failureOf, identityOf, nameOf } from "./law-failure.ts";
import {
  type CreateStateBackend,
  LawBroken,
  type LawSettings,
  type StateBackendLaw,
  withBench,
} from "./state-backend-subject.ts";

/** How many drawn sequences of commands are compared. */
const DRAWN_MAX = 3;
/** How often a sequence runs that differs, to find out why. */
const RUNS_MADE = 6;
const SHOWN_MAX = 3;
/** How often a law is tried again that broke once: a store in a database may differ by chance. */
const REPETITIONS_MAX = 3;

/** Reads each scope, and leaves something in it: a store that is not new shows it. */
const PROBE: readonly StateCommand[] = Array.from(
  { length: COMMAND_PARTS.scope },
  (_, scope): readonly StateCommand[] => [
    { kind: "list", scope, limit: 3, offset: 0, onlyVisible: 0 },
    { kind: "get", scope, key: 0 },
    { kind: "set", scope, key: 0, value: 0, life: 0 },
    { kind: "get", scope, key: 0 },
    { kind: "list", scope, limit: 3, offset: 0, onlyVisible: 0 },
  ],
).flat();

const ABOUT = { subject: "state backend", createdIn: "createBackend" } as const;

/**
 * Runs the first sequences of commands twice, each on a new store, and compares what the calls
 * return. Returns why they differ; undefined if they are equal.
 */
export async function differenceOfRuns(
  create: CreateStateBackend,
  { seed, numRuns }: LawSettings,
): Promise<NotDeterministic | undefined> {
  const chance = new SeededChoices(seed, { record: false }).stream("data", "cases");
  const drawn = Array.from({ length: Math.min(DRAWN_MAX, numRuns) }, () => commandsFrom(chance));
  for (const [nth, commands] of [PROBE, ...drawn].entries()) {
    const runs = [await callsOf(create, commands), await callsOf(create, commands)];
    const [first = [], second = []] = runs;
    if (indexOfDifference(first, second) === undefined) continue;
    while (runs.length < RUNS_MADE - 1) runs.push(await callsOf(create, commands));
    await letRealTimePass();
    runs.push(await callsOf(create, commands));
    const likely = likelySource(runs.map(outcomeOf), { isFirstEver: true });
    return new NotDeterministic({
      ...ABOUT,
      scenario: `commands ${nth + 1}`,
      seed,
      difference: differenceOf(first, second),
      likely,
      isCertain: false,
      state: [],
    });
  }
  return undefined;
}

function outcomeOf(lines: readonly string[]): Outcome {
  return { identity: lines.join("\n"), lines };
}

function differenceOf(first: readonly string[], second: readonly string[]): Difference {
  const at = indexOfDifference(first, second) ?? 0;
  return {
    atMs: 0,
    place: `at call ${at + 1}`,
    before: first.slice(Math.max(0, at - SHOWN_MAX), at),
    first: first.slice(at, at + SHOWN_MAX),
    second: second.slice(at, at + SHOWN_MAX),
  };
}

/** Plays commands on a new store and returns each call with what it returned, a line each. */
async function callsOf(
  create: CreateStateBackend,
  commands: readonly StateCommand[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    await withBench(create, async ({ one, other }) => {
      const model = new StateModel();
      for (const command of commands) {
        const record = (result: unknown): void => {
          lines.push(`${commandWords(command)}: ${resultWords(result)}`);
        };
        const backend = recorded((command.client ?? 0) % 2 === 0 ? one : other, record);
        await runCommand(command, backend, model);
      }
    });
  } catch (error) {
    lines.push(error instanceof LawBroken ? error.message : `throws ${nameOf(error)}`);
  }
  return lines;
}

/** Wraps a backend and records what its methods return. */
function recorded(backend: StateBackend, record: (result: unknown) => void): StateBackend {
  return new Proxy(backend, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]): Promise<unknown> => {
        const result: unknown = await Reflect.apply(member, target, args);
        record(result);
        return result;
      };
    },
  });
}

/** What a result has that does not depend on when and by whom it was written. */
const COMPARED = ["key", "value", "expiresAt", "entries", "total", "expired"];

function resultWords(result: unknown): string {
  return JSON.stringify(result, COMPARED) ?? "nothing";
}

/**
 * Tries a law again that did not hold, and returns when it fails again in the same way.
 *
 * @throws {NotDeterministic} when it does not
 */
export async function assertFailsAgain(
  law: StateBackendLaw,
  create: CreateStateBackend,
  { settings, error }: { readonly settings: LawSettings; readonly error: unknown },
): Promise<void> {
  let second = "";
  for (let nth = 0; nth < REPETITIONS_MAX; nth += 1) {
    const again = await failureOf(() => law.hold(create, settings));
    if (again !== undefined && identityOf(again.error) === identityOf(error)) return;
    second = again === undefined ? "holds" : wordsOf(again.error);
  }
  throw differsAgain(law.title, settings, [wordsOf(error), second]);
}

/** Returns the error for a law that was tried twice, with what was seen each time. */
export function differsAgain(
  law: string,
  { seed }: LawSettings,
  [first, second]: readonly [string, string],
): NotDeterministic {
  return new NotDeterministic({
    ...ABOUT,
    scenario: law,
    seed,
    difference: {
      atMs: 0,
      place: `in the law "${law}"`,
      before: [],
      first: [first],
      second: [second],
    },
    likely: "unknown",
    isCertain: false,
    state: [],
  });
}

function wordsOf(error: unknown): string {
  return error instanceof LawBroken ? error.message : `throws ${nameOf(error)}`;
}
