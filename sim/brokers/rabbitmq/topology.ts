import { notFound, preconditionFailed, Refused } from "./amqp-error.ts";
import { assertEquivalent, type Declaration } from "./declaration.ts";
import {
  assertAlternate,
  assertBindable,
  assertSameExchange,
  type Binding,
  type Exchange,
  type ExchangeDeclaration,
  exchangeDeclarationFrom,
  isMatch,
} from "./exchange.ts";
import type { QueuedMessage } from "./message.ts";
import { type Queue, queueFrom } from "./queue.ts";
import { assertDeclarable, rulesFrom } from "./queue-arguments.ts";

/** What decides where a message goes. */
export interface Addressed {
  readonly exchange: string;
  /** Its own one, and those of its carbon copies. */
  readonly routingKeys: readonly string[];
  readonly headers: Readonly<Record<string, unknown>>;
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
    [...TYPES].map((type) => [
      `amq.${type}`,
      { declared: exchangeDeclarationFrom(type), bindings: [] },
    ]),
  );
  #unnamed = 0;

  /** Creates a queue that the node has before its clients come. */
  createQueue(name: string, policyExchange?: string): void {
    const parts = { declared: undefined, policyExchange, owner: undefined };
    this.#queues.set(name, queueFrom({ name, ...parts }));
  }

  /** Creates an exchange that the node has before its clients come, and that feeds a queue. */
  createExchange(name: string, queue: string): void {
    const binding = { pattern: undefined, args: {}, to: queue, kind: "queue" } as const;
    this.#exchanges.set(name, { declared: undefined, bindings: [binding] });
  }

  has(queue: string): boolean {
    return this.#queues.has(queue);
  }

  get queues(): readonly Queue[] {
    return [...this.#queues.values()];
  }

  /** @throws {Refused} 404; 405 when it belongs to another connection than the one that is given */
  queueOf(name: string, connection?: object): Queue {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw notFound(`queue '${name}'`);
    const { owner } = queue;
    if (connection !== undefined && owner !== undefined && owner !== connection) throw locked(name);
    return queue;
  }

  /** @throws {Refused} 405 and 406 when it was declared otherwise, 403 for a reserved name */
  declareQueue(given: string, declared: Declaration, connection: object): Queue {
    // The server leaves out what would break a line of its log.
    const name = given.replaceAll(/[\r\n]/g, "");
    if (name === "") {
      this.#unnamed += 1;
      return this.#declareNamed(`amq.gen-${this.#unnamed}`, declared, connection);
    }
    // Also that of a queue which the server has named itself, to its own connection.
    if (name.startsWith("amq.")) {
      throw new Refused(403, `queue name '${name}' contains reserved prefix 'amq.*'`);
    }
    return this.#declareNamed(name, declared, connection);
  }

  #declareNamed(name: string, declared: Declaration, connection: object): Queue {
    if (this.#queues.has(name)) {
      const queue = this.queueOf(name, connection);
      if (declared.exclusive !== (queue.owner !== undefined)) throw locked(name);
      if (queue.declared === undefined) {
        assertDeclarable(name, declared, declared.args);
        queue.declared = declared;
        queue.rules = rulesFrom(declared.args);
      }
      assertEquivalent(name, queue.declared, declared);
      return queue;
    }
    assertDeclarable(name, declared, declared.args);
    const owner = declared.exclusive ? connection : undefined;
    const created = queueFrom({ name, declared, policyExchange: undefined, owner });
    this.#queues.set(name, created);
    return created;
  }

  /** Removes a queue and its bindings. */
  removeQueue(name: string): void {
    this.#queues.delete(name);
    this.#unbindAll("queue", name);
  }

  /**
   * Drops what does not outlive a restart of the node, but the queue of that name; returns the
   * messages of the queues.
   */
  dropTransient(kept: string): QueuedMessage[] {
    for (const [name, { declared }] of this.#exchanges) {
      if (declared?.durable === false) this.removeExchange(name, false);
    }
    const transient = this.queues.filter(
      ({ name, declared }) => name !== kept && declared?.durable === false,
    );
    for (const { name } of transient) this.removeQueue(name);
    return transient.flatMap(({ messages }) => messages);
  }

  /** @throws {Refused} 406 when it was declared otherwise or badly, 503 for an unknown type, 403 */
  declareExchange(name: string, declared: ExchangeDeclaration): void {
    const { type } = declared;
    if (!TYPES.has(type)) throw new Refused(503, `unknown exchange type '${type}'`);
    assertNotDefault(name);
    const exchange = this.#exchanges.get(name);
    if (exchange !== undefined) {
      exchange.declared ??= declared;
      assertSameExchange(name, exchange.declared, declared);
      return;
    }
    if (name.startsWith("amq.")) {
      throw new Refused(403, `exchange name '${name}' contains reserved prefix 'amq.*'`);
    }
    assertAlternate(name, declared);
    this.#exchanges.set(name, { declared, bindings: [] });
  }

  /** @throws {Refused} 404, and 403 for the default exchange */
  exchangeOf(name: string): Exchange {
    assertNotDefault(name);
    const exchange = this.#exchanges.get(name);
    if (exchange === undefined) throw notFound(`exchange '${name}'`);
    return exchange;
  }

  /** @throws {Refused} 404; 403 when clients may not publish to the exchange */
  assertOpenTo(exchange: string): void {
    if (exchange === "" || this.exchangeOf(exchange).declared?.internal !== true) return;
    throw new Refused(403, `cannot publish to internal exchange '${exchange}' in vhost '/'`);
  }

  /** @throws {Refused} 403 for an exchange of the server, 406 for one in use if that matters */
  removeExchange(name: string, ifUnused: boolean): void {
    assertNotDefault(name);
    if (name.startsWith("amq.")) {
      throw new Refused(403, `deletion of system exchange '${name}' in vhost '/' not allowed`);
    }
    if (ifUnused && (this.#exchanges.get(name)?.bindings.length ?? 0) > 0) {
      throw preconditionFailed(`exchange '${name}' in vhost '/' in use`);
    }
    this.#exchanges.delete(name);
    this.#unbindAll("exchange", name);
  }

  /** @throws {Refused} 404; 405 for another connection's queue; 406 */
  bind(kind: Binding["kind"], to: string, from: BindingSource, connection: object): void {
    assertNotDefault(from.source);
    if (kind === "queue") this.queueOf(to, connection);
    else if (this.#exchanges.has(from.source)) this.exchangeOf(to);
    const { declared, bindings } = this.exchangeOf(from.source);
    assertBindable(declared?.type, from.args);
    if (bindings.some((one) => isSame(one, kind, to, from))) return;
    bindings.push({ pattern: from.pattern, args: from.args, to, kind });
  }

  unbind(kind: Binding["kind"], to: string, from: BindingSource): void {
    assertNotDefault(from.source);
    if (kind === "exchange") assertNotDefault(to);
    this.#keepBindings(from.source, (one) => !isSame(one, kind, to, from));
  }

  /**
   * Returns the names of the queues that a message goes to, each once. An exchange asks its
   * alternate one only when none of the keys has a route.
   *
   * @throws {Refused} 404 when there is no such exchange
   *
   * Source: rabbitmq-server 3.10, rabbit_exchange, route and process_alternate
   */
  routesOf({ exchange, routingKeys, headers }: Addressed): readonly string[] {
    if (exchange === "") return [...new Set(routingKeys)].filter((key) => this.#queues.has(key));
    this.exchangeOf(exchange);
    const routes = new Set<string>();
    const seen = new Set<string>();
    const open = [exchange];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const found = this.#exchanges.get(name);
      if (seen.has(name) || found === undefined) continue;
      seen.add(name);
      const { type, alternate } = found.declared ?? {};
      const matching = found.bindings.filter((one) =>
        routingKeys.some((routingKey) => isMatch(type, one, { routingKey, headers })),
      );
      for (const { to, kind } of matching) {
        if (kind === "queue") routes.add(to);
        else open.push(to);
      }
      if (matching.length === 0 && alternate !== undefined) open.push(alternate);
    }
    return [...routes];
  }

  #unbindAll(kind: Binding["kind"], to: string): void {
    for (const name of this.#exchanges.keys()) {
      this.#keepBindings(name, (one) => one.kind !== kind || one.to !== to);
    }
  }

  /** An exchange that deletes itself goes with its last binding. */
  #keepBindings(name: string, isKept: (binding: Binding) => boolean): void {
    const exchange = this.#exchanges.get(name);
    if (exchange === undefined) return;
    const had = exchange.bindings.length;
    exchange.bindings = exchange.bindings.filter(isKept);
    const isLast = had > 0 && exchange.bindings.length === 0;
    if (isLast && exchange.declared?.autoDelete === true) this.#exchanges.delete(name);
  }
}

/** Where a binding comes from. */
export interface BindingSource {
  readonly source: string;
  readonly pattern: string;
  readonly args: Binding["args"];
}

function isSame(one: Binding, kind: Binding["kind"], to: string, from: BindingSource): boolean {
  const areSame = one.kind === kind && one.to === to && one.pattern === from.pattern;
  return areSame && JSON.stringify(one.args) === JSON.stringify(from.args);
}

function assertNotDefault(exchange: string): void {
  if (exchange === "") throw new Refused(403, "operation not permitted on the default exchange");
}

function locked(queue: string): Refused {
  const what = `cannot obtain exclusive access to locked queue '${queue}' in vhost '/'`;
  const why = "It could be originally declared on another connection or the exclusive property";
  return new Refused(405, `${what}. ${why} value does not match that of the original declaration.`);
}
