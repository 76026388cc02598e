import * as fc from "fast-check";
import type { ObservedStage } from "../observed/observation.ts";
import { type Drawn, madeFrom, withoutRepeats } from "./odd-values.ts";

export type Who = "a" | "b";
export type Command = readonly [method: string, given: readonly Drawn[]];
/** What a program does next: data alone, so that it shrinks and can be read. */
export type RedisStep =
  | readonly ["call" | "begin", Who, Command]
  | readonly ["chain", Who, begin: Command, commands: readonly Command[], end: Command]
  | readonly ["field", Who, name: string]
  | readonly ["make", Who, given: readonly Drawn[]]
  | readonly ["look", ms: number];
export type RedisProgram = fc.Arbitrary<readonly RedisStep[]>;

/** A client of either library, by what it has. */
export type Loose = Readonly<Record<string, (...given: unknown[]) => unknown>>;

/** What differs between the libraries. */
export interface RedisFace {
  /** What a client tells. */
  readonly events: readonly string[];
  /** What the server has at the end, as a client of its own finds it. */
  stateBy(client: Loose): Promise<readonly unknown[]>;
  /** Closes a client that may be closed already. */
  close(client: Loose): void;
}

/** What programs of a library are drawn from. */
interface Grammar {
  /** What most programs begin with. */
  readonly filled: readonly RedisStep[];
  readonly command: fc.Arbitrary<Command>;
  /** What begins and ends a connection, and who listens to it. */
  readonly life: fc.Arbitrary<Command>;
  readonly fields: readonly string[];
  /** What `duplicate` is given. */
  readonly made: fc.Arbitrary<readonly Drawn[]>;
  /** How commands that go together are begun, added and sent. */
  readonly begin: fc.Arbitrary<Command>;
  readonly chained: fc.Arbitrary<Command>;
  readonly end: fc.Arbitrary<Command>;
}

const STEPS_MAX = 12;

export function redisProgram(of: Grammar): RedisProgram {
  const who = fc.constantFrom<Who>("a", "a", "b");
  const call = fc.constant("call" as const);
  const begin = fc.constant("begin" as const);
  const chain = fc.constant("chain" as const);
  const step: fc.Arbitrary<RedisStep> = fc.oneof(
    { weight: 24, arbitrary: fc.tuple(call, who, of.command) },
    { weight: 4, arbitrary: fc.tuple(begin, who, of.command) },
    { weight: 2, arbitrary: fc.tuple(call, who, of.life) },
    { weight: 1, arbitrary: fc.tuple(begin, who, of.life) },
    {
      weight: 4,
      arbitrary: fc.tuple(chain, who, of.begin, fc.array(of.chained, { maxLength: 4 }), of.end),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constant("field" as const), who, fc.constantFrom(...of.fields)),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constant("make" as const), who, of.made) },
    { weight: 1, arbitrary: fc.constant(["look", 30] as const) },
  );
  const first = fc.oneof(
    { weight: 7, arbitrary: fc.constant(of.filled) },
    { weight: 1, arbitrary: fc.constant<readonly RedisStep[]>([]) },
  );
  return fc
    .tuple(first, fc.array(step, { minLength: 2, maxLength: STEPS_MAX }))
    .map((parts) => parts.flat());
}

/** Adds some entries. */
export function filledBy(add: Command): readonly RedisStep[] {
  return [1, 2, 3].map(() => ["call", "a", add] as const);
}

type Asked = readonly (readonly [name: string, ...given: unknown[]])[];

/** Asks for what the server has, one after the other; of collections for those that are there. */
export async function stateOf(
  client: Loose,
  asked: Asked,
  collections: Asked,
): Promise<readonly unknown[]> {
  const held = await repliesTo(client, collections);
  return [...(await repliesTo(client, asked)), ...held.filter((one) => !isEmpty(one))];
}

function isEmpty(reply: unknown): boolean {
  return reply === 0 || JSON.stringify(reply) === "[]" || JSON.stringify(reply) === "{}";
}

async function repliesTo(client: Loose, asked: Asked): Promise<readonly unknown[]> {
  const state: unknown[] = [];
  for (const [name, ...given] of asked) {
    try {
      state.push(await client[name]?.(...given));
    } catch (error) {
      state.push(error);
    }
  }
  return state;
}

/** How long a call may take until it counts as pending. */
const CALL_MS = 200;
const STEP_MS = 5;
/** Until then all are connected that connect by themselves. */
const CONNECTED_MS = 20;
/** So long what was begun goes on at the end. */
const END_MS = 60;
/** So that what was begun has its reply; and no two streams give the same id to an entry. */
const NEXT_MS = 6;

/** Plays a program with two clients, and returns what came of each step. */
export async function playRedis<Client>(
  stage: ObservedStage<Client>,
  steps: readonly RedisStep[],
  face: RedisFace,
): Promise<readonly unknown[]> {
  const program = new Program(stage, face);
  return await program.play(steps);
}

class Program {
  readonly #stage: ObservedStage<unknown>;
  readonly #face: RedisFace;
  readonly #clients = new Map<Who, Loose>();
  readonly #made: Loose[] = [];
  /** What each client and its callbacks have told. */
  readonly #tales: unknown[][] = [];
  readonly #begun: Promise<unknown>[] = [];
  readonly #ids = new Ids();

  constructor(stage: ObservedStage<unknown>, face: RedisFace) {
    this.#stage = stage;
    this.#face = face;
  }

  async play(steps: readonly RedisStep[]): Promise<readonly unknown[]> {
    const own = this.#stage.client as Loose;
    for (const who of ["a", "b"] as const) this.#make(who, own, []);
    await this.#stage.pass(CONNECTED_MS);
    const seen: unknown[] = [];
    for (const step of steps) {
      seen.push([step, this.#ids.named(await this.#take(step))]);
      await this.#stage.pass(NEXT_MS);
    }
    await this.#stage.pass(END_MS);
    for (const client of this.#made) this.#face.close(client);
    await this.#stage.pass(END_MS);
    seen.push(["begun", this.#ids.named(await Promise.all(this.#begun))]);
    seen.push(["told", this.#ids.named(this.#tales.map(withoutRepeats))]);
    seen.push(["state", this.#ids.named(shownReply(await this.#face.stateBy(own)))]);
    return seen;
  }

  async #take(step: RedisStep): Promise<unknown> {
    switch (step[0]) {
      case "call":
        return await this.#within(() => this.#call(this.#clientOf(step[1]), step[2]));
      case "begin":
        this.#begun.push(this.#within(() => this.#call(this.#clientOf(step[1]), step[2])));
        return "begun";
      case "chain": {
        const [, who, begin, commands, end] = step;
        return await this.#within(() => this.#chain(this.#clientOf(who), begin, commands, end));
      }
      case "field":
        return await this.#within(() => this.#clientOf(step[1])[step[2]]);
      case "make":
        return await this.#within(() => this.#make(step[1], this.#clientOf(step[1]), step[2]));
      case "look":
        await this.#stage.pass(step[1]);
        return;
      default:
        return step satisfies never;
    }
  }

  #clientOf(who: Who): Loose {
    return this.#clients.get(who) as Loose;
  }

  #make(who: Who, from: Loose, given: readonly Drawn[]): string {
    const made = from["duplicate"]?.(...this.#madeFrom(given)) as Loose;
    const tale: unknown[] = [];
    this.#tales.push(tale);
    for (const event of this.#face.events) {
      // How long it is until it connects again is drawn by the library.
      made["on"]?.(event, (...told: unknown[]) =>
        tale.push([event, event === "reconnecting" ? told.length : shownReply(told)]),
      );
    }
    this.#clients.set(who, made);
    this.#made.push(made);
    return "made";
  }

  #call(of: Loose, [method, given]: Command): unknown {
    const outcome = (of[method] as Loose[string]).apply(of, this.#madeFrom(given));
    const named = (one: unknown): unknown => (one === of ? "itself" : one);
    return outcome instanceof Promise ? outcome.then(named) : named(outcome);
  }

  async #chain(
    of: Loose,
    [begin, first]: Command,
    commands: readonly Command[],
    end: Command,
  ): Promise<unknown> {
    const chain = of[begin]?.(...this.#madeFrom(first)) as Loose;
    const seen: unknown[] = [];
    for (const [method, given] of commands) {
      const added = await this.#within(() => {
        const outcome = (chain[method] as Loose[string]).apply(chain, this.#madeFrom(given));
        return outcome === chain ? "itself" : outcome;
      });
      seen.push(added);
    }
    seen.push(await this.#within(() => this.#call(chain, end)), shownReply(chain["length"]));
    return seen;
  }

  /** Resolves with what a call does, or that it does not end soon. */
  async #within(run: () => unknown): Promise<unknown> {
    let outcome: unknown = "pending";
    const over = { is: false };
    const end = (shown: unknown): void => {
      outcome = shown;
      over.is = true;
    };
    try {
      const given = run();
      if (!(given instanceof Promise)) return shownReply(given);
      given.then(
        (value) => end(shownReply(value)),
        (error: unknown) => end({ rejected: shownReply(error) }),
      );
    } catch (error) {
      return { threw: shownReply(error) };
    }
    await this.#stage.pass(1);
    for (let ms = 0; ms < CALL_MS && !over.is; ms += STEP_MS) await this.#stage.pass(STEP_MS);
    return outcome;
  }

  #madeFrom(given: readonly Drawn[]): unknown[] {
    const tale = this.#tales.at(-1) as unknown[];
    return given.map((drawn) =>
      madeFrom(drawn, (word) => {
        const [name, at] = word.split(" ");
        if (name === "id") return this.#ids.nth(Number(at));
        if (name === "after") return `(${this.#ids.nth(Number(at))}`;
        if (name === "callback") {
          const listener = (...told: unknown[]): void =>
            void tale.push(["callback", shownReply(told)]);
          // Who sends it sends its text, which is not the same everywhere.
          return Object.assign(listener, { toString: () => "a callback" });
        }
        return ODD_HERE[word]?.();
      }),
    );
  }
}

/** What a caller without types may give, too. */
const ODD_HERE: Readonly<Record<string, () => unknown>> = {
  "big number": () => 5n,
  date: () => new Date(1_700_000_000_000),
  symbol: () => Symbol("s"),
  map: () => new Map([["a", "1"]]),
  "long list": () => [["a", ["1"]], 2],
  error: () => new Error("e"),
  "many digits": () => 2 ** 63,
  infinity: () => Number.POSITIVE_INFINITY,
  "signal aborted": () => AbortSignal.abort(),
};
export const ODD_NAMES: readonly string[] = Object.keys(ODD_HERE);

const ID = /\d{13,}-\d+/g;

/** The ids that the server has made up, which depend on the time: told by when they were seen. */
class Ids {
  readonly #seen: string[] = [];

  nth(at: number): string {
    return this.#seen[at - 1] ?? `${at}-1`;
  }

  named(seen: unknown): unknown {
    const text = (JSON.stringify(seen) ?? '"(undefined)"').replaceAll(ID, (id) => {
      if (!this.#seen.includes(id)) this.#seen.push(id);
      return `#${this.#seen.indexOf(id) + 1}`;
    });
    return JSON.parse(text) as unknown;
  }
}

const DEPTH_MAX = 7;
/** Of idle times is told whether they are long. */
const LONG_MS = 30_000;
const IDLE = /^(?:idle|inactive|millisecondsSinceLastDelivery|millisElapsedFromDelivery)$/;
const ENGINES = /^(?:Type|Range|Syntax|Reference)Error$/;
const FACTS = ["name", "message", "code", "command", "previousErrors", "errorIndexes", "replies"];

/** What a reply shows to who looks at all of it, as JSON. */
function shownReply(value: unknown, depth = 0): unknown {
  if (value === undefined) return "(undefined)";
  if (typeof value === "bigint") return `(bigint ${value})`;
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : `(${value})`;
  if (typeof value !== "object") return `(${typeof value})`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString()}`;
  if (value instanceof Error) return { failed: shownError(value, depth) };
  if (depth > DEPTH_MAX) return "(deep)";
  if (Array.isArray(value)) {
    return value.map((one, at) =>
      isLate(value, at) ? `(late ${Number(one) >= LONG_MS})` : shownReply(one, depth + 1),
    );
  }
  const entries = Object.entries(value)
    .filter(([, one]) => typeof one !== "function")
    .map(([name, one]) => [
      name,
      IDLE.test(name) ? `(late ${Number(one) >= LONG_MS})` : shownReply(one, depth + 1),
    ]);
  return Object.fromEntries(entries);
}

/** Whether a number of a list is an idle time: a line of XPENDING, or the facts of a consumer. */
function isLate(list: readonly unknown[], at: number): boolean {
  const [id, name] = list;
  if (typeof list[at] !== "number") return false;
  if (IDLE.test(String(list[at - 1]))) return true;
  return list.length === 4 && at === 2 && typeof id === "string" && typeof name === "string";
}

function shownError(error: Error, depth: number): unknown {
  const known = error as unknown as Readonly<Record<string, unknown>>;
  if (ENGINES.test(error.name) && !error.message.startsWith('"arguments[')) {
    return "(an engine's error)";
  }
  const facts = FACTS.filter((name) => known[name] !== undefined);
  return Object.fromEntries(facts.map((name) => [name, shownReply(known[name], depth + 1)]));
}
