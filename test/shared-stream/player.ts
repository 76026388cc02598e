import { drain } from "../../sim/kernel/drain.ts";
import type { Lane, SharedStream } from "../../src/shared-stream/mod.ts";
import {
  type Act,
  type ActPolicy,
  type ActScript,
  type AdvanceMode,
  BOOM,
  type Step,
} from "./acts.ts";
import type { Fact, ItemFact, Run } from "./facts.ts";
import {
  END,
  type EntryModel,
  type GroupModel,
  ManagerModel,
  type SubscriberModel,
} from "./group-model.ts";
import type { ScriptedProducer } from "./scripted-producer.ts";
import { Stage } from "./stage.ts";

interface Player {
  readonly number: number;
  readonly slot: number;
  readonly key: string;
  readonly stream: SharedStream<unknown>;
  readonly model: SubscriberModel;
  readonly seen: unknown[];
  /** How many of the model's sights are facts already. */
  sightsNoted: number;
}

/** A group of the manager, with its twin in the model. */
interface Twin {
  readonly number: number;
  readonly key: string;
  readonly model: GroupModel;
  producer: ScriptedProducer | undefined;
  nextScanAt: number | undefined;
  gate: ((error?: Error) => void) | undefined;
}

/** Plays a script on our manager and on the model, act by act; answers all that happened. */
export async function play({ policy, steps }: ActScript): Promise<Run> {
  const match = new Match(policy);
  for (const step of steps) {
    // Not even a turn may pass after an act that is rushed.
    const rest = match.perform(step);
    if (rest !== undefined) await rest;
  }
  await match.settle();
  return { timeoutMs: policy.timeoutMs, isStrict: policy.isStrict, facts: match.facts };
}

class Match {
  readonly facts: Fact[] = [];
  readonly #policy: ActPolicy;
  readonly #stage: Stage;
  readonly #model: ManagerModel;
  readonly #twins: Twin[] = [];
  readonly #players: Player[] = [];
  /** Who is in a slot of a key now. */
  readonly #present = new Map<string, Player>();
  readonly #modes = new Map<string, AdvanceMode>();
  readonly #lanes: string[] = [];
  #events = 0;

  constructor(policy: ActPolicy) {
    this.#policy = policy;
    this.#model = new ManagerModel(policy);
    this.#stage = new Stage({
      maxSubscriberQueue: policy.queueMax,
      ackTimeout: { milliseconds: policy.timeoutMs },
      cohortGracePeriod: { milliseconds: policy.graceMs },
      strictPersistence: policy.isStrict,
      observer: {
        onForceFailed: ({ triggerId, key, reason }) => {
          const player = this.#present.get(placeOf(triggerId, String(key)));
          this.facts.push({ kind: "forceFailed", sub: player?.number ?? -1, reason });
        },
      },
    });
  }

  /** Performs one act; unless it is rushed, everything comes to rest then. */
  perform({ act, isRushed }: Step): Promise<void> | undefined {
    if (act.op === "tick" || act.op === "end" || act.op === "confirm") return this.#calmly(act);
    this.#act(act);
    return isRushed ? undefined : this.settle();
  }

  /** An act before which everything must have come to rest. */
  async #calmly(act: Act): Promise<void> {
    await this.settle();
    if (act.op === "tick") await this.#tick(act.ms);
    else this.#act(act);
    await this.settle();
  }

  async settle(): Promise<void> {
    await drain();
    this.#note(this.#rest());
  }

  #act(act: Exclude<Act, { op: "tick" }>): void {
    if (act.op === "stopAll") this.#stopAll();
    else if (act.op === "confirm") {
      this.#confirm(act.backs.map((back) => this.#model.nextSeq - back));
    } else if (act.op === "advance") this.#modes.set(act.key, act.mode);
    else if (act.op === "emit") this.#emit(act.key, act.lanes);
    else if (act.op === "end") this.#end(act.key, act.how);
    else if (act.op === "release") {
      const twin = this.#twins.find(({ key, gate }) => key === act.key && gate !== undefined);
      twin?.gate?.(errorFrom(act.how));
    } else if (act.op === "subscribe") this.#subscribe(act.slot, act.key);
    else {
      const player = this.#present.get(placeOf(act.slot, act.key));
      if (player !== undefined) this.#actOf(act.op, player);
    }
  }

  #actOf(op: "ask" | "bind" | "reject" | "unsubscribe", player: Player): void {
    const { number: sub, slot: triggerId, key, model, stream } = player;
    if (op === "ask") {
      if (!model.isWaiting) this.#ask(player);
    } else if (op === "bind") {
      const expected = this.#model.bind(model);
      const seq = this.#stage.manager.bindPendingEvent({ triggerId, key });
      if (seq !== expected) throw new Error(`bind gave ${seq}, the model ${expected}`);
      this.#note({ kind: "bound", sub, seq });
    } else if (op === "reject") {
      this.#note({ kind: "rejected", sub });
      model.group.reject(model);
      stream.reject();
    } else this.#unsubscribe(player);
  }

  #subscribe(slot: number, key: string): void {
    const place = placeOf(slot, key);
    if (this.#present.has(place)) return;
    const model = this.#model.subscribe(key);
    const number = this.#players.length;
    const twin = this.#twinOf(model.group) ?? this.#addTwin(key, model.group);
    const trigger = { createSharedStreamProducer: () => this.#produce(twin, number) };
    const stream = this.#stage.manager.subscribe({ triggerId: slot, key, trigger });
    const player = { number, slot, key, stream, model, seen: [], sightsNoted: 0 };
    this.#players.push(player);
    this.#present.set(place, player);
    this.#note({ kind: "joined", sub: number, group: twin.number });
  }

  #ask({ number: sub, stream, model, seen }: Player): void {
    this.#note({ kind: "asked", sub });
    model.group.ask(model);
    this.#noteHanded(sub);
    stream.next().then(
      ({ done, value }) => {
        seen.push(done === true ? END : value);
        if (done !== true) this.#note({ kind: "received", sub, event: value as number });
      },
      (error: Error) => {
        seen.push(nameFrom(error));
        this.#note({ kind: "threw", sub, name: nameFrom(error) });
      },
    );
  }

  /** A subscriber was handed an event, by the model: ours tells a turn later. */
  #noteHanded(sub: number): void {
    const player = this.#players[sub] as Player;
    for (const event of player.model.seen.slice(player.sightsNoted)) {
      if (typeof event === "number") this.#note({ kind: "handed", sub, event });
    }
    player.sightsNoted = player.model.seen.length;
  }

  #unsubscribe(player: Player): void {
    const { number: sub, slot, key, model } = player;
    const { group } = model;
    this.#present.delete(placeOf(slot, key));
    const isLast = group.phase === "live" && group.subscribers.size === 1;
    this.#note({ kind: "left", sub, isLast });
    this.#model.unsubscribe(key, model);
    if (isLast) this.#note({ kind: "stopped", group: this.#numberOf(group) });
    void this.#stage.manager
      .unsubscribe({ triggerId: slot, key })
      .then(() => this.#note({ kind: "returned", sub }));
  }

  #confirm(seqs: readonly number[]): void {
    const isAwaited = seqs.some((seq) => this.#model.seqs.has(seq));
    this.#note({ kind: "confirmed", seqs, isAwaited });
    this.#model.confirm(seqs);
    this.#stage.manager.confirmPersisted(seqs.values());
  }

  #emit(key: string, lanes: readonly string[]): void {
    const twin = this.#liveTwin(key);
    if (twin?.producer === undefined) return;
    for (const lane of lanes) {
      this.#lanes.push(lane);
      twin.producer.emit(this.#events);
      this.#events += 1;
    }
  }

  #end(key: string, how: "fails" | "returns"): void {
    const twin = this.#liveTwin(key);
    if (twin?.producer === undefined) return;
    this.#die(twin, how === "fails" ? "poll failed" : "PollTerminated");
    if (how === "fails") twin.producer.fail(new Error("poll failed"));
    else twin.producer.end();
  }

  #stopAll(): void {
    for (const { model, number } of this.#twins) {
      if (model.phase === "live") this.#note({ kind: "stopped", group: number });
    }
    this.#model.stopAll();
    void this.#stage.manager.stopAll();
  }

  /** Lets time pass from scan to scan; the model scans first, then whatever ours sets off. */
  async #tick(ms: number): Promise<void> {
    const { clock } = this.#stage;
    const cadenceMs = this.#policy.timeoutMs / 10;
    const until = clock.now() + ms;
    while (clock.now() < until) {
      const due = this.#twins
        .map((twin) => (twin.model.phase === "live" ? (twin.nextScanAt ?? until) : until))
        .reduce((one, other) => Math.min(one, other), until);
      const next = Math.min(due, this.#nextGraceEnd(until));
      for (const twin of this.#twins) {
        if (twin.nextScanAt !== next || twin.model.phase !== "live") continue;
        twin.nextScanAt += cadenceMs;
        twin.model.scan(next);
      }
      await clock.advance(next - clock.now(), drain);
    }
  }

  /** Within a grace the clock stops at every timer, so that no scan begins unseen. */
  #nextGraceEnd(until: number): number {
    const isWaiting = this.#twins.some(
      ({ producer, model }) => producer === undefined && model.phase === "live",
    );
    return isWaiting ? Math.min(this.#stage.clock.nextDueAt() ?? until, until) : until;
  }

  #produce(twin: Twin, by: number): ScriptedProducer {
    const producer = this.#stage.createProducer();
    twin.producer = producer;
    twin.nextScanAt = this.#stage.clock.now() + this.#policy.timeoutMs / 10;
    this.#note({ kind: "produced", group: twin.number, by });
    producer.laneBy = (event) => this.#broadcast(twin, event as number);
    producer.advanceBy = () => this.#advance(twin);
    producer.acloseBy = () => {
      const unserved = twin.model.mayAdvance ? twin.model.readyLanes : [];
      this.#note({ kind: "aclosed", group: twin.number, unserved });
      twin.model.phase = "dead";
    };
    return producer;
  }

  #broadcast(twin: Twin, event: number): Lane {
    const lane = this.#lanes[event] as string;
    if (lane === BOOM) {
      this.#die(twin, "lane failed");
      throw new Error("lane failed");
    }
    const members = this.#players
      .filter(({ model }) => twin.model.subscribers.has(model))
      .map(({ number }) => number)
      .filter((sub) => !this.facts.some((fact) => fact.kind === "forceFailed" && fact.sub === sub));
    this.#note({ kind: "broadcast", group: twin.number, event, lane, members });
    twin.model.emit(event, lane, this.#stage.clock.now());
    for (const sub of members) this.#noteHanded(sub);
    return ["lane", lane];
  }

  async #advance(twin: Twin): Promise<void> {
    const { model, number: group } = twin;
    const producer = twin.producer as ScriptedProducer;
    const events = producer.begun.at(-1) as readonly number[];
    const lanes = [...new Set(events.map((event) => this.#lanes[event] as string))];
    const lane = lanes[0] as string;
    const items = events.map((event) => ({
      event,
      counts: producer.out(event) ?? [0, 0, 0],
      isClean: producer.clean.includes(event),
    }));
    const prefix = model.prefixOf(lane).map(itemFrom);
    this.#note({ kind: "advanced", group, lane, lanes, items, prefix });
    model.harvest(lane, events.length);
    const mode = this.#modes.get(twin.key) ?? "ok";
    let error = errorFrom(mode);
    if (mode === "block") {
      error = await new Promise<Error | undefined>((resolve) => {
        twin.gate = resolve;
      });
      twin.gate = undefined;
    }
    this.#note({ kind: "settled", group, isOk: error === undefined });
    if (error === undefined) return;
    this.#die(twin, nameFrom(error));
    if (model.phase === "dying") model.phase = "broken";
    throw error;
  }

  #die(twin: Twin, name: string): void {
    if (!twin.model.isTold) this.#note({ kind: "died", group: twin.number, name });
    this.#model.die(twin.key, twin.model, name);
  }

  #rest(): Fact {
    const { producers, manager, clock } = this.#stage;
    const unserved = this.#twins.filter(
      ({ model, gate }) => gate === undefined && model.mayAdvance && model.readyLanes.length > 0,
    );
    const closed = this.#twins.filter(
      ({ producer, model, gate }) =>
        producer !== undefined && model.phase !== "live" && gate === undefined,
    );
    return {
      kind: "rest",
      view: {
        keys: manager.groupKeys().map(String),
        books: manager.outstandingCounts(),
        seen: this.#players.map(({ seen }) => [...seen]),
        aclosed: producers.reduce((sum, { aclosed }) => sum + aclosed, 0),
      },
      model: {
        keys: [...this.#model.groups.keys()],
        books: this.#model.books(),
        seen: this.#players.map(({ model }) => [...model.seen]),
        aclosed: closed.length,
      },
      ageMs: Math.max(0, ...this.#model.pendingSince().map((at) => clock.now() - at)),
      unserved: unserved.map(({ number }) => number),
    };
  }

  #addTwin(key: string, model: GroupModel): Twin {
    const number = this.#twins.length;
    const none = { producer: undefined, nextScanAt: undefined, gate: undefined };
    const twin = { number, key, model, ...none };
    this.#twins.push(twin);
    return twin;
  }

  #twinOf(group: GroupModel): Twin | undefined {
    return this.#twins.find(({ model }) => model === group);
  }

  #numberOf(group: GroupModel): number {
    return this.#twins.findIndex(({ model }) => model === group);
  }

  #liveTwin(key: string): Twin | undefined {
    return this.#twins.find((twin) => twin.key === key && twin.model.phase === "live");
  }

  #note(fact: Fact): void {
    this.facts.push(fact);
  }
}

function placeOf(slot: number, key: string): string {
  return `${slot} of ${key}`;
}

function errorFrom(mode: AdvanceMode): Error | undefined {
  if (mode === "raise") return new Error("advance failed");
  return mode === "abort" ? new DOMException("advance cancelled", "AbortError") : undefined;
}

function nameFrom(error: Error): string {
  return error.name === "Error" ? error.message : error.name;
}

function itemFrom({ event, counts }: EntryModel): ItemFact {
  const { acked, failed, rejected } = counts;
  const isClean = acked > 0 && failed === 0 && rejected === 0;
  return { event, counts: [acked, failed, rejected], isClean };
}
