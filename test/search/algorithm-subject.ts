import type { ChoiceStream } from "../../sim/choices/choices.ts";
import { LineDigest } from "../../sim/trace/digest.ts";
import type { Subject } from "../../sim/search/subject.ts";
import { fewer, type ShrinkStage, within } from "../../sim/search/shrink/shrink.ts";
import type { AlgorithmBug } from "../resumable/algorithm-bugs.ts";
import { SITES } from "../resumable/job-bench.ts";
import { brokenPromise, type History } from "../resumable/laws.ts";

const CRASHES_MAX = 4;
const ENDINGS_MAX = 2;

/** Histories of one resumable task on its bench, as the subject of a search. */
export function algorithmSubject({ bug, benchOf }: AlgorithmBug): Subject {
  return {
    name: bug,
    mayStall: false,
    async run({ choices }) {
      const history = historyFrom(choices.stream("workload", "history"));
      const broken = await brokenPromise(history, benchOf);
      const digest = new LineDigest();
      digest.add(`${JSON.stringify(history)} ${broken?.promise ?? "held"}`);
      const violations =
        broken === undefined
          ? []
          : [
              {
                checker: broken.promise,
                promise: broken.promise,
                symptom: "wrong-result" as const,
                detail: broken.promise,
                at: 0,
                host: "task",
                ref: undefined,
                story: [broken.story],
              },
            ];
      return { violations, digest: digest.hex(), marks: [], faults: history.crashes.length };
    },
  };
}

export function historyFrom(chance: ChoiceStream): History {
  const crashes = Array.from({ length: chance.choose(1 + CRASHES_MAX, "crashes") }, () => {
    const site = SITES[chance.choose(1 + SITES.length, "site") - 1];
    if (site === undefined) return undefined;
    return {
      site,
      when: chance.choose(2, "when") === 0 ? ("before" as const) : ("after" as const),
    };
  });
  const endings = Array.from({ length: chance.choose(1 + ENDINGS_MAX, "endings") }, () =>
    chance.choose(2, "ending") === 0 ? ("SUCCEEDED" as const) : ("FAILED" as const),
  );
  return { crashes, endings };
}

/** How a history gets smaller. */
export const HISTORY_STAGES: readonly ShrinkStage<History>[] = [
  [
    ["crashes", (one) => within(fewer(one.crashes), (crashes) => ({ ...one, crashes }))],
    ["endings", (one) => within(fewer(one.endings), (endings) => ({ ...one, endings }))],
  ],
  [["calmer attempts", calmer]],
];

function* calmer(history: History): Generator<History, History, boolean> {
  let kept = history;
  for (const [at, crash] of history.crashes.entries()) {
    const candidate = { ...kept, crashes: kept.crashes.with(at, undefined) };
    if (crash !== undefined && (yield candidate)) kept = candidate;
  }
  return kept;
}
