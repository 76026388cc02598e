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
  /** Returns the id of the process that serves, where the one that was started is its parent. */
  readonly servingPid?: (place: Place) => number;
}

export interface Place {
  readonly port: number;
  readonly folder: string;
}

/** A server that runs; disposing ends its process and removes its folder. */
export interface RunningServer extends Place, AsyncDisposable {
  /** Kills the process with SIGKILL and starts it again, on the same port and with the same data. */
  crash(): Promise<void>;
  /** Has the process read its settings again. */
  reload(): void;
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
  const folder = mkdtempSync(join(tmpdir(), `faultlane-real-${basename(program.command)}-`));
  const place = { port: await freePort(), folder };
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  let child: ChildProcess;
  try {
    child = await launch(program, place);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    ...place,
    async crash() {
      const pid = program.servingPid?.(place) ?? child.pid;
      const ended = exitOf(child);
      if (pid !== undefined) process.kill(pid, "SIGKILL");
      await ended;
      child = await launch(program, place);
    },
    reload: () => void child.kill("SIGHUP"),
    async [Symbol.asyncDispose]() {
      await end(child);
      remove();
    },
  };
}

/** Starts the program's process, and resolves when it listens. */
async function launch(program: Program, place: Place): Promise<ChildProcess> {
  const command = placeOf(program.command);
  if (command === undefined) throw new Error(`Cannot start ${program.command}: not installed`);
  const output: string[] = [];
  const child = spawn(command, program.arguments(place), {
    cwd: place.folder,
    env: { ...environmentFor(place.folder), ...program.environment?.(place) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", (text: Buffer) => output.push(text.toString()));
  child.stderr.on("data", (text: Buffer) => output.push(text.toString()));
  if (child.pid === undefined) throw new Error(`Cannot start ${program.command}`);
  for (let tries = 0; !(await isListening(place.port)); tries += 1) {
    if (child.exitCode !== null || tries === READY_TRIES) {
      await end(child);
      throw new Error(`${program.command} does not listen:\n${output.join("")}`);
    }
    await pass(TRY_EVERY_MS);
  }
  return child;
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
  const ended = exitOf(child);
  child.kill("SIGTERM");
  const killed = new AbortController();
  void pass(TRY_EVERY_MS * READY_TRIES, undefined, { signal: killed.signal }).then(
    () => child.kill("SIGKILL"),
    () => undefined,
  );
  await ended;
  killed.abort();
}

function exitOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => void child.once("exit", resolve));
}
