import { NotModelled } from "../not-modelled.ts";
import { notFound, preconditionFailed, Refused } from "./amqp-error.ts";
import { assertEquivalent, type Declaration } from "./declaration.ts";
import type { QueuedMessage } from "./message.ts";

/** A queue with its messages. */
export interface Queue {
  readonly name: string;
  readonly messages: QueuedMessage[];
  /** Undefined until a client declares a queue that the node had before. */
  declared: Declaration | undefined;
  /** The dead-letter exchange of a policy of the node, which no declaration names. */
  readonly policyExchange: string | undefined;
  /** The connection that an exclusive queue belongs to. */
  readonly owner: object | undefined;
}

interface Binding {
  /** Undefined where every routing key matches, whatever the type of the exchange. */
  readonly pattern: string | undefined;
  readonly to: string;
  readonly kind: "queue" | "exchange";
}

interface Exchange {
  type: string | undefined;
  bindings: Binding[];
}

const TYPES: ReadonlySet<string> = new Set(["direct", "fanout", "topic", "headers"]);

/**
 * The queues and exchanges of a node, and the bindings between them.
 *
 * Holds: what is declared again must be declared alike. What the node had before its clients came
 * takes the first declaration for its own, because the model cannot know how it was declared.
 */
export class Topology {
  readonly #queues = new Map<string, Queue>();
  readonly #exchanges = new Map<string, Exchange>(
    ["direct", "fanout", "topic", "headers"].map((type) => [`amq.${type}`, { type, bindings: [] }]),
  );
  #unnamed = 0;

  /** Creates a queue that the node has before its clients come. */
  createQueue(name: string, policyExchange?: string): void {
    const parts = { messages: [], declared: undefined, policyExchange, owner: undefined };
    this.#queues.set(name, { name, ...parts });
  }

  /** Creates an exchange that the node has before its clients come, and that feeds a queue. */
  createExchange(name: string, queue: string): void {
    const binding = { pattern: undefined, to: queue, kind: "queue" } as const;
    this.#exchanges.set(name, { type: undefined, bindings: [binding] });
  }

  has(queue: string): boolean {
    return this.#queues.has(queue);
  }

  get queues(): readonly Queue[] {
    return [...this.#queues.values()];
  }

  /** @throws {Refused} 404 */
  queueOf(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw notFound(`queue '${name}'`);
    return queue;
  }

  /** @throws {Refused} 406 when it was declared otherwise, 403 for a reserved name */
  declareQueue(name: string, declared: Declaration, connection: object): Queue {
    if (name === "") {
      this.#unnamed += 1;
      return this.declareQueue(`amq.gen-${this.#unnamed}`, declared, connection);
    }
    const queue = this.#queues.get(name);
    if (queue !== undefined) {
      queue.declared ??= declared;
      assertEquivalent(name, queue.declared, declared);
      return queue;
    }
    if (name.startsWith("amq.") && !name.startsWith("amq.gen-")) {
      throw new Refused(403, `queue name '${name}' contains reserved prefix 'amq.*'`);
    }
    const owner = declared.exclusive ? connection : undefined;
    const created = { name, messages: [], declared, policyExchange: undefined, owner };
    this.#queues.set(name, created);
    return created;
  }

  /** Removes a queue and its bindings. */
  removeQueue(name: string): void {
    this.#queues.delete(name);
    this.#unbindAll("queue", name);
  }

  /**
   * @throws {Refused} 406 when it was declared otherwise, 503 for an unknown type
   * @throws {NotModelled} for a headers exchange
   */
  declareExchange(name: string, type: string): void {
    if (!TYPES.has(type)) throw new Refused(503, `unknown exchange type '${type}'`);
    const exchange = this.#exchanges.get(name);
    if (exchange === undefined) {
      if (type === "headers") throw new NotModelled("a headers exchange", "brokers.rabbitmq");
      this.#exchanges.set(name, { type, bindings: [] });
      return;
    }
    exchange.type ??= type;
    if (exchange.type === type) return;
    const values = `received '${type}' but current is '${exchange.type}'`;
    throw preconditionFailed(
      `inequivalent arg 'type' for exchange '${name}' in vhost '/': ${values}`,
    );
  }

  /** @throws {Refused} 404 */
  exchangeOf(name: string): Exchange {
    const exchange = this.#exchanges.get(name);
    if (exchange === undefined) throw notFound(`exchange '${name}'`);
    return exchange;
  }

  /** @throws {Refused} 403 for an exchange of the server, 406 for one in use if that matters */
  removeExchange(name: string, ifUnused: boolean): void {
    if (name === "" || name.startsWith("amq.")) {
      const what = name === "" ? "default exchange" : `system exchange '${name}'`;
      throw new Refused(403, `deletion of ${what} in vhost '/' not allowed`);
    }
    if (ifUnused && (this.#exchanges.get(name)?.bindings.length ?? 0) > 0) {
      throw preconditionFailed(`exchange '${name}' in vhost '/' in use`);
    }
    this.#exchanges.delete(name);
    this.#unbindAll("exchange", name);
  }

  /** @throws {Refused} 404 */
  bind(kind: Binding["kind"], to: string, source: string, pattern: string): void {
    if (kind === "queue") this.queueOf(to);
    else this.exchangeOf(to);
    const { bindings } = this.exchangeOf(source);
    const isThere = bindings.some(
      (one) => one.kind === kind && one.to === to && one.pattern === pattern,
    );
    if (!isThere) bindings.push({ pattern, to, kind });
  }

  unbind(kind: Binding["kind"], to: string, source: string, pattern: string): void {
    const exchange = this.#exchanges.get(source);
    if (exchange === undefined) return;
    exchange.bindings = exchange.bindings.filter(
      (one) => one.kind !== kind || one.to !== to || one.pattern !== pattern,
    );
  }

  /**
   * Returns the names of the queues that a message goes to, each once.
   *
   * @throws {Refused} 404 when there is no such exchange
   */
  routesOf(exchange: string, routingKey: string): readonly string[] {
    if (exchange === "") return this.#queues.has(routingKey) ? [routingKey] : [];
    const routes = new Set<string>();
    const seen = new Set<string>();
    const open = [exchange];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const { type, bindings } = this.exchangeOf(name);
      for (const { pattern, to, kind } of bindings) {
        if (!isMatch(type, pattern, routingKey)) continue;
        if (kind === "queue") routes.add(to);
        else open.push(to);
      }
    }
    return [...routes];
  }

  #unbindAll(kind: Binding["kind"], to: string): void {
    for (const exchange of this.#exchanges.values()) {
      exchange.bindings = exchange.bindings.filter((one) => one.kind !== kind || one.to !== to);
    }
  }
}

function isMatch(type: string | undefined, pattern: string | undefined, key: string): boolean {
  if (pattern === undefined || type === "fanout") return true;
  if (type !== "topic") return pattern === key;
  return isTopicMatch(pattern.split("."), key.split("."));
}

/** Whether a routing key matches: `*` is one word and `#` any number of words. */
function isTopicMatch(pattern: readonly string[], words: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return words.length === 0;
  if (first === "#") {
    return words.length === 0
      ? isTopicMatch(rest, words)
      : isTopicMatch(rest, words) || isTopicMatch(pattern, words.slice(1));
  }
  return words.length > 0 && ["*", words[0]].includes(first) && isTopicMatch(rest, words.slice(1));
}
