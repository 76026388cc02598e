/** How a check of a module ends. */
export type Expected =
  /** All promises hold, and two processes agree on every event. */
  | "held"
  /** It is told by its name that no run can observe it. */
  | { readonly refused: string }
  /** An exception is a finding. */
  | { readonly uncaught: string };

export type RuntimeName = "node" | "deno" | "bun";

/** A small module with one source of chance, time, asynchronous work or misbehaviour. */
export interface Row {
  readonly name: string;
  /** Lines at the top of the module. */
  readonly top?: string;
  /** The body of a function that is called in every method; what it returns becomes visible. */
  readonly each: string;
  readonly expected: Expected;
  /** Where a runtime differs. */
  readonly on?: { readonly [R in RuntimeName]?: Expected };
}
