import { NotModelled, refusing, type Refusing } from "./not-modelled.ts";

/** What a handler gets of a request; behind the serializer, with the request to be sent. */
export interface HandlerArguments {
  readonly input: object;
  readonly request?: unknown;
}

export interface HandlerOutput {
  readonly output: object;
  readonly response: unknown;
}

export type AwsHandler = (given: never) => Promise<HandlerOutput>;
type Handler = (given: HandlerArguments) => Promise<HandlerOutput>;

/** What is known of a request in every step. */
export interface HandlerContext {
  readonly clientName: string;
  readonly commandName: string;
}

/** A middleware of the SDK: it gets the next handler, and returns its own. */
export type AwsMiddleware = (next: never, context: never) => AwsHandler;

interface MiddlewareOptions {
  readonly step?: string;
  readonly priority?: "high" | "normal" | "low";
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly override?: boolean;
}

interface Entry {
  readonly middleware: AwsMiddleware;
  readonly options: MiddlewareOptions;
}

/** How a service is called. */
interface Service {
  readonly hostname: string;
  /** What its requests have for headers; the command is named behind that of the target. */
  readonly headers: Readonly<Record<string, string>>;
  readonly target: string;
}

/** The steps in their order, that run once for each command. */
const STEPS: readonly string[] = ["initialize", "serialize", "build"];
/** From here on there is a request, but for middleware of high priority. */
const SERIALIZE = STEPS.indexOf("serialize");
const PRIORITIES: readonly string[] = ["high", "normal", "low"];

/**
 * What callers add around the commands of a client: tracing, logging, headers.
 *
 * Holds: they run in the order of their steps, then of their priorities, then as they were added;
 * an input that was changed ahead of the serializer is what is sent. The steps "finalizeRequest"
 * and "deserialize", which run for each attempt, and what composes stacks are refused by name.
 *
 * Source: \@smithy/core, MiddlewareStack
 */
export class AwsMiddlewareStack {
  readonly addRelativeTo: Refusing;
  readonly clone: Refusing;
  readonly concat: Refusing;
  readonly resolve: Refusing;
  readonly identifyOnResolve: Refusing;
  readonly applyToStack: Refusing;
  readonly #see: string;
  readonly #service: Service;
  #entries: Entry[] = [];

  constructor(see: string, service: Service) {
    this.#see = see;
    this.#service = service;
    this.addRelativeTo = refusing("middlewareStack.addRelativeTo()", see);
    this.clone = refusing("middlewareStack.clone()", see);
    this.concat = refusing("middlewareStack.concat()", see);
    this.resolve = refusing("middlewareStack.resolve()", see);
    this.applyToStack = refusing("middlewareStack.applyToStack()", see);
    this.identifyOnResolve = refusing("middlewareStack.identifyOnResolve()", see);
  }

  /** @throws {Error} for a name that is taken, unless it is to be overridden */
  add(middleware: AwsMiddleware, options: MiddlewareOptions = {}): void {
    const { step = "initialize", name, override = false } = options;
    if (!STEPS.includes(step))
      throw new NotModelled(`a middleware in the step "${step}"`, this.#see);
    const isTaken = name !== undefined && this.#entries.some((one) => one.options.name === name);
    if (isTaken && !override) throw new Error(`Duplicate middleware name '${name}'`);
    if (isTaken) this.remove(name);
    this.#entries.push({ middleware, options });
  }

  use(plugin: { applyToStack(stack: never): void }): void {
    plugin.applyToStack(this as never);
  }

  /** Removes one by its name or itself; returns whether it was there. */
  remove(which: AwsMiddleware | string): boolean {
    return this.#keep(({ middleware, options }) => middleware !== which && options.name !== which);
  }

  /** Returns whether there were any. */
  removeByTag(tag: string): boolean {
    return this.#keep(({ options }) => options.tags?.includes(tag) !== true);
  }

  identify(): string[] {
    return this.#sorted().map(
      ({ options }) => `${options.name ?? "anonymous"} - ${stepOf(options)}`,
    );
  }

  /**
   * Runs a command through all of them; `send` is the innermost handler.
   *
   * @internal
   */
  async run(
    input: object,
    context: HandlerContext,
    send: (input: object) => Promise<object>,
  ): Promise<object> {
    const entries = this.#sorted();
    const command = context.commandName.replace(/^_+/, "").replace(/Command$/, "");
    const serialized: Handler = (given) => {
      // Who changes the input behind the serializer changes nothing.
      const sending: Handler = async () => ({
        output: await send(given.input),
        response: { statusCode: 200, headers: {} },
      });
      const behind = wrapped(sending, entries.filter(hasRequest), context);
      return behind({ ...given, request: newRequest(this.#service, command) });
    };
    const before = entries.filter((entry) => !hasRequest(entry));
    return (await wrapped(serialized, before, context)({ input })).output;
  }

  #sorted(): readonly Entry[] {
    return this.#entries.toSorted(
      (one, other) =>
        stepIndex(one.options) - stepIndex(other.options) ||
        priorityOf(one.options) - priorityOf(other.options),
    );
  }

  #keep(isKept: (entry: Entry) => boolean): boolean {
    const before = this.#entries.length;
    this.#entries = this.#entries.filter(isKept);
    return this.#entries.length < before;
  }
}

function wrapped(inner: Handler, entries: readonly Entry[], context: HandlerContext): Handler {
  return entries.reduceRight<Handler>(
    (next, { middleware }) => middleware(next as never, context as never) as Handler,
    inner,
  );
}

/** What a middleware takes for an HTTP request; what is changed of it goes nowhere. */
function newRequest({ hostname, headers, target }: Service, command: string): object {
  const place = { protocol: "https:", hostname, path: "/" };
  const named = { ...headers, "x-amz-target": `${target}.${command}` };
  return { method: "POST", ...place, query: {}, headers: named };
}

function hasRequest({ options }: Entry): boolean {
  const step = stepIndex(options);
  return step > SERIALIZE || (step === SERIALIZE && options.priority !== "high");
}

function stepOf({ step = "initialize" }: MiddlewareOptions): string {
  return step;
}

function stepIndex(options: MiddlewareOptions): number {
  return STEPS.indexOf(stepOf(options));
}

function priorityOf({ priority = "normal" }: MiddlewareOptions): number {
  return PRIORITIES.indexOf(priority);
}
