import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SharedStream } from "../../src/shared-stream/mod.ts";
import {
  type EventTrigger,
  filterEach,
  type FilteredEvents,
  TriggerEvent,
} from "../../src/triggerer/mod.ts";
import { RunnerBench } from "./runner-bench.ts";

const RUNS = 300;
const SEED = 60_606;

/** What a filter does with one event. */
type Verdict = "none" | "one" | "two" | "reject" | "reject and fire" | "throw";

type Act =
  | { readonly op: "create" | "cancel"; readonly id: number }
  | { readonly op: "emit"; readonly lane: string; readonly count: number }
  | { readonly op: "rounds"; readonly count: number }
  | { readonly op: "store"; readonly isOn: boolean }
  | { readonly op: "raise" | "fail" };

interface Script {
  /** The verdicts, dealt out over triggers and events. */
  readonly verdicts: readonly Verdict[];
  readonly isStrict: boolean;
  readonly isFast: boolean;
  readonly acts: readonly Act[];
}

function scripts(): fc.Arbitrary<Script> {
  const id = fc.integer({ min: 1, max: 4 });
  const act: fc.Arbitrary<Act> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ op: fc.constant("create" as const), id }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant("cancel" as const), id }) },
    {
      weight: 12,
      arbitrary: fc.record({
        op: fc.constant("emit" as const),
        lane: fc.constantFrom("a", "b"),
        count: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        op: fc.constant("rounds" as const),
        count: fc.constantFrom(1, 1, 2, 12),
      }),
    },
    { weight: 2, arbitrary: fc.record({ op: fc.constant("store" as const), isOn: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({ op: fc.constantFrom("raise" as const, "fail" as const) }),
    },
  );
  const calm: Verdict[] = ["none", "one", "one", "two", "reject", "reject and fire"];
  const verdict = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...calm) },
    { weight: 1, arbitrary: fc.constant<Verdict>("throw") },
  );
  return fc.record({
    verdicts: fc.array(verdict, { minLength: 1, maxLength: 17 }),
    isStrict: fc.boolean(),
    isFast: fc.nat({ max: 4 }).map((n) => n === 4),
    acts: fc.array(act, { minLength: 5, maxLength: 40 }),
  });
}

/** How a trigger filters: as authors write it, synchronously, or the one made of the other. */
type Form = "asynchronous" | "synchronous" | "each";

function createTrigger(bench: RunnerBench, id: number, form: Form, script: Script): EventTrigger {
  const verdictOn = (raw: unknown): Verdict => {
    const at = (Number(String(raw).slice(1)) * 5 + id) % script.verdicts.length;
    return script.verdicts[at] as Verdict;
  };
  const { createSharedStreamProducer: _, ...plain } = bench.watcher();
  const shared = script.isFast
    ? {
        ...plain,
        openSharedStream: (signal: AbortSignal) => bench.createProducer().openRaws(signal),
      }
    : bench.watcher();
  async function* filter(stream: SharedStream<unknown>): AsyncGenerator<TriggerEvent> {
    for await (const raw of stream) {
      const verdict = verdictOn(raw);
      if (verdict === "throw") throw new Error("bad event");
      if (verdict.startsWith("reject")) stream.reject();
      if (verdict !== "none" && verdict !== "reject") yield new TriggerEvent(raw);
      if (verdict === "two") yield new TriggerEvent(`${String(raw)} again`);
    }
  }
  function filterEvent(raw: unknown, { reject }: { reject(): void }): FilteredEvents {
    const verdict = verdictOn(raw);
    if (verdict === "throw") throw new Error("bad event");
    if (verdict.startsWith("reject")) reject();
    if (verdict === "none" || verdict === "reject") return undefined;
    const event = new TriggerEvent(raw);
    return verdict === "two" ? [event, new TriggerEvent(`${String(raw)} again`)] : event;
  }
  if (form === "asynchronous") return { ...shared, filterSharedStream: filter };
  if (form === "each") {
    return { ...shared, filterSharedStream: (stream) => filterEach(stream, filterEvent) };
  }
  return {
    ...shared,
    filterSharedStream: () => {
      throw new Error("The asynchronous form was used");
    },
    filterSharedEvent: filterEvent,
  };
}

/** All that is seen of a run, but in what order siblings are served. */
async function outcomeOf(form: Form, script: Script): Promise<unknown> {
  const bench = new RunnerBench({
    maxSubscriberQueue: 0,
    ackTimeout: { seconds: 10 },
    strictPersistence: script.isStrict,
  });
  for (const id of [1, 2, 3, 4]) {
    bench.makers.set(id, () => createTrigger(bench, id, form, script));
  }
  const canFail = script.verdicts.includes("throw") || script.acts.some(({ op }) => op === "raise");
  await bench.start(1, 2);
  let events = 0;
  for (const act of script.acts) {
    const producer = bench.producers.at(-1);
    if (act.op === "create") bench.create(act.id);
    else if (act.op === "cancel") bench.supervisor.toCancel.push(act.id);
    else if (act.op === "rounds") await bench.rounds(act.count);
    else if (act.op === "store") bench.supervisor.isStoring = act.isOn;
    else if (producer === undefined) continue;
    else if (act.op === "fail") producer.fail(new Error("connection lost"));
    else if (act.op === "raise") {
      producer.advanceBy = () => Promise.reject(new Error("commit failed"));
    } else if (act.op === "emit") {
      producer.laneBy = (payload) => String(payload).charAt(0);
      for (let nth = 0; nth < act.count; nth += 1) {
        producer.emit(`${act.lane}${events}`);
        events += 1;
        // What a subscriber that fails has seen of a burst depends on which one is faster.
        if (canFail) await bench.settle();
      }
    }
    await bench.settle();
  }
  await bench.rounds(2);
  const books = bench.manager.outstandingCounts();
  await bench.stop();
  const { requests, taken } = bench.supervisor;
  return {
    fired: [1, 2, 3, 4].map((id) =>
      taken
        .filter(({ triggerId }) => triggerId === id)
        .map(({ event, seq }) => [event.payload, seq !== null]),
    ),
    advanced: bench.producers.map(({ batches, outcomes, clean }) => [
      ["a", "b"].map((lane) => batches.flat().filter((one) => String(one).startsWith(lane))),
      [...outcomes.entries()].toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
      clean.map(String).toSorted(),
    ]),
    failures: requests
      .flatMap(({ failures }) => failures.map((one) => JSON.stringify(one)))
      .toSorted(),
    finished: requests.flatMap(({ finished }) => finished).toSorted((one, other) => one - other),
    said: bench.messages().toSorted(),
    books,
    keys: bench.manager.groupKeys(),
  };
}

test.for(["synchronous", "each"] as const)(
  "for every script the %s form of a filter comes to the same as the asynchronous one",
  async (form) => {
    await fc.assert(
      fc.asyncProperty(scripts(), async (script) => {
        expect(await outcomeOf(form, script)).toEqual(await outcomeOf("asynchronous", script));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
);
