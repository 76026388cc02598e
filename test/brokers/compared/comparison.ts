/** What is told of how a model was compared with servers. */
export interface Comparison {
  /** Names the page, too. */
  readonly broker: string;
  readonly observed: {
    readonly server: string;
    readonly observations: readonly { readonly name: string }[];
    /** The folder of test/brokers that they are in; default: observed. */
    readonly folder?: string;
  };
  /** Whether servers are started anew, or only what was observed once is kept. */
  readonly rerun: "npm test" | "test:real" | "test:long" | "never";
  /** What drawn sequences consist of; undefined where there are none. */
  readonly drawn: string | undefined;
  /** Where the model behaves otherwise on purpose, and why. */
  readonly differs: readonly (readonly [what: string, why: string])[];
  /** What the model does not have; who calls it is refused by name. */
  readonly leftOut: readonly string[];
}
