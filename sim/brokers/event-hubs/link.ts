import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary } from "../library-call.ts";
import type { CheckpointBlobs } from "./checkpoint-blobs.ts";
import type { EventHub } from "./hub.ts";
import { messagingErrorFrom } from "./messaging-error.ts";

/** How often the clients of one host try a request again; shorter pauses than the library's 30 s. */
const ATTEMPTS_MAX = 4;
const FIRST_DELAY_MS = 500;

/** What the clients of one host share: the way to the hub and to the blobs. */
export class EventHubsLink {
  readonly port: ClientPort;
  readonly hub: EventHub;
  readonly blobs: CheckpointBlobs;
  /** Begins the consumer names and the identifiers of this link's clients. */
  readonly name: string;
  /** What is open now, in words. */
  readonly open: Set<{ readonly words: string }> = new Set();
  /** Checkpoints of partitions that were closed before. */
  readonly late: WeakSet<object> = new WeakSet();
  readonly #host: string;
  #made = 0;

  constructor(
    port: ClientPort,
    host: string,
    hub: EventHub,
    blobs: CheckpointBlobs,
    number: number,
  ) {
    this.port = port;
    this.#host = host;
    this.hub = hub;
    this.blobs = blobs;
    this.name = `${port.name}/${number}`;
  }

  /** Returns an identifier that no other client has. */
  newIdentifier(): string {
    this.#made += 1;
    return `${this.name}.${this.#made}`;
  }

  /** Calls the service; network failures become the library's errors. */
  async call<T>(site: SiteName, effect: () => T, options: CallOptions = {}): Promise<T> {
    const { isRepeatable = true, signal, errorFrom = messagingErrorFrom } = options;
    const request = { site, to: this.#host, effect, isRepeatable, signal };
    const retries = { attemptsMax: ATTEMPTS_MAX, firstDelayMs: FIRST_DELAY_MS };
    try {
      return await callAsLibrary(this.port, request, retries);
    } catch (error) {
      throw errorFrom(error);
    }
  }

  /** Waits on the host's clock, or until the signal aborts; never rejects. */
  pause(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.port;
    return new Promise((resolve) => {
      const timer = clock.setTimer(signal.aborted ? 0 : ms, done);
      function done(): void {
        clock.clearTimer(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      signal.addEventListener("abort", done, { once: true });
    });
  }
}

interface CallOptions {
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal;
  readonly errorFrom?: (error: unknown) => unknown;
}
