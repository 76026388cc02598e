import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { systemClock } from "../../src/platform/mod.ts";
import type { StateBackend, StateStoreSettings } from "../../src/store/mod.ts";
import { createStoreHandler } from "../../src/store-http/mod.ts";
import { complain, printJson, WrongInput } from "./output.ts";

/**
 * The only address that is served: on a network a store needs a proxy in front of it.
 */
const LOOPBACK = "127.0.0.1";
const TOKEN_BYTES = 24;
/** The environment variable of the token; everyone who lists processes could read an argument. */
export const TOKEN_VARIABLE = "FAULTLANE_STORE_TOKEN";

export interface ServeOptions {
  readonly port: number;
  readonly json: boolean;
  /** The settings of the deployment. */
  readonly settings: StateStoreSettings;
}

/** Serves the store on loopback until the process is told to stop. */
export async function serveStore(
  backend: StateBackend,
  { port, json, settings }: ServeOptions,
): Promise<void> {
  const given = process.env[TOKEN_VARIABLE];
  const token = given ?? randomBytes(TOKEN_BYTES).toString("base64url");
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: complain,
    error: (message: string, fields?: Record<string, unknown>) =>
      complain(`${message}: ${String(fields?.["error"])}`),
  };
  const handler = createStoreHandler(backend, {
    clock: systemClock,
    grants: [{ token }],
    logger,
    settings,
  });
  const server = createServer((incoming, outgoing) => {
    respond(handler, incoming, outgoing).catch((error: unknown) => {
      complain(`Cannot respond to a request: ${String(error)}`);
      outgoing.destroy();
    });
  });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    }
  });
  const url = `http://${LOOPBACK}:${await listening(server, port)}`;
  if (json) printJson({ url, ...(given === undefined ? { token } : {}) });
  else complain(`Serving on ${url}`);
  if (!json && given === undefined) complain(`Authorization: Bearer ${token}`);
  await stopped;
}

function listening(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(new WrongInput(`Cannot serve on port ${port}: ${error.message}`));
    });
    server.listen(port, LOOPBACK, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

async function respond(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const response = await handler(requestFrom(incoming));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(await response.text());
}

function requestFrom(incoming: IncomingMessage): Request {
  const { method = "GET", url = "/" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  // The Host header of the client is not used.
  const address = `http://${LOOPBACK}${url.startsWith("/") ? url : "/"}`;
  if (method === "GET" || method === "HEAD") return new Request(address, { method, headers });
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  return new Request(address, { method, headers, body, duplex: "half" } as RequestInit);
}
