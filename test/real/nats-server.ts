import { join } from "node:path";
import { INSTALLED } from "./installed.ts";
import { type RunningServer, startServer } from "./loopback-server.ts";

/** Not Debian's, which is too old for the client library. */
export const NATS_SERVER: string = join(INSTALLED, "bin", "nats-server");

export function startNats(): Promise<RunningServer> {
  return startServer({
    command: NATS_SERVER,
    arguments: ({ port, folder }) => [
      ...["--addr", "127.0.0.1", "--port", String(port), "--jetstream", "--store_dir", folder],
    ],
  });
}
