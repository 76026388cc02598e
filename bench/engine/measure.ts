import { measure } from "mitata";

export type Unit = "ns per event" | "ms" | "bytes per pair";

/** One contestant at one work: each call of `sample` is a whole run, checked; in the row's unit. */
export interface Entrant {
  readonly name: string;
  /** The point of a growth curve. */
  readonly at?: number;
  /** What the reader must know of this number. */
  readonly note?: string;
  /** Takes part in the first so many rounds only, and is not warmed up; for what is slow. */
  readonly roundsMax?: number;
  readonly sample: () => Promise<number>;
}

/** One line of the report: several entrants at the same work. */
export interface Row {
  readonly id: string;
  readonly work: string;
  readonly unit: Unit;
  readonly entrants: readonly Entrant[];
}

export interface EntrantResult {
  readonly name: string;
  readonly at?: number;
  readonly note?: string;
  /** One number a round; null where it took no part. */
  readonly samples: readonly (number | null)[];
  readonly median: number;
  /** A quarter of the samples lies below, a quarter above these. */
  readonly quartiles: readonly [low: number, high: number];
  readonly range: readonly [min: number, max: number];
}

export interface RowResult {
  readonly id: string;
  readonly work: string;
  readonly unit: Unit;
  readonly entrants: readonly EntrantResult[];
}

/** How a row is measured. */
export interface Measuring {
  readonly rounds: number;
}

/**
 * Measures a row round by round: each round runs every entrant once, and begins with another one,
 * so that what disturbs the machine meets them all alike.
 *
 * Why garbage is never collected by force: the engine then throws away code that the objects of
 * the last sample were part of, and takes the heap for a small one from there on; synchronous
 * filters took twice as long for the rest of the process.
 */
export async function measureRow(row: Row, how: Measuring): Promise<RowResult> {
  const { entrants } = row;
  const samples: (number | null)[][] = entrants.map(() => []);
  for (let round = 0; round < how.rounds; round += 1) {
    for (let turn = 0; turn < entrants.length; turn += 1) {
      const at = (turn + round) % entrants.length;
      const { sample, roundsMax } = entrants[at] as Entrant;
      const warmsUp = round === 0 && roundsMax === undefined;
      const isOut = round >= (roundsMax ?? how.rounds);
      samples[at]?.push(isOut ? null : await sampleOnce(sample, row.unit, warmsUp));
    }
  }
  const { id, work, unit } = row;
  return { id, work, unit, entrants: entrants.map((one, at) => resultOf(one, samples[at] ?? [])) };
}

/**
 * One sample by mitata, which calls once to warm up before it counts; that call is a run in the
 * first round only. The run measures its own time, so that its set-up and its checks do not count.
 */
async function sampleOnce(
  sample: () => Promise<number>,
  unit: Unit,
  warmsUp: boolean,
): Promise<number> {
  if (unit === "bytes per pair") return sample();
  let calls = warmsUp ? 1 : 0;
  function* once(): Generator<never, void, undefined> {
    const manual = (): Promise<number> => {
      calls += 1;
      return calls === 1 ? Promise.resolve(0) : sample();
    };
    yield { manual, budget: "manual" } as never;
  }
  const stats = await measure(once as never, {
    min_samples: 1,
    max_samples: 1,
    min_cpu_time: 0,
    warmup_threshold: -1,
    gc: false,
  });
  return stats.p50;
}

function resultOf(entrant: Entrant, samples: readonly (number | null)[]): EntrantResult {
  const { name, at, note } = entrant;
  const sorted = samples.filter((sample) => sample !== null).sort((one, other) => one - other);
  return {
    name,
    ...(at === undefined ? {} : { at }),
    ...(note === undefined ? {} : { note }),
    samples,
    median: quantile(sorted, 1 / 2),
    quartiles: [quantile(sorted, 1 / 4), quantile(sorted, 3 / 4)],
    range: [sorted[0] ?? 0, sorted.at(-1) ?? 0],
  };
}

/** Between two samples in proportion, so that the median of two is their middle. */
function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
}

/** How many times `one` is of `other`: the median over the rounds in which both took part. */
export function ratioOf(one: EntrantResult, other: EntrantResult): number {
  const ratios = one.samples.flatMap((sample, round) => {
    const beside = other.samples[round];
    return sample === null || beside === null || beside === undefined ? [] : [sample / beside];
  });
  return quantile(
    ratios.sort((a, b) => a - b),
    1 / 2,
  );
}

export function entrantOf(
  row: RowResult | undefined,
  name: string,
  at?: number,
): EntrantResult | undefined {
  return row?.entrants.find((one) => one.name === name && (at === undefined || one.at === at));
}
