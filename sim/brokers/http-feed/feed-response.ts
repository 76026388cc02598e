import { NotModelled } from "../not-modelled.ts";
import type { Reply } from "./feed-server.ts";

/** Where one reads what the model has. */
export const SEE = "brokers.httpFeed";

const TEXTS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  204: "No Content",
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  410: "Gone",
  412: "Precondition Failed",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  507: "Insufficient Storage",
};
/** A response of the feed, with the members of `Response` that the model has. */
export interface FeedResponse {
  /** The status code. */
  readonly status: number;
  /** The reason that belongs to it. */
  readonly statusText: string;
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  /** The headers: `content-type`, and `retry-after` where there is one. */
  readonly headers: Headers;
  /** Whether the body was read. */
  readonly bodyUsed: boolean;
  /**
   * Null for a response without one; otherwise a stream of bytes.
   *
   * @internal
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /**
   * Parses the body.
   *
   * @internal
   */
  json(): Promise<unknown>;
  /**
   * Returns the body as text; empty for a response without one.
   *
   * @internal
   */
  text(): Promise<string>;
  /**
   * Returns the bytes of the body.
   *
   * @internal
   */
  bytes(): Promise<Uint8Array>;
  /**
   * Returns the bytes of the body.
   *
   * @internal
   */
  arrayBuffer(): Promise<ArrayBuffer>;
  /**
   * Returns another one with the same body.
   *
   * @throws {TypeError} when the body was read
   *
   * @internal
   */
  clone(): FeedResponse;
}

/** Returns a reply as `fetch` resolves with it; an abort of its signal is one of reading, too. */
export function responseFrom(reply: Reply, url: string, signal?: AbortSignal): FeedResponse {
  return new ModelledResponse(reply, url, signal);
}

function headersOf(
  headers: Readonly<Record<string, string>>,
  body: unknown,
): Readonly<Record<string, string>> {
  return body === undefined ? headers : { ...headers, "content-type": "application/json" };
}

/** Headers that came from a server: nobody changes them. A realm may have another global class. */
class ReceivedHeaders extends Headers {
  static {
    Object.defineProperty(this.prototype, "constructor", { get: () => Headers });
  }

  override append(): never {
    throw new TypeError("immutable");
  }

  override delete(): never {
    throw new TypeError("immutable");
  }

  override set(): never {
    throw new TypeError("immutable");
  }
}

/** An instance of `Response`, all of whose body is there at once. */
class ModelledResponse extends Response implements FeedResponse {
  static {
    Object.defineProperty(this.prototype, "constructor", { get: () => Response });
  }

  readonly #headers: Headers;
  readonly #reply: Reply;
  readonly #url: string;
  readonly #signal: AbortSignal | undefined;
  readonly #content: string | undefined;
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** A response of the runtime with the stream: it knows whether anybody has read. */
  #reading: Response | undefined;
  #isUsed = false;

  constructor(reply: Reply, url: string, signal: AbortSignal | undefined) {
    const { status, body, headers = {} } = reply;
    super(null, { status, statusText: TEXTS[status] ?? "" });
    this.#headers = new ReceivedHeaders(headersOf(headers, body));
    this.#reply = reply;
    this.#url = url;
    this.#signal = signal;
    this.#content = body === undefined ? undefined : JSON.stringify(body);
  }

  override get headers(): Headers {
    return this.#headers;
  }

  override get url(): string {
    return this.#url;
  }

  override get type(): "basic" {
    return "basic";
  }

  override get bodyUsed(): boolean {
    return this.#isUsed || this.#reading?.bodyUsed === true;
  }

  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#content === undefined) return null;
    if (this.#stream === undefined) {
      this.#stream = this.#streamOf(this.#content);
      this.#reading = new Response(this.#stream);
    }
    return this.#stream;
  }

  override async text(): Promise<string> {
    if (this.#content === undefined) return "";
    if (this.bodyUsed || this.#stream?.locked === true) {
      throw new TypeError("Body is unusable: Body has already been read");
    }
    this.#isUsed = true;
    // The runtime keeps the reader with which it has read.
    this.body?.getReader();
    this.#signal?.throwIfAborted();
    return await Promise.resolve(this.#content);
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown;
  }

  override async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new TextEncoder().encode(await this.text());
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  override clone(): ModelledResponse {
    if (this.bodyUsed || this.#stream?.locked === true) {
      throw new TypeError("Response.clone: Body has already been consumed.");
    }
    return new ModelledResponse(this.#reply, this.#url, this.#signal);
  }

  override blob(): never {
    throw new NotModelled("Response.blob()", SEE);
  }

  override formData(): never {
    throw new NotModelled("Response.formData()", SEE);
  }

  /** Nothing is read before somebody asks, so that the first read is noticed. */
  #streamOf(content: string): ReadableStream<Uint8Array<ArrayBuffer>> {
    const signal = this.#signal;
    type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
    const start = (controller: Controller): void => {
      const fail = (): void => controller.error(signal?.reason);
      if (signal?.aborted === true) fail();
      else signal?.addEventListener("abort", fail, { once: true });
    };
    const pull = (controller: Controller): void => {
      controller.enqueue(new TextEncoder().encode(content));
      controller.close();
    };
    return new ReadableStream<Uint8Array<ArrayBuffer>>({ start, pull }, { highWaterMark: 0 });
  }
}
