import { drain } from "../../sim/drain.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import type {
  AdvanceItem,
  Lane,
  SharedStream,
  SharedStreamManager,
  SharedStreamProducer,
  SharedStreamTrigger,
} from "../../src/shared-stream/mod.ts";
import type { Clock } from "../../src/time/mod.ts";
import { type GoldenScript, type GoldenStep, canonicalFrom, type Seen } from "./script.ts";

/** What a script is replayed on. */
export type GoldenManager = Pick<
  SharedStreamManager,
  "subscribe" | "bindPendingEvent" | "confirmPersisted" | "unsubscribe" | "stopAll" | "groupKeys"
>;

export type GoldenManagerFactory = (
  clock: Clock,
  config: GoldenScript["config"],
) => GoldenManager;

/** The first step after which something else was seen than Airflow's own manager showed. */
export interface Mismatch {
  readonly script: string;
  readonly step: number;
  readonly op: string;
  readonly expected: readonly string[];
  readonly seen: readonly string[];
}

/** Replays one script; answers the first mismatch, or undefined when every step matches. */
export async function replay(
  script: GoldenScript,
  createManager: GoldenManagerFactory,
): Promise<Mismatch | undefined> {
  const stage = new GoldenStage(createManager, script.config);
  for (let at = 0; at < script.steps.length; at += 1) {
    const step = script.steps[at] as GoldenStep;
    const seen = [...canonicalFrom(await stage.perform(step)), `groups: ${stage.groups().join(" ")}`];
    const expected = [
      ...canonicalFrom(step.expect.seen),
      `groups: ${step.expect.groups.toSorted().join(" ")}`,
    ];
    if (JSON.stringify(seen) === JSON.stringify(expected)) continue;
    const { op, expect: _expect, ...fields } = step;
    return { script: script.name, step: at, op: `${op} ${JSON.stringify(fields)}`, expected, seen };
  }
  return undefined;
}

interface Item {
  readonly raw: unknown;
  readonly lane: unknown;
}

class GoldenStage {
  readonly #clock = new VirtualClock();
  readonly #manager: GoldenManager;
  readonly #streams = new Map<string, SharedStream<unknown>>();
  /** Pulls whose result nobody wants any more are told apart by number. */
  readonly #pulls = new Map<string, number>();
  readonly #producers = new Map<string, GoldenProducer>();
  readonly #modes = new Map<string, string>();
  readonly #failingFactories = new Set<string>();
  readonly #bound: (number | null)[] = [];
  #seen: Seen[] = [];
  #pullNumber = 0;

  constructor(createManager: GoldenManagerFactory, config: GoldenScript["config"]) {
    this.#manager = createManager(this.#clock, config);
  }

  groups(): readonly string[] {
    return this.#manager.groupKeys().map(String).toSorted();
  }

  async perform(step: GoldenStep): Promise<readonly Seen[]> {
    this.#seen = [];
    this.#act(step);
    await this.#rest();
    if (step.op === "tick") await this.#clock.advance((step.seconds ?? 0) * 1_000, () => this.#rest());
    return this.#seen;
  }

  async #rest(): Promise<void> {
    await drain();
    await drain();
  }

  #act(step: GoldenStep): void {
    const { op, id = 0, key = "" } = step;
    const place = { triggerId: id, key };
    const name = `${id} ${key}`;
    const producer = this.#producers.get(key);
    switch (op) {
      case "subscribe":
        this.#subscribe(id, key);
        break;
      case "pull":
        this.#pull(id, key);
        break;
      case "reject":
        this.#streams.get(name)?.reject();
        break;
      case "produce":
        producer?.emit(step.items ?? []);
        break;
      case "bind":
        this.#bound.push(this.#manager.bindPendingEvent(place));
        this.#see("bound", id, key, this.#bound.at(-1) !== null);
        break;
      case "confirm": {
        const seqs = (step.binds ?? []).map((at) => this.#bound[at] ?? null);
        this.#manager.confirmPersisted(seqs.filter((seq) => seq !== null).values());
        break;
      }
      case "unsubscribe":
        this.#pulls.delete(name);
        void this.#manager.unsubscribe(place).then(() => this.#see("unsubscribed", id, key));
        break;
      case "mode":
        this.#modes.set(key, step.mode ?? "ok");
        break;
      case "release":
        producer?.release(step.with ?? "ok");
        break;
      case "pollFail":
        producer?.end("fail");
        break;
      case "pollEnd":
        producer?.end("return");
        break;
      case "factoryFail":
        if (step.on === true) this.#failingFactories.add(key);
        else this.#failingFactories.delete(key);
        break;
      case "stopAll":
        void this.#manager.stopAll().then(() => this.#see("stopped"));
        break;
      case "tick":
        break;
      default:
        throw new RangeError(`There is no golden op "${op}"`);
    }
  }

  #see(...seen: [string, ...unknown[]]): void {
    this.#seen.push(seen);
  }

  #subscribe(id: number, key: string): void {
    try {
      const trigger = this.#trigger(key);
      const stream = this.#manager.subscribe({ triggerId: id, trigger, key });
      this.#streams.set(`${id} ${key}`, stream);
      this.#pulls.delete(`${id} ${key}`);
    } catch {
      this.#see("subscribeError", id, key);
    }
  }

  #pull(id: number, key: string): void {
    const name = `${id} ${key}`;
    const stream = this.#streams.get(name);
    if (stream === undefined || this.#pulls.has(name)) return;
    this.#pullNumber += 1;
    const number = this.#pullNumber;
    this.#pulls.set(name, number);
    const isWanted = (): boolean => {
      if (this.#pulls.get(name) !== number) return false;
      this.#pulls.delete(name);
      return true;
    };
    stream.next().then(
      (result) => {
        if (isWanted() && result.done !== true) this.#see("event", id, key, result.value);
      },
      (error: unknown) => {
        if (isWanted()) this.#see("error", id, key, kindFrom(error));
      },
    );
  }

  #trigger(key: string): SharedStreamTrigger<unknown> {
    if (key === "fast") {
      return { openSharedStream: (signal) => rawsOf(this.#openProducer(key).openStream(signal)) };
    }
    return {
      createSharedStreamProducer: () => {
        if (this.#failingFactories.has(key)) throw new Error("factory failed");
        return this.#openProducer(key) as SharedStreamProducer<unknown>;
      },
    };
  }

  #openProducer(key: string): GoldenProducer {
    const producer = new GoldenProducer(key, {
      see: (...seen) => this.#see(...seen),
      mode: () => this.#modes.get(key) ?? "ok",
    });
    this.#producers.set(key, producer);
    return producer;
  }
}

interface ProducerHooks {
  see(...seen: [string, ...unknown[]]): void;
  mode(): string;
}

class GoldenProducer implements SharedStreamProducer<unknown, Item> {
  readonly #key: string;
  readonly #hooks: ProducerHooks;
  readonly #items: Item[] = [];
  #wake: (() => void) | undefined;
  #end: "fail" | "return" | undefined;
  #blocked: ((how: "ok" | "raise") => void) | undefined;

  constructor(key: string, hooks: ProducerHooks) {
    this.#key = key;
    this.#hooks = hooks;
  }

  emit(items: readonly Item[]): void {
    this.#items.push(...items);
    this.#wake?.();
  }

  end(how: "fail" | "return"): void {
    this.#end ??= how;
    this.#wake?.();
  }

  release(how: "ok" | "raise"): void {
    this.#blocked?.(how);
    this.#blocked = undefined;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Item]> {
    this.#hooks.see("open", this.#key);
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
    while (!signal.aborted) {
      const item = this.#items.shift();
      if (item !== undefined) yield [item.raw, item];
      else if (this.#end === "fail") throw new Error("poll failed");
      else if (this.#end === "return") return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  getAdvanceLane({ lane }: Item): Lane {
    if (lane === "boom") throw new Error("lane failed");
    return lane as Lane;
  }

  async advance(batch: readonly AdvanceItem<Item>[]): Promise<void> {
    const lane = batch[0]?.brokerPayload.lane;
    const items = batch.map(({ brokerPayload, outcome }) => {
      const { acked, failed, rejected, isClean } = outcome;
      return [brokerPayload.raw, acked, failed, rejected, isClean];
    });
    this.#hooks.see("advance", this.#key, lane, items);
    const mode = this.#hooks.mode();
    if (mode === "raise") throw new Error("advance failed");
    if (mode !== "block") return;
    const how = await new Promise<"ok" | "raise">((resolve) => (this.#blocked = resolve));
    if (how === "raise") throw new Error("advance failed");
  }

  async aclose(): Promise<void> {
    this.#hooks.see("aclose", this.#key);
  }
}

async function* rawsOf(pairs: AsyncIterable<readonly [unknown, Item]>): AsyncGenerator<unknown> {
  for await (const [raw] of pairs) yield raw;
}

const KIND_BY_NAME = new Map([
  ["SubscriberOverflow", "overflow"],
  ["AckTimeout", "ackTimeout"],
  ["PollTerminated", "pollTerminated"],
]);
const KIND_BY_MESSAGE = new Map([
  ["poll failed", "pollFailed"],
  ["advance failed", "advanceFailed"],
  ["lane failed", "laneFailed"],
  ["factory failed", "factoryFailed"],
]);

function kindFrom(error: unknown): string {
  if (!(error instanceof Error)) return `not an Error: ${String(error)}`;
  return KIND_BY_NAME.get(error.name) ?? KIND_BY_MESSAGE.get(error.message) ?? error.message;
}
