import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environmentFor, placeOf, type RunningServer } from "../loopback-server.ts";
import type { CrashBroker } from "./crash-broker.ts";
import { brokenPromises, Journal, type Note, unexplainedCopies } from "./journal.ts";

const TRIGGERER = fileURLToPath(new URL("triggerer.ts", import.meta.url));
const ORDERS = 300;
/** After half of them comes the crash, then these, and the rest when the last of those was read. */
const AFTERWARDS = 40;
/** So many of a hundred were persisted, by one watcher or the other, when the crash comes. */
const CRASH_AT_PERCENT = 30;
const LOOK_EVERY_MS = 50;
/** A correct producer that has read nothing for so long is stuck. */
const PATIENCE_MS = 120_000;
/** A naive one may be; Kafka lets it wait for half a minute, until its killed member's session ends. */
const NAIVE_PATIENCE_MS = 40_000;
/** Server and library run on real time, which a busy machine does not always grant them. */
const RETRIED = { retry: 2 };

const VICTIMS = ["triggerer", "server"] as const;
type Victim = (typeof VICTIMS)[number];

/**
 * Defines the tests of a broker: with a `kill -9` amid the work, of the triggerer or of the server,
 * the correct producer breaks no promise, and the naive one beside it breaks at least one.
 */
export function testCrashes(file: string, broker: CrashBroker): void {
  const missing = broker.commands.filter((command) => placeOf(command) === undefined);
  describe(`${broker.name}: ${broker.correct} and ${broker.naive}`, () => {
    const servers: RunningServer[] = [];
    beforeAll(async () => {
      // One after the other: what starts at once may be given the same free port.
      while (missing.length === 0 && servers.length < 2) servers.push(await broker.start());
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    });
    const victims = broker.keepsData === false ? (["triggerer"] as const) : VICTIMS;
    for (const victim of victims) {
      test(`kill -9 of the ${victim}: nothing is lost`, RETRIED, async (context) => {
        const names = missing.map((command) => basename(command)).join(", ");
        const [one, other] = servers;
        if (one === undefined || other === undefined) {
          return context.skip(`not installed here: ${names}`);
        }
        const runs = [
          crashRun(file, broker, broker.correct, victim, one),
          crashRun(file, broker, broker.naive, victim, other),
        ] as const;
        // Neither is to go on when the other has failed.
        await Promise.allSettled(runs);
        const [correct, naive] = await Promise.all(runs);
        context.onTestFailed(() => console.error(correct.output, naive.output));
        expect(correct.broken).toEqual([]);
        expect(unexplainedCopies(correct.notes)).toEqual([]);
        expect(naive.broken).not.toEqual([]);
      });
    }
  });
}

interface CrashRun {
  /** The orders whose promise was broken. */
  readonly broken: readonly string[];
  readonly notes: readonly Note[];
  /** What the triggerer printed. */
  readonly output: string;
}

async function crashRun(
  file: string,
  broker: CrashBroker,
  producer: string,
  victim: Victim,
  server: RunningServer,
): Promise<CrashRun> {
  const orders = await broker.open(server);
  const folder = mkdtempSync(join(tmpdir(), "faultlane-crash-"));
  const journal = new Journal(join(folder, "journal"));
  const triggerer = new Triggerer([file, producer, String(server.port), journal.path], journal);
  const all = Array.from(
    { length: broker.orders ?? ORDERS },
    (_, at) => `ref-${String(at + 1).padStart(6, "0")}`,
  );
  const before = all.length / 2;
  try {
    await orders.publish(all.slice(0, before));
    triggerer.start();
    const isNaive = producer === broker.naive;
    const patienceMs = isNaive ? NAIVE_PATIENCE_MS : PATIENCE_MS;
    const crashAt = (all.length * CRASH_AT_PERCENT) / 100;
    const persisted = (notes: readonly Note[]): number =>
      notes.filter(({ kind }) => kind === "persisted").length;
    await until(journal, patienceMs, (notes) => persisted(notes) >= crashAt);
    await crash(victim, server, triggerer, journal);
    const published = all.slice(0, before + AFTERWARDS);
    await orders.publish(published.slice(before));
    if (await until(journal, patienceMs, (notes) => hasRead(notes, published.at(-1)))) {
      const rest = all.slice(published.length);
      published.push(...rest);
      await orders.publish(rest);
      await until(journal, patienceMs, (notes) => hasRead(notes, all.at(-1)));
    }
    let broken: readonly string[] = [];
    await until(journal, isNaive ? broker.silenceMs : PATIENCE_MS, async (notes) => {
      broken = brokenPromises(published, notes, await orders.deadLetters());
      return broken.length === 0;
    });
    if (!isNaive) await triggerer.stop();
    return { broken, notes: journal.read(), output: triggerer.output() };
  } finally {
    await triggerer.kill();
    // Left open it would look for its server while other tests run. It may refuse, having lost it.
    await orders.close().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function crash(
  victim: Victim,
  server: RunningServer,
  triggerer: Triggerer,
  journal: Journal,
): Promise<void> {
  if (victim === "server") {
    const up = server.crash();
    journal.add({ kind: "killed", who: "server" });
    await up;
    return;
  }
  await triggerer.kill();
  journal.add({ kind: "killed", who: "triggerer" });
  triggerer.start();
}

function hasRead(notes: readonly Note[], order: string | undefined): boolean {
  return notes.some(({ kind, ref }) => kind === "received" && ref === order);
}

/** Returns whether it became true before no order had moved for so long. */
async function until(
  journal: Journal,
  patienceMs: number,
  isTrue: (notes: readonly Note[]) => boolean | Promise<boolean>,
): Promise<boolean> {
  let moves = -1;
  for (let looks = 0; looks * LOOK_EVERY_MS < patienceMs; looks += 1) {
    const notes = journal.read();
    if (await isTrue(notes)) return true;
    const moved = notes.filter(({ ref }) => ref !== undefined).length;
    if (moved > moves) looks = 0;
    moves = moved;
    await pass(LOOK_EVERY_MS);
  }
  return false;
}

/** The process of a triggerer, with a supervisor that starts it again when it dies. */
class Triggerer {
  readonly #words: readonly string[];
  readonly #journal: Journal;
  readonly #output: string[] = [];
  #child: ChildProcess | undefined;
  #isWanted = false;

  constructor(words: readonly string[], journal: Journal) {
    this.#words = words;
    this.#journal = journal;
  }

  output(): string {
    return this.#output.join("");
  }

  start(): void {
    this.#isWanted = true;
    const child = spawn(process.execPath, [TRIGGERER, ...this.#words], {
      env: environmentFor(tmpdir()),
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text: Buffer) => this.#output.push(text.toString()));
    }
    this.#child = child;
    child.once("exit", () => {
      if (!this.#isWanted || this.#child !== child) return;
      this.#journal.add({ kind: "killed", who: "triggerer, by itself" });
      this.start();
    });
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => void child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }
}
