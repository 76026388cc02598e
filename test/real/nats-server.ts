import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { INSTALLED } from "./installed.ts";
import { type RunningServer, startServer } from "./loopback-server.ts";

/** Not Debian's, which is too old for the client library. */
export const NATS_SERVER: string = join(INSTALLED, "bin", "nats-server");

/** Each account has streams of its own; without a user a client is in the account of lane 0. */
const LANES_MAX = 64;

export function startNats(): Promise<RunningServer> {
  return startServer({
    command: NATS_SERVER,
    arguments({ port, folder }) {
      const config = join(folder, "nats.conf");
      const account = (_: unknown, lane: number): string =>
        `LANE${lane} { jetstream: enabled, users: [{ user: lane${lane}, password: lane }] }`;
      const accounts = Array.from({ length: LANES_MAX }, account);
      const lines = ["no_auth_user: lane0", `accounts {\n${accounts.join("\n")}\n}`];
      writeFileSync(config, lines.join("\n"));
      const listens = ["--addr", "127.0.0.1", "--port", String(port)];
      return ["--config", config, ...listens, "--jetstream", "--store_dir", folder];
    },
  });
}

/** Returns what a client connects with, as the user of a lane's account. */
export function natsLane(
  lane: number,
  port: number,
): { readonly servers: string; readonly user: string; readonly pass: string } {
  return { servers: `127.0.0.1:${port}`, user: `lane${lane}`, pass: "lane" };
}
