import { z } from "zod";

/**
 * The trace event format as its document describes it, as far as a run uses it: what
 * ui.perfetto.dev and chrome://tracing read.
 *
 * Source: "Trace Event Format", sections "JSON Object Format", "Metadata Events", "Complete
 * Events", "Flow Events"
 */
const place = { pid: z.int().positive(), tid: z.int().nonnegative() };

const metadata = z.discriminatedUnion("name", [
  z.strictObject({
    ph: z.literal("M"),
    name: z.enum(["process_name", "thread_name"]),
    ...place,
    args: z.strictObject({ name: z.string().min(1) }),
  }),
  z.strictObject({
    ph: z.literal("M"),
    name: z.enum(["process_sort_index", "thread_sort_index"]),
    ...place,
    args: z.strictObject({ sort_index: z.int() }),
  }),
]);

const complete = z.strictObject({
  ph: z.literal("X"),
  name: z.string().min(1),
  cat: z.string().min(1),
  ts: z.number().nonnegative(),
  dur: z.number().nonnegative(),
  ...place,
  args: z.record(z.string(), z.unknown()).optional(),
  bind_id: z.int().positive().optional(),
  flow_in: z.literal(true).optional(),
  flow_out: z.literal(true).optional(),
});

const traceEventFormat = z.strictObject({
  displayTimeUnit: z.enum(["ms", "ns"]),
  otherData: z.record(z.string(), z.string()),
  traceEvents: z.array(z.discriminatedUnion("ph", [metadata, complete])),
});

export type Slice = z.infer<typeof complete>;

/** What a viewer shows of a trace. */
export interface ReadTrace {
  readonly processes: ReadonlyMap<number, string>;
  /** By process and thread: "2/5". */
  readonly threads: ReadonlyMap<string, string>;
  /** The slices of each thread, in the order of the file. */
  readonly slices: ReadonlyMap<string, readonly Slice[]>;
  readonly otherData: Readonly<Record<string, string>>;
}

/**
 * Reads a trace back as a viewer does.
 *
 * @throws {Error} when it is not of the format, names a thing twice, or a slice lies on a thread
 *   without a name or crosses the end of another one
 */
export function readTrace(text: string): ReadTrace {
  const { traceEvents, otherData } = traceEventFormat.parse(JSON.parse(text));
  const processes = new Map<number, string>();
  const threads = new Map<string, string>();
  const slices = new Map<string, Slice[]>();
  for (const event of traceEvents) {
    const thread = `${event.pid}/${event.tid}`;
    if (event.ph === "X") {
      if (!threads.has(thread)) throw new Error(`A slice on ${thread}, which has no name`);
      slices.set(thread, [...(slices.get(thread) ?? []), event]);
    } else if (event.name === "process_name") {
      if (processes.has(event.pid)) throw new Error(`Two processes ${event.pid}`);
      processes.set(event.pid, event.args.name);
    } else if (event.name === "thread_name") {
      if (threads.has(thread)) throw new Error(`Two threads ${thread}`);
      threads.set(thread, event.args.name);
    }
  }
  for (const [thread, own] of slices) assertNested(threads.get(thread) ?? thread, own);
  return { processes, threads, slices, otherData };
}

/** The importer of Perfetto drops a slice that begins within another one and ends after it. */
function assertNested(thread: string, slices: readonly Slice[]): void {
  const open: number[] = [];
  let last = 0;
  for (const { ts, dur, name } of slices) {
    if (ts < last) throw new Error(`"${name}" on ${thread} is out of order`);
    last = ts;
    const isOver = (end: number): boolean => end < ts || (end === ts && dur > 0);
    while (isOver(open.at(-1) ?? Infinity)) open.pop();
    const end = open.at(-1);
    if (end !== undefined && ts + dur > end) throw new Error(`"${name}" on ${thread} crosses`);
    if (dur > 0) open.push(ts + dur);
  }
}
