import { expect, test } from "vitest";
import type { BrokerModel } from "../../../sim/brokers/broker.ts";
import { SeededChoices } from "../../../sim/choices/choices.ts";
import { Dice } from "../../../sim/choices/dice.ts";
import { strikeAtRate, strikeNth } from "../../../sim/faults/rule.ts";
import type { SiteName } from "../../../sim/faults/site.ts";
import { PASS, verdictNamed, type VerdictName } from "../../../sim/faults/verdict.ts";
import { Host } from "../../../sim/hosts/host.ts";
import type { Life } from "../../../sim/hosts/life.ts";
import { LineDigest } from "../../../sim/trace/digest.ts";
import { BrokerStage, pass } from "../broker-stage.ts";
import { errorFacts } from "../observed/observation.ts";
import type { TroubledStage } from "../troubles/trouble.ts";

/** What an actor has at hand. */
export interface Actor<Client> extends TroubledStage<Client> {
  readonly life: Life;
  /** Draws what it does next. */
  readonly dice: Dice;
}

/** A broker, and programs that use a client library at the same time, each on a host of its own. */
export interface TurnsWorld<Client> {
  readonly model: BrokerModel<Client>;
  /** By host: what it does at its start, and at each restart. */
  readonly actors: Readonly<Record<string, (actor: Actor<Client>) => Promise<void>>>;
}

export interface Turns<Client> {
  readonly name: string;
  readonly createWorld: (dice: Dice) => TurnsWorld<Client>;
  /** The sites where they call the broker. */
  readonly sites: readonly SiteName[];
  /** How many worlds are drawn, from seed 1. */
  readonly worlds: number;
  /** How long each world runs, in virtual milliseconds; default two minutes. */
  readonly untilMs?: number;
}

const VERDICTS: readonly VerdictName[] = [
  ...(["fail-before", "fail-after", "drop-request", "drop-reply", "corrupt-reply"] as const),
  ...(["duplicate", "delay", "delay-reply", "crash-before", "crash-after"] as const),
];
const UNTIL_MS = 120_000;
const TROUBLES_MAX = 4;
/** One of so many calls is disturbed, where calls are. */
const AMID_CALLS = 25;
const DIGEST_CHARS = 16;

/**
 * Defines a test: in worlds whose calls, times and troubles are drawn, the libraries and the broker
 * do what they did when that was pinned; each event, callback and call to the broker counts, and
 * when it comes.
 *
 * It finds what nobody expected to change. A line that changes has to be understood, and is then
 * written by `npm run test:node -- test/brokers/turns --update`.
 */
export function testTurns<Client>(turns: Turns<Client>): void {
  const { name, worlds } = turns;
  test(`${name}, ${worlds} drawn worlds: in each they do what they did`, async () => {
    const lines: string[] = [];
    for (let seed = 1; seed <= worlds; seed += 1) {
      const seen = await seenIn(turns, seed);
      const digest = new LineDigest();
      for (const line of seen) digest.add(line);
      lines.push(`${seed} ${seen.length} ${digest.hex().slice(0, DIGEST_CHARS)}\n`);
    }
    await expect(lines.join("")).toMatchFileSnapshot(`pinned/${name}.txt`);
  });
}

/** Returns what is seen, one line each, with the virtual time before it. */
async function seenIn<Client>(
  { createWorld, sites, untilMs = UNTIL_MS }: Turns<Client>,
  seed: number,
): Promise<readonly string[]> {
  const choices = new SeededChoices(seed, { record: false });
  const diceOf = (part: string): Dice => new Dice(choices.stream("workload", part), part);
  const { model, actors } = createWorld(diceOf("world"));
  const stage = new BrokerStage(model, choices);
  const { world, network } = stage;
  const lines: string[] = [];
  const say = (what: string, value?: unknown): void => {
    lines.push(`${world.now} ${what}${value === undefined ? "" : ` ${textOf(value)}`}`);
  };
  world.injector.install({
    name: "calls",
    decide: ({ site, host, nth }) => {
      say(`${host} calls ${site} ${nth}`);
      return PASS;
    },
  });
  const disturb = disturber(stage, diceOf("disturbances"));
  const hosts = Object.entries(actors).map(
    ([name, act]) =>
      new Host(world, network, name, (life) => {
        const link = stage.broker.connect(life);
        stage.links.push(link);
        const dice = diceOf(`${name}/${life.incarnation}`);
        const note = (what: string, value?: unknown): void => say(`${name} ${what}`, value);
        const actor: Actor<Client> = {
          ...{ client: link.client, life, dice, note },
          publish: (count, key) => stage.publish(count, key),
          pass: (ms) => pass(life, ms),
          async call(what, call) {
            disturb();
            try {
              const value = await call();
              note(what, value ?? "done");
              return value;
            } catch (error) {
              note(`${what} failed`, errorFacts(error));
              return undefined;
            }
          },
        };
        void act(actor).then(
          () => note("has done"),
          (error: unknown) => note("failed", errorFacts(error)),
        );
      }),
  );
  for (const host of hosts) host.start();
  beginTroubles(stage, hosts, sites, diceOf("troubles"), untilMs);
  let told = 0;
  const lookMs = untilMs / 8;
  for (let at = lookMs; at <= untilMs; at += lookMs) {
    await world.run(at);
    for (const event of world.trace.events().slice(told)) lines.push(JSON.stringify(event));
    told = world.trace.events().length;
    say(
      "open",
      stage.links.flatMap((link) => link.open()),
    );
    say("owed", stage.broker.owed());
  }
  return lines;
}

/** Returns what in one of three worlds lets the broker be disturbed now and then amid a call. */
function disturber<Client>({ world, broker }: BrokerStage<Client>, dice: Dice): () => void {
  const { disturbances } = broker;
  const isOften = dice.oneIn(3) && disturbances.length > 0;
  const options = { lane: "operator", hop: false };
  return () => {
    if (!isOften || !dice.oneIn(AMID_CALLS)) return;
    const disturbance = dice.from(disturbances);
    const atMs = dice.below(6);
    world.schedule(atMs, options, () => disturbance.strike());
    world.schedule(atMs + 1 + dice.below(5_000), options, () => disturbance.end?.());
  };
}

function beginTroubles<Client>(
  { world, broker, network }: BrokerStage<Client>,
  hosts: readonly Host[],
  sites: readonly SiteName[],
  dice: Dice,
  untilMs: number,
): void {
  const options = { lane: "operator", hop: false };
  for (let left = dice.below(TROUBLES_MAX + 1); left > 0; left -= 1) {
    const atMs = dice.below(untilMs / 2);
    const endMs = atMs + 1_000 + dice.below(untilMs / 4);
    const host = dice.from(hosts);
    const kind = dice.below(8);
    if (kind <= 1 && broker.disturbances.length > 0) {
      const disturbance = dice.from(broker.disturbances);
      world.schedule(atMs, options, () => disturbance.strike());
      world.schedule(endMs, options, () => disturbance.end?.());
    } else if (kind === 2) {
      const restartAfterMs = 1 + dice.below(20_000);
      world.schedule(atMs, options, () => host.crash(restartAfterMs));
    } else if (kind === 3) {
      const forMs = 1 + dice.below(40_000);
      world.schedule(atMs, options, () => host.pause(forMs));
    } else if (kind === 4) {
      const [from, to] = dice.oneIn(2) ? [host.name, "broker"] : ["broker", host.name];
      const how = dice.from(["cut", "hold"] as const);
      world.schedule(atMs, options, () => network[how](from, to));
      world.schedule(endMs, options, () => network.repair(from, to));
    } else {
      const site = dice.from(sites);
      const verdict = verdictNamed(dice.from(VERDICTS), dice.below(9_000), dice.below(9_000));
      const rule =
        kind === 5
          ? strikeNth({ site }, verdict, 1 + dice.below(12), 1 + dice.below(6))
          : strikeAtRate(
              { site, fromMs: atMs, untilMs: endMs },
              verdict,
              { numerator: 1, denominator: 4 },
              world.choices.stream("fault", `${site} ${left}`),
            );
      world.injector.install(rule);
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
