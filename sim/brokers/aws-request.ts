import { md5 } from "@noble/hashes/legacy.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { SiteName } from "../faults/site.ts";
import type { AwsMiddlewareStack } from "./aws-middleware-stack.ts";
import type { ClientPort } from "./broker.ts";
import { callAsLibrary, isTransportError, type LibraryRetries } from "./library-call.ts";
import { assertModelled, NotModelled } from "./not-modelled.ts";

/** A command of the AWS SDK, identified by the name of its class. */
interface AwsCommand<Output> {
  readonly input: object;
  resolveMiddleware(
    stack: never,
    configuration: never,
    options: never,
  ): (call: never) => Promise<{ readonly output: Output }>;
}

interface AwsSendOptions {
  readonly abortSignal?: AbortSignal;
  /** Has no effect: the SDK's handler warns of a reply that takes longer, unless told to throw. */
  readonly requestTimeout?: number;
}

/** What a command may have of its own. */
interface CommandParts {
  readonly resolveMiddleware?: unknown;
  readonly middlewareStack?: { identify(): readonly string[] };
}

type AwsCallback<Output> = (error: unknown, data?: Output) => void;

/** What the SDK says of a request besides its result. */
export interface AwsMetadata {
  readonly httpStatusCode: number;
  readonly requestId?: string;
  readonly extendedRequestId?: string | undefined;
  readonly cfId?: string | undefined;
  readonly attempts?: number;
  readonly totalRetryDelay?: number;
}

interface ServiceError extends Error {
  $metadata: AwsMetadata;
}

interface AwsCall {
  readonly site: SiteName;
  readonly effect: (lies: boolean) => object | void;
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The SDK's standard mode: three attempts, the first pause 100 ms. */
const RETRIES: LibraryRetries = { attemptsMax: 3, firstDelayMs: 100 };
const OK = 200;
const SEND_OPTIONS = ["abortSignal", "requestTimeout"];

/** The SDK's `send`: with options, a callback, or both. */
export interface AwsSend {
  <Output extends object>(command: AwsCommand<Output>, options?: AwsSendOptions): Promise<Output>;
  <Output extends object>(command: AwsCommand<Output>, callback: AwsCallback<Output>): void;
  <Output extends object>(
    command: AwsCommand<Output>,
    options: AwsSendOptions,
    callback: AwsCallback<Output>,
  ): void;
}

const TURNS_TO_ENDPOINT = 26;

interface SendingClient {
  /** The name of its class. */
  readonly clientName: string;
  readonly see: string;
  readonly middlewareStack: AwsMiddlewareStack;
  /** Performs a command, `ReceiveMessage` for a `ReceiveMessageCommand`. */
  perform(name: string, input: object, signal: AbortSignal | undefined): Promise<object>;
}

/** Returns the `send` of a client: commands go through its middleware, and are performed. */
export function awsSendOf(client: SendingClient): AwsSend {
  function send<Output extends object>(
    command: AwsCommand<Output>,
    options?: AwsSendOptions | AwsCallback<Output>,
    given?: AwsCallback<Output>,
  ): Promise<Output> | void {
    const { clientName, see, middlewareStack } = client;
    const callback = typeof options === "function" ? options : given;
    const signal = typeof options === "object" ? options.abortSignal : undefined;
    assertCommand(command, see);
    if (typeof options === "object") assertModelled("send()", options, SEND_OPTIONS, see);
    const context = { clientName, commandName: command.constructor.name };
    const response = middlewareStack.run(command.input, context, async (input) => {
      await endpointResolved();
      return await client.perform(commandNameOf(command), input, signal);
    }) as Promise<Output>;
    if (callback === undefined) return response;
    response.then((data) => callback(null, data), callback);
  }
  return send as AwsSend;
}

/**
 * The SDK resolves its endpoint before it writes an input: a caller who changes the object in these
 * turns, as one does who sends it again with another body, changes what is sent.
 *
 * Source: measured with the SDK's clients of SQS and Kinesis; the latter takes some turns more
 */
async function endpointResolved(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_ENDPOINT; turn += 1) await Promise.resolve();
}

/**
 * @throws {TypeError} for what is no command, as the SDK does
 * @throws {NotModelled} for a command with middleware of its own
 */
function assertCommand(command: CommandParts, see: string): void {
  if (typeof command.resolveMiddleware !== "function") {
    throw new TypeError("command.resolveMiddleware is not a function");
  }
  const own = command.middlewareStack?.identify() ?? [];
  if (own.length > 0) throw new NotModelled("middleware of a command", see);
}

/** The SDK's errors have their message where JSON and copies of them show it. */
export function showMessage(error: Error): void {
  const { message: value } = error;
  Object.defineProperty(error, "message", {
    ...{ value, enumerable: true, writable: true, configurable: true },
  });
}

/** Returns the error of a `send` whose signal was aborted. */
export function requestAborted(): Error {
  const error = new Error("Request aborted");
  error.name = "AbortError";
  return error;
}

/** Returns `ReceiveMessage` for a `ReceiveMessageCommand`; bundlers may prefix an underscore. */
export function commandNameOf(command: { readonly input: object }): string {
  return command.constructor.name.replace(/^_+/, "").replace(/Command$/, "");
}

/** Who sends requests to which host, and what its library makes of a failure. */
export interface AwsSender {
  readonly port: ClientPort;
  readonly host: string;
  readonly name: string;
  /** Turns a network failure into the SDK's error; returns other errors unchanged. */
  readonly errorFrom: (caught: unknown) => unknown;
  /** Whether replies have a second id of the request. */
  readonly hasExtendedIds: boolean;
}

/** The requests of one client: each has an id, and results and errors say how it went. */
export class AwsRequests {
  readonly #sender: AwsSender;
  #count = 0;

  constructor(sender: AwsSender) {
    this.#sender = sender;
  }

  async call({ site, effect, isRepeatable, signal }: AwsCall): Promise<object> {
    const { port, host: to, name, errorFrom, hasExtendedIds } = this.#sender;
    this.#count += 1;
    const requestId = requestIdFrom(name, this.#count);
    const extendedRequestId = hasExtendedIds ? requestIdFrom(requestId, 0) : undefined;
    let made = { attempts: 0, totalRetryDelay: 0 };
    const metadata = (httpStatusCode: number): AwsMetadata => ({
      ...{ httpStatusCode, requestId, extendedRequestId, cfId: undefined },
      ...made,
    });
    const onAttempt = (attempts: number, totalRetryDelay: number): void => {
      made = { attempts, totalRetryDelay };
    };
    try {
      const request = { site, to, effect, isRepeatable, signal, onAttempt };
      const response = await callAsLibrary(port, request, RETRIES);
      return { $metadata: metadata(OK), ...response };
    } catch (caught) {
      const error = errorFrom(caught);
      if (isServiceError(error)) error.$metadata = metadata(error.$metadata.httpStatusCode);
      else if (isTransportError(caught)) Object.assign(error as Error, { $metadata: made });
      throw error;
    }
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "$metadata" in error;
}

/** A UUID that differs for each request of each client. */
function requestIdFrom(sender: string, count: number): string {
  const hex = bytesToHex(md5(utf8ToBytes(`${sender} ${count}`)));
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
