import { expect, test } from "vitest";
import type { BrokerModel } from "../../../sim/brokers/broker.ts";
import type { SiteName } from "../../../sim/faults/site.ts";
import { type Verdict, verdictNamed, type VerdictName } from "../../../sim/faults/verdict.ts";
import { LineDigest } from "../../../sim/trace/digest.ts";
import type { TraceEvent } from "../../../sim/trace/trace.ts";
import { BrokerStage, pass } from "../broker-stage.ts";
import { errorFacts } from "../observed/observation.ts";

/** What a script of a client library has at hand. */
export interface TroubledStage<Client> {
  readonly client: Client;
  /** Publishes so many records of this key. */
  publish(count: number, key?: string): void;
  pass(ms: number): Promise<void>;
  /** Notes what the library does: a message, an event, a callback. */
  note(what: string, value?: unknown): void;
  /** Makes a call and notes what came of it, which it resolves with; undefined if it failed. */
  call<T>(what: string, call: () => T | Promise<T>): Promise<T | undefined>;
}

/** A client library at its daily work, which troubles then meet. */
export interface TroubledClient<Client> {
  /** The name of the file with what is seen. */
  readonly name: string;
  readonly createModel: () => BrokerModel<Client>;
  /** The sites where it calls the broker. */
  readonly sites: readonly SiteName[];
  /** Works for some minutes, and ends whatever happens. */
  work(stage: TroubledStage<Client>): Promise<void>;
}

interface Trouble {
  readonly name: string;
  begin(stage: BrokerStage<unknown>): void;
}

const VERDICTS: readonly VerdictName[] = [
  ...(["fail-before", "fail-after", "drop-request", "drop-reply"] as const),
  ...(["corrupt-reply", "duplicate", "delay", "delay-reply"] as const),
];
const DELAY_MS = 7_000;
/** The calls that are struck: the first, one amid the work, and some in a row. */
const STRUCK = [
  { nth: 1, times: 1 },
  { nth: 4, times: 1 },
  { nth: 6, times: 3 },
];
const DISTURBED_AT_MS = [4_100, 12_000, 22_500];
const DISTURBED_FOR_MS = 25_000;
/** When it is looked at what the client has open. */
const LOOKED_AT_MS = [1, 13_000, 33_000];
const WORK_MS_MAX = 1_200_000;
const DIGEST_CHARS = 12;
/** The digest covers the others. */
const DIFFERENCES_SHOWN = 4;
const LINE_SHOWN_CHARS = 200;

/** What the broker tells of records; what the client says of itself is noted by the script. */
const TOLD = new Set<TraceEvent["kind"]>([
  ...(["delivered", "settle", "settled", "dead-lettered", "lapsed", "expired"] as const),
]);

/**
 * Defines a test: in calm, in each disturbance of the broker, and with each fault at each site, the
 * client library and the broker do what they did when that was looked at.
 *
 * The file tells of the calm run all, and of each trouble what is different, without the times; a
 * digest covers all of it with the times. A line that changes has to be understood, and is then
 * written by `npm run test:node -- test/brokers/troubles --update`.
 */
export function testTroubles<Client>(client: TroubledClient<Client>): void {
  const { name } = client;
  test(`${name}: in each trouble the client does what it did`, async () => {
    const calm = await seenIn(client, undefined);
    const parts = [`calm ${digestOf(calm)}`, ...calm.map((line) => shown(`  ${line}`))];
    for (const trouble of troublesOf(client)) {
      const seen = await seenIn(client, trouble);
      parts.push(`${trouble.name} ${digestOf(seen)}`, ...differences(calm, seen));
    }
    await expect(`${parts.join("\n")}\n`).toMatchFileSnapshot(`seen/${name}.txt`);
  });
}

function troublesOf<Client>({ createModel, sites }: TroubledClient<Client>): readonly Trouble[] {
  const disturbances = new BrokerStage(createModel()).broker.disturbances.map(({ name }) => name);
  const model = createModel();
  const verdicts: readonly VerdictName[] = [
    ...VERDICTS,
    ...(model.transport === "http" ? (["duplicate-late"] as const) : []),
    ...(model.misnames === true ? (["answer-other"] as const) : []),
  ];
  return [
    ...disturbances.flatMap((name) =>
      DISTURBED_AT_MS.map((atMs) => ({
        name: `${name}, at ${atMs} ms`,
        begin: (stage: BrokerStage<unknown>) => disturb(stage, name, atMs),
      })),
    ),
    ...sites.flatMap((site) =>
      verdicts.flatMap((verdict) =>
        STRUCK.map(({ nth, times }) => ({
          name: `${site}: ${verdict}, call ${nth}${times > 1 ? ` to ${nth + times - 1}` : ""}`,
          begin: (stage: BrokerStage<unknown>) =>
            stage.strike(site, verdictOf(verdict), nth, times),
        })),
      ),
    ),
  ];
}

function verdictOf(name: VerdictName): Verdict {
  return verdictNamed(name, DELAY_MS);
}

function disturb({ broker, world }: BrokerStage<unknown>, name: string, atMs: number): void {
  const found = broker.disturbances.find((one) => one.name === name);
  const options = { lane: "operator", hop: false };
  world.schedule(atMs, options, () => found?.strike());
  world.schedule(atMs + DISTURBED_FOR_MS, options, () => found?.end?.());
}

/** Returns what is seen, one line each, with the virtual time before it. */
async function seenIn<Client>(
  { createModel, work }: TroubledClient<Client>,
  trouble: Trouble | undefined,
): Promise<readonly string[]> {
  const stage = new BrokerStage(createModel());
  const { world } = stage;
  const lines: string[] = [];
  const note = (what: string, value?: unknown): void => {
    lines.push(`${world.now} ${what}${value === undefined ? "" : ` ${textOf(value)}`}`);
  };
  trouble?.begin(stage);
  const noteOpen = (): void => {
    const open = stage.links.flatMap((link) => link.open());
    note("open", open);
  };
  for (const atMs of LOOKED_AT_MS) {
    world.schedule(atMs, { lane: "operator", hop: false }, noteOpen);
  }
  let told = 0;
  const tell = (): void => {
    const events = world.trace.events();
    for (const event of events.slice(told)) {
      if (TOLD.has(event.kind)) lines.push(`${event.at} ${factsOf(event)}`);
    }
    told = events.length;
  };
  const ended = stage.play(
    (client, life) =>
      work({
        client,
        publish: (count, key) => stage.publish(count, key),
        pass: (ms) => pass(life, ms),
        note,
        async call(what, call) {
          try {
            const value = await call();
            note(what, value ?? "done");
            return value;
          } catch (error) {
            note(`${what} failed`, errorFacts(error));
            return undefined;
          }
        },
      }),
    WORK_MS_MAX,
  );
  await ended.catch((error: unknown) => note("the work failed", errorFacts(error)));
  noteOpen();
  note("owed", stage.broker.owed());
  tell();
  return lines;
}

function factsOf(event: TraceEvent): string {
  const { kind, at: _at, host: _host, ...facts } = event;
  return `${kind} ${textOf(facts)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function digestOf(lines: readonly string[]): string {
  const digest = new LineDigest();
  for (const line of lines) digest.add(line);
  return digest.hex().slice(0, DIGEST_CHARS);
}

/** Returns the lines that only one of both has, without their times. */
function differences(calm: readonly string[], seen: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of calm) left.set(untimed(line), (left.get(untimed(line)) ?? 0) + 1);
  const added: string[] = [];
  for (const line of seen) {
    const count = left.get(untimed(line)) ?? 0;
    if (count === 0) added.push(`  + ${untimed(line)}`);
    else left.set(untimed(line), count - 1);
  }
  const gone = [...left].flatMap(([line, count]) =>
    Array.from({ length: count }, () => `  - ${line}`),
  );
  const all = [...added, ...gone];
  const more = all.length - DIFFERENCES_SHOWN;
  return [...all.slice(0, DIFFERENCES_SHOWN).map(shown), ...(more > 0 ? [`  ${more} more`] : [])];
}

function shown(line: string): string {
  return line.length > LINE_SHOWN_CHARS ? `${line.slice(0, LINE_SHOWN_CHARS)} ...` : line;
}

function untimed(line: string): string {
  return line.slice(line.indexOf(" ") + 1);
}
