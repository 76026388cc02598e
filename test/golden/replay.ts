import { diffArrays } from "diff";
import { type GoldenScript, linesFrom, type Script, type ScriptStep } from "./script.ts";
import { Stage, type StagedManagerFactory } from "./stage.ts";

/** The first step of a script after which something else was seen than expected. */
export interface Mismatch {
  readonly script: Script;
  readonly at: number;
  readonly expected: readonly string[];
  readonly seen: readonly string[];
}

/** Plays a script; returns the lines to compare, step by step. */
export async function observe(
  script: Script,
  createManager: StagedManagerFactory,
): Promise<readonly (readonly string[])[]> {
  const stage = new Stage(createManager, script.config);
  const seen: (readonly string[])[] = [];
  for (const step of script.steps) seen.push(await stage.perform(step));
  return seen;
}

/** Replays a golden script; returns the first mismatch, or undefined if every step matches. */
export async function replay(
  script: GoldenScript,
  createManager: StagedManagerFactory,
): Promise<Mismatch | undefined> {
  const seen = await observe(script, createManager);
  const expected = script.steps.map(({ expect }) => linesFrom(expect.seen, expect.groups));
  return firstMismatch(script, expected, seen);
}

/** Where two observations of one script part. */
export function firstMismatch(
  script: Script,
  expected: readonly (readonly string[])[],
  seen: readonly (readonly string[])[],
): Mismatch | undefined {
  for (const [at, lines] of expected.entries()) {
    const others = seen[at] ?? [];
    if (lines.join("\n") !== others.join("\n"))
      return { script, at, expected: lines, seen: others };
  }
  return undefined;
}

const STEPS_BEFORE = 12;

/** A mismatch for people: where it is, what came before, and line by line what differs. */
export function textFromMismatch({ script, at, expected, seen }: Mismatch): string {
  const from = Math.max(0, at - STEPS_BEFORE);
  const before = script.steps.slice(from, at).map((step, n) => textFromStep(step, from + n));
  const lines = diffArrays([...expected], [...seen]).flatMap(({ added, removed, value }) => {
    const mark = added ? "+ seen     " : removed ? "- expected " : "  both     ";
    return value.map((line) => `${mark}${line}`);
  });
  return [
    `${script.name} differs after step ${at} of ${script.steps.length}:`,
    ...before.map((line) => `    ${line}`),
    `  > ${textFromStep(script.steps[at] as ScriptStep, at)}`,
    ...lines.map((line) => `  ${line}`),
  ].join("\n");
}

function textFromStep(step: ScriptStep, at: number): string {
  const fields = Object.entries(step)
    .filter(([name]) => name !== "op" && name !== "expect")
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [`${at}:`, step.op, ...fields].join(" ");
}
