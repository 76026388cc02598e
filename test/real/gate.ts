import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pass } from "node:timers/promises";
import { freePort, type RunningServer } from "./loopback-server.ts";

/** A port before a server: while it is shut, its connections are closed and new ones refused. */
export interface Gate {
  readonly port: number;
  /** Shuts it for so many milliseconds; a busy machine does not lengthen that. */
  shut(forMs: number): Promise<void>;
}

/**
 * Puts a gate before a server that is started with the gate's port, which it is to tell its clients.
 *
 * Why so: a server that is killed may take a second to come back, or half a minute.
 */
export async function behindGate(
  start: (port: number) => Promise<RunningServer>,
): Promise<RunningServer & Gate> {
  const port = await freePort();
  const server = await start(port);
  const sockets = new Set<Socket>();
  const join = (from: Socket): void => {
    const to = connect(server.port, "127.0.0.1");
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.end();
      });
    }
  };
  let gate: Server | undefined;
  const open = async (): Promise<void> => {
    const opened = createServer(join);
    gate = opened;
    await new Promise<void>((resolve) => void opened.listen(port, "127.0.0.1", resolve));
  };
  const close = (): void => {
    gate?.close();
    for (const socket of sockets) socket.end();
  };
  await open();
  return {
    ...server,
    port,
    async shut(forMs) {
      close();
      await pass(forMs);
      await open();
    },
    async [Symbol.asyncDispose]() {
      close();
      await server[Symbol.asyncDispose]();
    },
  };
}
