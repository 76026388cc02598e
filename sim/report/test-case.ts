/** One run, or one check, as a test that passed or failed: what reports for CI are made of. */
export interface TestCase {
  /** The file that it is about: a scenario, or a module. */
  readonly file: string;
  /** Where in the file, from 1. */
  readonly line: number;
  /** Unique in its file: "orders, seed 7". */
  readonly name: string;
  /** Undefined: it passed. */
  readonly failure?: CaseFailure | undefined;
}

/** Why a test failed. */
export interface CaseFailure {
  /** The promise: "I1". */
  readonly type: string;
  /** The promise and what was seen, in one line. */
  readonly message: string;
  /** The story, and the commands that show more. */
  readonly text: string;
}
