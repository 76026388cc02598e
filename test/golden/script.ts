/** One step of a golden script; the fields depend on `op` (see the README beside the data). */
export interface GoldenStep {
  readonly op: string;
  readonly id?: number;
  readonly key?: string;
  readonly items?: readonly { readonly raw: unknown; readonly lane: unknown }[];
  readonly binds?: readonly number[];
  readonly mode?: "ok" | "raise" | "block";
  readonly with?: "ok" | "raise";
  readonly on?: boolean;
  readonly seconds?: number;
  readonly expect: { readonly seen: readonly Seen[]; readonly groups: readonly string[] };
}

export type Seen = readonly [what: string, ...rest: unknown[]];

export interface GoldenScript {
  readonly name: string;
  readonly resubscribes: boolean;
  readonly config: {
    readonly maxSubscriberQueue: number;
    readonly ackTimeoutSeconds: number;
    readonly cohortGraceSeconds: number;
  };
  readonly steps: readonly GoldenStep[];
}

/**
 * What was seen in a step, brought into the order that is part of the contract: events and errors by
 * subscriber, the items of advances by lane, the rest by kind.
 */
export function canonicalFrom(seen: readonly Seen[]): readonly string[] {
  const groups = new Map<string, unknown[]>();
  const add = (name: string, ...values: unknown[]): void => {
    const known = groups.get(name) ?? [];
    known.push(...values);
    groups.set(name, known);
  };
  for (const [what, ...rest] of seen) {
    if (what === "event" || what === "error") add(`subscriber ${rest[0]} ${rest[1]}`, [what, rest[2]]);
    else if (what === "advance") {
      add(`advance ${rest[0]} ${JSON.stringify(rest[1])}`, ...(rest[2] as unknown[]));
    } else add(what, rest);
  }
  const lines = [...groups].map(([name, values]) => {
    const isOrdered = name.startsWith("subscriber") || name.startsWith("advance");
    const texts = values.map((value) => JSON.stringify(value));
    return `${name}: ${(isOrdered ? texts : texts.toSorted()).join(" ")}`;
  });
  return lines.toSorted();
}
