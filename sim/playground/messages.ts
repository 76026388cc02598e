import type { PageCode } from "../report/html-page.ts";
import type { Job } from "../search/job.ts";

/** What the page asks a worker for; the last reply to each is `done` or `failed`. */
export type Request =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "run"; readonly text: string; readonly seed: number; readonly job?: Job }
  | { readonly kind: "fuzz"; readonly text: string; readonly seed: number; readonly runs: number }
  | { readonly kind: "shrink"; readonly text: string; readonly seed: number; readonly job?: Job }
  | {
      readonly kind: "check";
      readonly code: string;
      readonly broker: string;
      readonly seed: number;
      readonly runs: number;
    };

/** The first message to a worker. */
export interface WorkerSetup {
  readonly kind: "setup";
  readonly code: PageCode;
  readonly kitVersion: string;
}

/** Where a text is wrong, in characters. */
export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** A way of a search to break a promise. */
export interface FoundBreak {
  readonly checker: string;
  /** What was seen, with numbers and names left out. */
  readonly seen: string;
  readonly job: Job;
}

export interface Result {
  /** In few words: "held", "broken: G1". */
  readonly verdict: string;
  readonly isBroken: boolean;
  readonly words?: string;
  /** The run's report. */
  readonly page?: string;
  /** A scenario to go on with. */
  readonly scenario?: string;
  readonly problems?: readonly Problem[];
}

export type Reply =
  | { readonly kind: "progress"; readonly words: string }
  | { readonly kind: "found"; readonly found: FoundBreak }
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "failed"; readonly words: string };
