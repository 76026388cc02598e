import {
  MemoryPayloadStore,
  OffloadingStateBackend,
  type PayloadStore,
  type StateBackend,
} from "../../src/store/mod.ts";
import type { Life } from "./life.ts";

/** The payloads of a world: like a broker's records, they outlive every crash. */
export class PayloadServer {
  readonly #host: string;
  readonly #payloads = new MemoryPayloadStore();

  /** `host` is who keeps them; a host of this name may be down, none at all is always up. */
  constructor(host: string) {
    this.#host = host;
  }

  /** Returns `backend` with the payloads in place of its references to them. */
  readable(backend: StateBackend): StateBackend {
    return new OffloadingStateBackend(backend, this.#payloads);
  }

  /** Returns the store as the process `life` reaches it: each method is one call. */
  for(life: Life): PayloadStore {
    const call = <T>(
      site: "payload.get" | "payload.put" | "payload.delete",
      run: () => Promise<T>,
    ): Promise<T> => life.callAsync(site, this.#host, run);
    const payloads = this.#payloads;
    return {
      get: (name) => call("payload.get", () => payloads.get(name)),
      put: (name, text) => call("payload.put", () => payloads.put(name, text)),
      delete: (name) => call("payload.delete", () => payloads.delete(name)),
      deletePrefix: (prefix) => call("payload.delete", () => payloads.deletePrefix(prefix)),
    };
  }
}
