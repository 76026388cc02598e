import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { describe, test } from "vitest";

const run = promisify(execFile);

/** A server for the tests, on a free port and in a temporary directory. */
export interface PostgresServer {
  readonly url: string;
  /** Stops without a checkpoint, as a crash does, and starts again on the same data. */
  crashAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

/** Where Debian installs the programs of each version. */
const DEBIAN_ROOT = "/usr/lib/postgresql";
const READY_ATTEMPTS_MAX = 200;
const READY_RETRY_MS = 50;

/**
 * Starts a server. Returns undefined, and prints a warning, when PostgreSQL is not installed.
 *
 * As root it uses the account that the package created, since the server refuses to run as root.
 */
export async function startPostgres(
  settings: readonly string[] = [],
): Promise<PostgresServer | undefined> {
  const programs = await findPrograms();
  const owner = programs === undefined ? undefined : await ownerOfServer();
  if (programs === undefined || owner === undefined) {
    console.warn(
      "SKIPPED: this machine has no PostgreSQL, install Debian's postgresql to test on it",
    );
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), "faultlane-postgres-"));
  if ("uid" in owner) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const init = [
    "-D",
    data,
    "-U",
    "postgres",
    "--auth=trust",
    "--no-sync",
    "--locale=C",
    "-E",
    "UTF8",
  ];
  await run(join(programs, "initdb"), init, { ...owner, cwd: folder });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const args = ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"];
  const flags = settings.flatMap((setting) => ["-c", setting]);
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(join(programs, "postgres"), [...args, ...flags], {
      ...owner,
      cwd: folder,
      stdio: "ignore",
    });
    await untilReady(url, child);
    return child;
  };
  let server = await start();
  const onExit = (): void => void server.kill("SIGQUIT");
  process.once("exit", onExit);
  return {
    url,
    crashAndRestart: async () => {
      await ended(server, "SIGQUIT");
      server = await start();
    },
    stop: async () => {
      process.off("exit", onExit);
      await ended(server, "SIGINT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Declares tests that need a server; without one, a single test says that they were left out. */
export function describeOnServer(
  title: string,
  server: PostgresServer | undefined,
  tests: (server: PostgresServer) => void,
): void {
  const leftOut = (): void => test("SKIPPED: this machine has no PostgreSQL", () => undefined);
  describe(title, () => (server === undefined ? leftOut() : tests(server)));
}

async function findPrograms(): Promise<string | undefined> {
  const versions = existsSync(DEBIAN_ROOT) ? await readdir(DEBIAN_ROOT) : [];
  const newest = versions.sort((left, right) => Number(right) - Number(left));
  const found = newest.map((version) => join(DEBIAN_ROOT, version, "bin"));
  const onPath = (process.env["PATH"] ?? "").split(":").filter((folder) => folder !== "");
  return [...found, ...onPath].find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
}

type Owner = { readonly uid: number; readonly gid: number } | Readonly<Record<string, never>>;

async function ownerOfServer(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return {};
  try {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, "postgres"])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    return undefined;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt >= READY_ATTEMPTS_MAX || child.exitCode !== null) throw error;
    }
    await wait(READY_RETRY_MS);
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
}
