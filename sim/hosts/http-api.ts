import type { StateBackend } from "../../src/store/mod.ts";
import { createStoreHandler } from "../../src/store-http/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";
import type { Life } from "./life.ts";
import type { TaskDatabase } from "./task-database.ts";

/** Whoever may do everything. */
const TOKEN = "a-token-of-the-simulator";

/** A request to the API server, as it goes over the network. */
export interface HttpAsk {
  readonly method: "GET" | "PUT" | "PATCH" | "DELETE";
  /** With the query, from the slash after the host on. */
  readonly path: string;
  /** A JSON text; undefined: no body. */
  readonly body?: string | undefined;
}

/** A response of the API server. */
export interface HttpAnswer {
  readonly status: number;
  /** A JSON text, or empty. */
  readonly body: string;
}

/** A request whose body is there at once: a browser would read it in its own time. */
class ArrivedRequest extends Request {
  readonly #bytes: Uint8Array | undefined;

  constructor({ method, path, body }: HttpAsk) {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    super(`http://api${path}`, { method, headers });
    this.#bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  }

  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    const bytes = this.#bytes;
    if (bytes === undefined) return null;
    const chunks = [bytes];
    const read = (): Promise<object> => {
      const value = chunks.pop();
      return Promise.resolve(value === undefined ? { done: true } : { done: false, value });
    };
    const reader = { read, cancel: () => Promise.resolve() };
    return { getReader: () => reader } as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
  }
}

/**
 * The part of one incarnation of the API server that serves the state store over HTTP, with the
 * shipped handler.
 *
 * Holds: each call of the backend is one transaction of the metadata database.
 */
export class HttpApi {
  readonly #handler: (request: Request) => Promise<Response>;

  constructor(life: Life, database: TaskDatabase, host: string) {
    this.#handler = createStoreHandler(backendOver(life, database, host), {
      clock: life.clock,
      grants: [{ token: TOKEN }],
      logger: silentLogger,
    });
  }

  async answer(ask: HttpAsk): Promise<HttpAnswer> {
    const response = await this.#handler(new ArrivedRequest(ask));
    return { status: response.status, body: await response.text() };
  }
}

/** The store in the metadata database, as the API server reaches it for no attempt. */
function backendOver(life: Life, database: TaskDatabase, host: string): StateBackend {
  const { store } = database;
  const read = <T>(of: (backend: StateBackend) => Promise<T>): Promise<T> =>
    life.callAsync("store.read", host, () => of(store.as(0)));
  const commit = async <T>(of: (backend: StateBackend) => Promise<T>): Promise<T> => {
    // Of a commit that is made twice, the first one says what came of it.
    let first: Promise<T> | undefined;
    await life.callAsync("store.commit", host, async () => {
      const result = of(store.as(0));
      first ??= result;
      await result;
    });
    return first as Promise<T>;
  };
  return {
    get: (scope, key) => read((to) => to.get(scope, key)),
    list: (scope, page) => read((to) => to.list(scope, page)),
    set: (scope, key, value, options) => commit((to) => to.set(scope, key, value, options)),
    delete: (scope, key) => commit((to) => to.delete(scope, key)),
    clear: (scope, options) => commit((to) => to.clear(scope, options)),
    sweepExpired: () => Promise.reject(new TypeError("Nobody sweeps over HTTP")),
    compareAndSet: (scope, key, change, options) =>
      commit(async (to) => (await to.compareAndSet?.(scope, key, change, options)) === true),
    ...(store.canUpdate && {
      update: (scope, key, value, options) =>
        commit(async (to) => (await to.update?.(scope, key, value, options)) === true),
    }),
  };
}
