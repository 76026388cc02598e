import type { ObservedStage } from "../observed/observation.ts";
import { type Drawn, madeFrom, shown, withoutRepeats } from "./odd-values.ts";
import { type Acts, type HandlerParts, type Loose, performed } from "./slips-handler.ts";
import type { Call, Part, Step } from "./slips-steps.ts";

export type { Loose } from "./slips-handler.ts";

interface OwnAdmin {
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  createTopics(options: { topics: { topic: string; numPartitions: number }[] }): Promise<unknown>;
  fetchTopicOffsets(topic: string): Promise<unknown>;
  fetchOffsets(options: { groupId: string }): Promise<unknown>;
}

/** What differs between the libraries. */
export interface SlipFace {
  /** Further options of `createTopics`. */
  readonly creation: object;
  /** What the parts are made with that a program has from its beginning. */
  readonly configs: Readonly<Record<Part, Drawn>>;
  /** Methods that are never begun and left. */
  readonly alone: readonly string[];
  /** So long what was begun goes on at the end. */
  readonly endMs: number;
  readonly isAnyBatch: boolean;
  /** Has everything told that a consumer tells. */
  eventsOf(consumer: Loose, tell: (name: string, payload: unknown) => void): void;
  outcome(method: string, outcome: unknown): unknown;
}

/** How long a call may take until it counts as pending. */
const CALL_MS = 9_000;
const STEP_MS = 50;
const KNOWN_MS = 20;
const KNOWN_TRIES = 500;
/** So much is told at most: who makes no progress reads for ever. */
const TOLD_MAX = 50_000;

/** Plays a program, with a topic and a group of its own, and returns what came of each step. */
export async function playSteps<Client extends { admin(): OwnAdmin }>(
  stage: ObservedStage<Client>,
  steps: readonly Step[],
  name: string,
  face: SlipFace,
): Promise<readonly unknown[]> {
  const own = stage.client.admin();
  await own.connect();
  await own.createTopics({ ...face.creation, topics: [{ topic: name, numPartitions: 1 }] });
  await untilKnown(stage, own, name);
  const program = new Program(stage, name, face);
  const seen = [...(await program.play(steps))];
  const committed = await own.fetchOffsets({ groupId: name }).catch((error: unknown) => error);
  seen.push(["committed", shown(committed)]);
  seen.push(["ends", shown(await own.fetchTopicOffsets(name))]);
  await own.disconnect();
  return seen;
}

/** The libraries give up where a busy server does not know the topic yet. */
async function untilKnown(
  { pass }: Pick<ObservedStage<unknown>, "pass">,
  own: OwnAdmin,
  topic: string,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await own.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (tries === KNOWN_TRIES) throw error;
      await pass(KNOWN_MS);
    }
  }
}

class Program {
  readonly #stage: ObservedStage<unknown>;
  readonly #name: string;
  readonly #face: SlipFace;
  readonly #parts = new Map<Part, Loose>();
  readonly #made: Loose[] = [];
  /** What each consumer and its handlers have told. */
  readonly #tales: unknown[][] = [[]];
  readonly #begun: Promise<unknown>[] = [];
  #handled = 0;

  constructor(stage: ObservedStage<unknown>, name: string, face: SlipFace) {
    this.#stage = stage;
    this.#name = name;
    this.#face = face;
  }

  async play(steps: readonly Step[]): Promise<readonly unknown[]> {
    const { configs, endMs } = this.#face;
    for (const part of ["producer", "admin", "consumer"] as const) this.#make(part, configs[part]);
    const seen: unknown[] = [];
    for (const step of steps) seen.push([step, await this.#take(step)]);
    await this.#stage.pass(endMs);
    seen.push(["begun", await Promise.all(this.#begun)]);
    for (const part of this.#made) {
      seen.push(["end", await this.#within(() => part["disconnect"]?.())]);
    }
    await this.#stage.pass(endMs);
    seen.push(["told", this.#tales.map(withoutRepeats)]);
    return seen;
  }

  async #take(step: Step): Promise<unknown> {
    switch (step[0]) {
      case "make":
        try {
          this.#make(step[1], step[2]);
          return "made";
        } catch (error) {
          return shown(error);
        }
      case "call":
        return await this.#within(() => this.#call(step[1]));
      case "begin":
        if (this.#face.alone.includes(step[1][1])) {
          return await this.#within(() => this.#call(step[1]));
        }
        this.#begun.push(this.#within(() => this.#call(step[1])));
        return "begun";
      case "look":
        await this.#stage.pass(step[1]);
        return;
      default:
        return step satisfies never;
    }
  }

  #make(part: Part, config: Drawn): void {
    const client = this.#stage.client as Loose;
    const made = client[part]?.(this.#from(config)) as Loose;
    this.#parts.set(part, made);
    this.#made.push(made);
    if (part !== "consumer") return;
    const tale: unknown[] = [];
    this.#tales.push(tale);
    this.#face.eventsOf(made, (name, payload) => void tale.push([name, shown(payload)]));
  }

  #partOf(part: Part): Loose {
    return this.#parts.get(part) as Loose;
  }

  #call([part, method, given]: Call): unknown {
    const outcome = this.#partOf(part)[method]?.(...given.map((drawn) => this.#from(drawn)));
    return this.#face.outcome(method, outcome);
  }

  /** Resolves with what a call does, or that it does not end soon. */
  async #within(run: () => unknown): Promise<unknown> {
    let outcome: unknown = "pending";
    const over = { is: false };
    // oxlint-disable-next-line typescript/require-await -- what is thrown at once rejects, too
    const call = async (): Promise<unknown> => run();
    void call().then(
      (value) => {
        outcome = shown(value);
        over.is = true;
      },
      (error: unknown) => {
        outcome = error instanceof Error ? shown(error) : { threw: shown(error) };
        over.is = true;
      },
    );
    await this.#stage.pass(1);
    for (let ms = 0; ms < CALL_MS && !over.is; ms += STEP_MS) await this.#stage.pass(STEP_MS);
    return outcome;
  }

  #from(drawn: Drawn): unknown {
    const name = this.#name;
    const tale = this.#tales.at(-1) as unknown[];
    /** Whether a consumer starts again: not for ever. */
    const asked = (error: Error, isToRestart: boolean): Promise<boolean> => {
      tale.push(["asked", error.name]);
      return Promise.resolve(isToRestart && tale.length < 60);
    };
    const known: Readonly<Record<string, unknown>> = {
      ...{ topic: name, group: name, "no topic": `${name}-none`, "no group": `${name}-other` },
      "new topic": `${name}-new`,
      pattern: new RegExp(`^${name}$`),
      listener: () => void tale.push("listener"),
      partitioner: () => () => 0,
      restart: (error: Error) => asked(error, true),
      "no restart": (error: Error) => asked(error, false),
    };
    return madeFrom(drawn, (word, whole) => {
      if (word === "handler") {
        const acts = whole["acts"] as unknown as Acts;
        return (payload: Loose) => this.#handle(payload, acts, tale);
      }
      if (!word.startsWith("event ")) return known[word];
      const events = this.#partOf("consumer")["events"] as unknown;
      return (events as Readonly<Record<string, string>>)[word.slice("event ".length)];
    });
  }

  async #handle(payload: Loose, acts: Acts, tale: unknown[]): Promise<void> {
    const nth = this.#handled;
    this.#handled += 1;
    const { partition, message, batch } = payload as unknown as {
      readonly partition?: number;
      readonly message?: { readonly offset: string };
      readonly batch?: {
        readonly partition: number;
        readonly messages: readonly { readonly offset: string }[];
      };
    };
    const offsets = batch?.messages.map(({ offset }) => offset);
    const isOne = message !== undefined;
    const got = isOne
      ? ["message", partition, message.offset]
      : ["batch", batch?.partition, offsets];
    if (tale.length < TOLD_MAX) tale.push(got);
    const parts: HandlerParts = {
      topic: this.#name,
      consumer: () => this.#partOf("consumer"),
      producer: () => this.#partOf("producer"),
      pass: (ms) => this.#stage.pass(ms),
      begin: (call) => void this.#begun.push(this.#within(call)),
      tell: (told) => void tale.push(told),
      isAnyBatch: this.#face.isAnyBatch,
    };
    for (const [at, act] of acts) {
      if (at !== nth) continue;
      const outcome = await performed(parts, payload, act);
      tale.push([...act, outcome]);
    }
  }
}
