import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { Scenario } from "../scenario/scenario.ts";
import type { SearchName } from "../search/strategy/portfolio.ts";
import { LineDigest } from "../trace/digest.ts";
import { writeWhole } from "./write-file.ts";

const FORMAT = "faultlane-fuzz-state-1";

const schema = z.strictObject({
  format: z.literal(FORMAT),
  campaigns: z.array(
    z.strictObject({
      scenario: z.string(),
      content: z.string(),
      strategy: z.string(),
      seed: z.int().min(0),
      runs: z.int().min(0),
    }),
  ),
});

/** How many runs were made of one scenario by one strategy from one seed. */
type Position = z.infer<typeof schema>["campaigns"][number];

/** What the runs of a campaign depend on beside its scenario. */
export interface Course {
  readonly strategy: SearchName;
  readonly seed: number;
}

/**
 * How far the campaigns of a corpus have come, in one small file, so that the next one goes on from
 * there. A scenario that was edited begins anew.
 */
export class FuzzPositions {
  readonly #path: string;
  readonly #positions = new Map<string, Position>();

  /** `onIgnored` is called when the file cannot be used; then every campaign begins anew. */
  constructor(path: string, onIgnored: (why: string) => void) {
    this.#path = path;
    if (!existsSync(path)) return;
    try {
      const { campaigns } = schema.parse(JSON.parse(readFileSync(path, "utf8")));
      for (const one of campaigns) this.#positions.set(nameOf(one), one);
    } catch {
      onIgnored(`"${path}" is ignored: it is not the state of a campaign`);
    }
  }

  /** Returns how many runs of a scenario were made in this course. */
  made(scenario: Scenario, course: Course): number {
    return this.#positions.get(nameOf(positionOf(scenario, course, 0)))?.runs ?? 0;
  }

  /** Writes how many runs of each scenario were made. */
  save(course: Course, made: readonly (readonly [scenario: Scenario, runs: number])[]): void {
    for (const [scenario, runs] of made) {
      const position = positionOf(scenario, course, runs);
      this.#positions.set(nameOf(position), position);
    }
    const state = { format: FORMAT, campaigns: [...this.#positions.values()] };
    writeWhole(this.#path, `${JSON.stringify(state, undefined, 1)}\n`);
  }
}

function positionOf(scenario: Scenario, { strategy, seed }: Course, runs: number): Position {
  const content = new LineDigest();
  content.add(JSON.stringify(scenario));
  return { scenario: scenario.name, content: content.hex(), strategy, seed, runs };
}

function nameOf({ content, strategy, seed }: Position): string {
  return `${content} ${strategy} ${seed}`;
}
