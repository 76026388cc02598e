// A triggerer of its own process: two watchers share one stream of orders, on real time.
//
//   node test/real/crashes/triggerer.ts <broker> <producer> <port> <journal>
import { setTimeout as pass } from "node:timers/promises";
import { AckTimeout, SharedStreamManager } from "../../../src/mod.ts";
import type { CrashBroker, ProducerModule } from "./crash-broker.ts";
import { refOf } from "./crash-broker.ts";
import { Journal } from "./journal.ts";

const [broker = "", producer = "", port = "", path = ""] = process.argv.slice(2);
const { BROKER } = (await import(`./${broker}.ts`)) as { readonly BROKER: CrashBroker };
const { createProducer } = (await import(
  `../../../scenarios/producers/${producer}.ts`
)) as ProducerModule;

const KEY = ["orders"];
const WORK_MS = 4;
/** The database takes its time for some. */
const SLOW_MS = 400;
const RESTART_MS = 500;

const journal = new Journal(path);
const manager = new SharedStreamManager({ ackTimeout: { seconds: 3 } });
const createClient = await BROKER.connect(Number(port));
/** What a watcher has had in hand and never stored, once each. */
const forgotten = new Set<string>();

const trigger = {
  createSharedStreamProducer() {
    journal.add({ kind: "opened", who: "producer" });
    const created = createProducer({ client: createClient() });
    const open = created.openStream.bind(created);
    created.openStream = (signal) => observed(open(signal));
    return created;
  },
};

/** Notes what the producer hands out. */
async function* observed<Pair extends readonly [raw: unknown, payload: unknown]>(
  pairs: AsyncIterable<Pair>,
): AsyncGenerator<Pair> {
  for await (const pair of pairs) {
    journal.add({ kind: "broadcast", who: "producer", ref: refOf(pair[0]) });
    yield pair;
  }
}

/** Watches for ever; a stream that ends is subscribed to again, as when a task is tried again. */
async function watch(who: string, triggerId: number): Promise<never> {
  const address = { triggerId, key: KEY };
  for (;;) {
    const stream = manager.subscribe({ ...address, trigger });
    try {
      for await (const raw of stream) {
        const ref = refOf(raw);
        journal.add({ kind: "received", who, ref });
        await pass(WORK_MS);
        const fate = fateOf(who, ref);
        if (fate === "rejected") {
          journal.add({ kind: "rejected", who, ref });
          stream.reject();
        } else {
          const seq = manager.bindPendingEvent(address);
          if (fate !== "forgotten") void persist(who, ref, seq, fate === "slow" ? SLOW_MS : 0);
        }
      }
    } catch (error) {
      journal.add({ kind: "failed", who });
      console.error(who, error);
      if (!(error instanceof AckTimeout)) await pass(RESTART_MS);
    }
    await manager.unsubscribe(address);
  }
}

function fateOf(who: string, ref: string): "stored" | "slow" | "rejected" | "forgotten" {
  const number = Number(ref.slice(-6));
  if (number % 10 === 3) return "rejected";
  if (number % 90 === 40 && who === "second" && !forgotten.has(ref)) {
    forgotten.add(ref);
    return "forgotten";
  }
  return number % 5 === 0 ? "slow" : "stored";
}

async function persist(who: string, ref: string, seq: number | null, ms: number): Promise<void> {
  await pass(ms);
  journal.add({ kind: "persisted", who, ref });
  if (seq !== null) manager.confirmPersisted([seq]);
}

process.on("SIGTERM", () => {
  void manager.stopAll().then(() => process.exit(0));
});
await Promise.all([watch("first", 1), watch("second", 2)]);
