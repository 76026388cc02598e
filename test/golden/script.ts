/** One thing that was seen in a step; `what` says which fields follow (README of the data). */
export type Seen = readonly [what: string, ...fields: unknown[]];

/** One item of a producer's stream; the whole of it is the broker payload. */
export interface ScriptItem {
  readonly raw: number;
  readonly lane: string;
}

/**
 * How a key's `advance` behaves: `abort` rejects as if its client library had cancelled it, and
 * is in no golden script.
 */
export type AdvanceMode = "ok" | "raise" | "block" | "abort";

/** One step of a script; which fields it has depends on `op`. */
export interface ScriptStep {
  readonly op: string;
  readonly id?: number;
  readonly key?: string;
  readonly items?: readonly ScriptItem[];
  readonly binds?: readonly number[];
  readonly mode?: AdvanceMode;
  readonly with?: "ok" | "raise";
  readonly on?: boolean;
  readonly seconds?: number;
}

export interface ScriptConfig {
  readonly maxSubscriberQueue: number;
  readonly ackTimeoutSeconds: number;
  readonly cohortGraceSeconds: number;
}

export interface Script<Step extends ScriptStep = ScriptStep> {
  readonly name: string;
  readonly config: ScriptConfig;
  readonly steps: readonly Step[];
}

/** A script with what Airflow's own manager showed after each step. */
export interface GoldenScript extends Script<GoldenStep> {
  /** Whether a trigger id joins a key a second time; only there ours may differ. */
  readonly resubscribes: boolean;
}

export interface GoldenStep extends ScriptStep {
  readonly expect: { readonly seen: readonly Seen[]; readonly groups: readonly string[] };
}

/**
 * What is to be compared of one step, a line each: events and errors by subscriber and in order,
 * the items of advances by lane and in order, the rest by kind, then the groups.
 *
 * Leaves out the order between different subscribers, lanes and kinds, and where one batch ends
 * and the next begins: neither is part of the contract.
 */
export function linesFrom(seen: readonly Seen[], groups: readonly string[]): readonly string[] {
  const ordered = new Map<string, string[]>();
  const unordered = new Map<string, string[]>();
  for (const [what, ...fields] of seen) {
    const texts = fields.map((field) => JSON.stringify(field));
    const [first, second] = texts;
    switch (what) {
      case "event":
      case "error":
        add(ordered, `subscriber ${first} of ${second}`, `${what} ${texts[2]}`);
        break;
      case "advance": {
        const items = fields[2] as readonly unknown[];
        for (const item of items) {
          add(ordered, `advance of ${first} in lane ${second}`, JSON.stringify(item));
        }
        break;
      }
      default:
        add(unordered, what, texts.join(" "));
    }
  }
  for (const [name, texts] of unordered) ordered.set(name, texts.toSorted());
  const lines = [...ordered].map(([name, texts]) => `${name}: ${texts.join(", ")}`);
  return [...lines.toSorted(), `groups: ${groups.toSorted().join(" ")}`];
}

function add(texts: Map<string, string[]>, name: string, text: string): void {
  const known = texts.get(name);
  if (known === undefined) texts.set(name, [text]);
  else known.push(text);
}
