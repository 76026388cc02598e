import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";

/** A program that listens on a port of the loopback interface, with its data in a folder. */
export interface Program {
  /** Its name, looked up in the path, or its whole path. */
  readonly command: string;
  /** Arguments and environment for this port and this folder. */
  readonly arguments: (place: Place) => readonly string[];
  readonly environment?: (place: Place) => Readonly<Record<string, string>>;
}

export interface Place {
  readonly port: number;
  readonly folder: string;
}

/** A server that runs; disposing ends its process and removes its folder. */
export interface RunningServer extends Place, AsyncDisposable {
  readonly pid: number;
}

/** How long a server may take until it listens; a busy machine takes many times its usual. */
const READY_TRIES = 600;
const TRY_EVERY_MS = 200;
/** Debian wraps or hides some programs; the bare ones are where only root's path leads. */
const PATH = ["/usr/lib/rabbitmq/bin", process.env["PATH"] ?? "", "/usr/sbin"].join(delimiter);

/** Returns where a program is; undefined where it is not installed. */
export function placeOf(command: string): string | undefined {
  const places = isAbsolute(command)
    ? [command]
    : PATH.split(delimiter).map((folder) => join(folder, command));
  return places.find((place) => existsSync(place));
}

/** The environment of programs whose home is this folder. */
export function environmentFor(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH, HOME: folder };
}

/** Starts a program on a free port, and resolves when it listens. */
export async function startServer(program: Program): Promise<RunningServer> {
  const place = placeOf(program.command);
  if (place === undefined) throw new Error(`Cannot start ${program.command}: it is not installed`);
  const folder = mkdtempSync(join(tmpdir(), `faultlane-real-${basename(program.command)}-`));
  const port = await freePort();
  const output: string[] = [];
  const child = spawn(place, program.arguments({ port, folder }), {
    cwd: folder,
    env: { ...environmentFor(folder), ...program.environment?.({ port, folder }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", (text: Buffer) => output.push(text.toString()));
  child.stderr.on("data", (text: Buffer) => output.push(text.toString()));
  const { pid } = child;
  if (pid === undefined) throw new Error(`Cannot start ${program.command}`);
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  for (let tries = 0; !(await isListening(port)); tries += 1) {
    if (child.exitCode !== null || tries === READY_TRIES) {
      await stop();
      throw new Error(`${program.command} does not listen:\n${output.join("")}`);
    }
    await pass(TRY_EVERY_MS);
  }
  return { pid, port, folder, [Symbol.asyncDispose]: stop };
}

/** Returns a port of the loopback interface that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("There is no free port");
  return address.port;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

/** Ends a process as an operator does, and kills it when it takes too long. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => void child.once("exit", resolve));
  child.kill("SIGTERM");
  const killed = new AbortController();
  void pass(TRY_EVERY_MS * READY_TRIES, undefined, { signal: killed.signal }).then(
    () => child.kill("SIGKILL"),
    () => undefined,
  );
  await ended;
  killed.abort();
}
