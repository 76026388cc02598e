import { describe, expect, it } from "vitest";
import { drain } from "../../sim/realm/drain.ts";
import { CancelledError, ReferenceSharedStreamManager } from "../../sim/reference/mod.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import type {
  AdvanceItem,
  Lane,
  SharedStreamProducer,
  StreamKey,
} from "../../src/shared-stream/mod.ts";

/** What a source does next: hand out a raw event, throw, or return. */
type Act = { readonly raw: number } | { readonly throws: Error } | "return";

/** A producer by hand: acts are pushed, what is settled is recorded. */
class HandProducer implements SharedStreamProducer<number, number> {
  readonly advanced: string[] = [];
  readonly log: string[] = [];
  lane: Lane = undefined;
  laneError: Error | undefined;
  /** What the source throws when it is asked to stop; undefined where it just returns. */
  stopError: Error | undefined;
  isDeaf = false;
  advanceGate: Promise<void> | undefined;
  readonly #acts: Act[] = [];
  #wake: (() => void) | undefined;

  push(act: Act): void {
    this.#acts.push(act);
    this.#wake?.();
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [number, number]> {
    if (!this.isDeaf) signal.addEventListener("abort", () => this.#wake?.());
    try {
      for (;;) {
        const act = this.#acts.shift();
        if (signal.aborted && this.stopError !== undefined) throw this.stopError;
        if (signal.aborted) return;
        if (act === undefined) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        } else if (act === "return") return;
        else if ("throws" in act) throw act.throws;
        else yield [act.raw, act.raw];
      }
    } finally {
      this.log.push("source closed");
    }
  }

  getAdvanceLane(): Lane {
    if (this.laneError !== undefined) throw this.laneError;
    return this.lane;
  }

  async advance(batch: readonly AdvanceItem<number>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      const { acked, failed, rejected } = outcome;
      this.advanced.push(`${brokerPayload}: ${acked} ${failed} ${rejected}`);
    }
    await this.advanceGate;
  }

  async aclose(): Promise<void> {
    this.log.push("producer closed");
  }
}

function stage() {
  const clock = new VirtualClock();
  const logged: string[] = [];
  const log = (message: string): void => void logged.push(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  const manager = new ReferenceSharedStreamManager({ clock, logger, ackTimeout: { seconds: 10 } });
  const producer = new HandProducer();
  const subscribe = (triggerId: number, key: StreamKey = "k") => {
    const trigger = { createSharedStreamProducer: () => producer };
    return manager.subscribe<number>({ triggerId, trigger, key });
  };
  /** The next item as text, or "waits" when there is none at rest. */
  const look = async (pull: Promise<IteratorResult<number>>): Promise<string> => {
    let text = "waits";
    pull.then(
      ({ done, value }) => (text = done === true ? "done" : String(value)),
      (error: unknown) => (text = String(error)),
    );
    await drain();
    return text;
  };
  return { manager, producer, subscribe, look, logged };
}

describe("the reference keeps", () => {
  it("E-02: what is yielded after an eviction is bound to nothing, and acked ungated", async () => {
    const { manager, producer, subscribe } = stage();
    const stream = subscribe(1);
    let release: () => void = () => undefined;
    producer.advanceGate = new Promise((resolve) => {
      release = resolve;
    });
    for (const raw of [1, 2]) {
      const pull = stream.next();
      await drain();
      producer.push({ raw });
      await pull;
    }
    const stopping = manager.stopAll();
    await drain();
    expect(manager.bindPendingEvent({ triggerId: 1, key: "k" })).toBe(null);
    void stream.next();
    release();
    await stopping;
    expect(producer.advanced).toEqual(["1: 1 0 0", "2: 1 0 0"]);
  });

  it("E-03: leaving with an open window counts as acked", async () => {
    const { manager, producer, subscribe } = stage();
    const stream = subscribe(1);
    const pull = stream.next();
    producer.push({ raw: 1 });
    await pull;
    await manager.unsubscribe({ triggerId: 1, key: "k" });
    expect(producer.advanced).toEqual(["1: 1 0 0"]);
  });

  it("E-04: a cancellation out of the source ends the poll, keeps the key and fails no subscriber", async () => {
    const { manager, producer, subscribe, look } = stage();
    const stream = subscribe(1);
    producer.push({ throws: new CancelledError("the client went away") });
    expect(await look(stream.next())).toBe("waits");
    expect(manager.groupKeys()).toEqual(["k"]);
    expect(producer.log).toEqual(["source closed", "producer closed"]);
    expect(await look(subscribe(2).next())).toBe("waits");
  });

  it("E-11: a source is left suspended when the lane hook throws", async () => {
    const { producer, subscribe, look } = stage();
    const stream = subscribe(1);
    await drain();
    producer.laneError = new Error("no lane");
    producer.push({ raw: 1 });
    expect(await look(stream.next())).toBe("Error: no lane");
    expect(producer.log).toEqual(["producer closed"]);
  });

  it("E-20: what a stopped source throws reaches those still subscribed", async () => {
    const { manager, producer, subscribe, look } = stage();
    const stream = subscribe(1);
    await drain();
    producer.stopError = new Error("connection closed");
    await manager.stopAll();
    expect(await look(stream.next())).toBe("Error: connection closed");
  });

  it("E-27: all subscribers get one error object", async () => {
    const { producer, subscribe } = stage();
    const pulls = [subscribe(1).next(), subscribe(2).next()];
    const error = new Error("broker gone");
    producer.push({ throws: error });
    const caught = pulls.map((pull) => pull.catch((reason: unknown) => reason));
    for (const reason of await Promise.all(caught)) expect(reason).toBe(error);
  });

  it("E-33: keys and lanes are one where Python calls them equal", async () => {
    const { manager, subscribe } = stage();
    for (const [at, key] of [1, 1n, true].entries()) subscribe(at, key);
    for (const [at, key] of [[1, null] as const, [true, null] as const].entries()) {
      subscribe(at, key);
    }
    expect(manager.groupKeys()).toEqual([1, [1, null]]);
    subscribe(1, "1");
    expect(manager.groupKeys()).toHaveLength(3);
    expect(() => subscribe(1, 1)).toThrow("already subscribed");
    expect(() => subscribe(1, {} as StreamKey)).toThrow(TypeError);
    expect(() => subscribe(1, null as unknown as StreamKey)).toThrow("must not be None");
  });
});

describe("the reference, so that the same triggers run on it,", () => {
  it("ends the stream on unsubscribe: its waiting pull and the later ones", async () => {
    const { manager, subscribe, look } = stage();
    subscribe(2);
    const stream = subscribe(1);
    const pull = stream.next();
    await manager.unsubscribe({ triggerId: 1, key: "k" });
    expect(await look(pull)).toBe("done");
    expect(await look(stream.next())).toBe("done");
  });

  it("ends it in a group that is out of the map, too", async () => {
    const { manager, subscribe, look } = stage();
    const pull = subscribe(1).next();
    await manager.stopAll();
    expect(await look(pull)).toBe("waits");
    await manager.unsubscribe({ triggerId: 1, key: "k" });
    expect(await look(pull)).toBe("done");
  });

  it("closes no window when a stream is returned, only when the subscriber leaves", async () => {
    const { manager, producer, subscribe, look } = stage();
    const stream = subscribe(1);
    const pull = stream.next();
    producer.push({ raw: 1 });
    await pull;
    expect(await look(stream.return?.() ?? Promise.reject(new Error("none")))).toBe("done");
    expect(producer.advanced).toEqual([]);
    await manager.unsubscribe({ triggerId: 1, key: "k" });
    expect(producer.advanced).toEqual(["1: 1 0 0"]);
  });

  it("closes a source before its producer, and leaves a deaf one behind", async () => {
    const heard = stage();
    heard.subscribe(1);
    await drain();
    await heard.manager.stopAll();
    expect(heard.producer.log).toEqual(["source closed", "producer closed"]);

    const deaf = stage();
    deaf.producer.isDeaf = true;
    deaf.subscribe(1);
    await drain();
    await deaf.manager.stopAll();
    expect(deaf.producer.log).toEqual(["producer closed"]);
  });

  it("asks nothing of a trigger that leaves at once (C-018)", async () => {
    const { manager, producer, subscribe } = stage();
    subscribe(1);
    await manager.unsubscribe({ triggerId: 1, key: "k" });
    expect(producer.log).toEqual([]);
    expect(manager.groupKeys()).toEqual([]);
  });

  it("logs what a source throws, and not that it returned (C-139)", async () => {
    const [returned, failed] = [stage(), stage()];
    returned.producer.push("return");
    expect(await returned.look(returned.subscribe(1).next())).toMatch(/^PollTerminated: /);
    expect(returned.logged).toEqual([]);
    failed.producer.push({ throws: new Error("gone") });
    expect(await failed.look(failed.subscribe(1).next())).toBe("Error: gone");
    expect(failed.logged).toEqual(["The shared stream poll failed"]);
  });

  it("logs each reject of an event, of which the first one counts (C-070)", async () => {
    const { manager, producer, subscribe, logged } = stage();
    const stream = subscribe(1);
    const pull = stream.next();
    producer.push({ raw: 1 });
    await pull;
    stream.reject();
    stream.reject();
    await drain();
    expect(producer.advanced).toEqual(["1: 0 0 1"]);
    expect(logged).toEqual(Array(2).fill("A subscriber rejected a shared stream event"));
    await manager.stopAll();
  });
});
