import * as fc from "fast-check";
import { expect, test } from "vitest";
import { declarationFrom, type QueueOptions } from "../../sim/brokers/rabbitmq/declaration.ts";
import { exchangeDeclarationFrom } from "../../sim/brokers/rabbitmq/exchange.ts";
import { assertDeclarable, toldApart } from "../../sim/brokers/rabbitmq/queue-arguments.ts";
import { type BindingSource, Topology } from "../../sim/brokers/rabbitmq/topology.ts";

const US = {};
const PLAIN = declarationFrom({});

function withQueues(...names: readonly string[]): Topology {
  const topology = new Topology();
  for (const name of names) topology.declareQueue(name, PLAIN, US);
  return topology;
}

const from = (source: string, pattern: string): BindingSource => ({ source, pattern, args: {} });

function routesOf(topology: Topology, exchange: string, routingKey: string): readonly string[] {
  return topology.routesOf({ exchange, routingKeys: [routingKey], headers: {} });
}

/** Code and text of what a call throws. */
function refusalOf(call: () => unknown): string {
  try {
    call();
    return "accepted";
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: number };
    return `${code ?? (error as Error).name}: ${message}`;
  }
}

const WORDS = fc.array(fc.constantFrom("a", "b", ""), { minLength: 1, maxLength: 4 });
const PATTERN = fc.array(fc.constantFrom("a", "b", "*", "#"), { minLength: 1, maxLength: 4 });

/** The pattern as a regular expression: `*` is one word, `#` any number of them. */
function matches(pattern: readonly string[], words: readonly string[]): boolean {
  const each = pattern.map((one) =>
    one === "#" ? "(\\.[^.]*)*" : one === "*" ? "\\.[^.]*" : `\\.${one}`,
  );
  return new RegExp(`^${each.join("")}$`).test(words.map((word) => `.${word}`).join(""));
}

test("for every pattern a topic exchange routes what its words match", () => {
  fc.assert(
    fc.property(PATTERN, WORDS, (pattern, words) => {
      const topology = withQueues("q");
      topology.bind("queue", "q", from("amq.topic", pattern.join(".")), US);
      const routes = routesOf(topology, "amq.topic", words.join("."));
      expect(routes).toEqual(matches(pattern, words) ? ["q"] : []);
    }),
    { numRuns: 1_000 },
  );
});

test("for every list of keys an exchange routes by each, and asks its alternate one for none", () => {
  const KEYS = fc.array(fc.constantFrom<string>("a", "b", "c", "nil", "none"), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(KEYS, fc.boolean(), (routingKeys, hasAlternate) => {
      const topology = withQueues("a", "b", "rest");
      topology.declareExchange("alt", exchangeDeclarationFrom("fanout"));
      topology.bind("queue", "rest", from("alt", ""), US);
      const options = hasAlternate ? { alternateExchange: "alt" } : {};
      topology.declareExchange("main", exchangeDeclarationFrom("direct", options));
      topology.declareExchange("next", exchangeDeclarationFrom("direct"));
      topology.bind("queue", "a", from("main", "a"), US);
      topology.bind("exchange", "next", from("main", "c"), US);
      topology.bind("queue", "b", from("next", "b"), US);
      const isAsked = (key: string): boolean => routingKeys.includes(key);
      const routes = [
        ...(isAsked("a") ? ["a"] : []),
        // The next exchange gets all of the keys, not only the one that led there.
        ...(isAsked("c") && isAsked("b") ? ["b"] : []),
        ...(hasAlternate && !isAsked("a") && !isAsked("c") ? ["rest"] : []),
      ];
      const found = topology.routesOf({ exchange: "main", routingKeys, headers: {} });
      expect(found.toSorted()).toEqual(routes);
      const named = topology.routesOf({ exchange: "", routingKeys, headers: {} });
      expect(named.toSorted()).toEqual(["a", "b"].filter(isAsked));
    }),
  );
});

test("each type of exchange routes in its own way", () => {
  const topology = withQueues("one", "two");
  for (const type of ["direct", "fanout", "topic"]) {
    topology.bind("queue", "one", from(`amq.${type}`, "a.b"), US);
    topology.bind("queue", "two", from(`amq.${type}`, "a.*"), US);
  }
  const routed = (key: string) =>
    ["amq.direct", "amq.fanout", "amq.topic", ""].map((name) => routesOf(topology, name, key));
  expect(routed("a.b")).toEqual([["one"], ["one", "two"], ["one", "two"], []]);
  expect(routed("a.c")).toEqual([[], ["one", "two"], ["two"], []]);
  expect(routed("one")).toEqual([[], ["one", "two"], [], ["one"]]);
});

test("exchanges that are bound to each other route on, to each queue once, also in a circle", () => {
  const topology = withQueues("one", "two");
  for (const name of ["first", "second"])
    topology.declareExchange(name, exchangeDeclarationFrom("fanout"));
  topology.bind("exchange", "second", from("first", ""), US);
  topology.bind("exchange", "first", from("second", ""), US);
  topology.bind("queue", "one", from("first", ""), US);
  topology.bind("queue", "one", from("second", ""), US);
  topology.bind("queue", "two", from("second", ""), US);
  expect(routesOf(topology, "first", "k").toSorted()).toEqual(["one", "two"]);
  topology.removeExchange("second", false);
  expect(routesOf(topology, "first", "k")).toEqual(["one"]);
  expect(refusalOf(() => routesOf(topology, "second", "k"))).toMatch(/^404/);
});

test("a binding is there once, and is taken away by all that it is made of", () => {
  const topology = withQueues("one", "two");
  topology.declareExchange("one", exchangeDeclarationFrom("direct"));
  for (const pattern of ["k", "k", "other"])
    topology.bind("queue", "one", from("amq.direct", pattern), US);
  topology.bind("queue", "two", from("amq.direct", "k"), US);
  topology.bind("exchange", "one", from("amq.direct", "k"), US);
  topology.bind("queue", "two", from("one", "k"), US);
  const routes = () => ["k", "other"].map((key) => routesOf(topology, "amq.direct", key).join(" "));
  topology.unbind("queue", "one", from("amq.direct", "nothing"));
  topology.unbind("queue", "one", from("nothing", "k"));
  expect(routes()).toEqual(["one two", "one"]);
  topology.unbind("queue", "one", from("amq.direct", "k"));
  expect(routes()).toEqual(["two", "one"]);
  topology.unbind("queue", "two", from("amq.direct", "k"));
  expect(routes()).toEqual(["two", "one"]);
  topology.unbind("exchange", "one", from("amq.direct", "k"));
  expect(routes()).toEqual(["", "one"]);
  topology.removeQueue("one");
  expect(routes()).toEqual(["", ""]);
  expect(refusalOf(() => topology.queueOf("one"))).toMatch(/^404/);
});

test("what is declared again is declared alike, or refused with what differs", () => {
  const topology = withQueues("plain");
  const declare = (name: string, options: QueueOptions) =>
    refusalOf(() => topology.declareQueue(name, declarationFrom(options), US));
  const arg = (name: string, values: string): string =>
    `406: PRECONDITION_FAILED - inequivalent arg '${name}' for queue ${values}`;
  const differs = "received 'true' but current is 'false'";
  expect(declare("dead", { deadLetterExchange: "x" })).toBe("accepted");
  const seen = [
    declare("plain", {}),
    declare("plain", { durable: true, exclusive: false, autoDelete: false, arguments: {} }),
    declare("plain", { durable: false }),
    declare("plain", { autoDelete: true }),
    declare("plain", { exclusive: true }),
    declare("plain", { arguments: { "x-any": 5 } }),
    declare("dead", { deadLetterExchange: "x" }),
    declare("dead", { arguments: { "x-dead-letter-exchange": "x" } }),
    declare("dead", {}),
    declare("amq.mine", {}),
  ].map((text) => text.replace(/ with message .*"([^"]*)"$/, ": $1"));
  const vhost = (name: string): string => `'${name}' in vhost '/':`;
  expect(seen).toEqual([
    "accepted",
    "accepted",
    arg("durable", `${vhost("plain")} received 'false' but current is 'true'`),
    arg("auto_delete", `${vhost("plain")} ${differs}`),
    expect.stringMatching(/^405: RESOURCE_LOCKED - cannot obtain exclusive access to locked/),
    // An argument that the server does not know is not compared.
    "accepted",
    "accepted",
    "accepted",
    arg(
      "x-dead-letter-exchange",
      `${vhost("dead")} received none but current is the value 'x' of type 'longstr'`,
    ),
    "403: ACCESS_REFUSED - queue name 'amq.mine' contains reserved prefix 'amq.*'",
  ]);
});

test("what the node had before takes the first declaration for its own", () => {
  const topology = new Topology();
  topology.createQueue("orders", "dlx");
  topology.createExchange("dlx", "dead");
  topology.createQueue("dead");
  expect(routesOf(topology, "dlx", "any")).toEqual(["dead"]);
  topology.declareExchange("dlx", exchangeDeclarationFrom("topic"));
  expect(refusalOf(() => topology.declareExchange("dlx", exchangeDeclarationFrom("topic")))).toBe(
    "accepted",
  );
  expect(
    refusalOf(() => topology.declareExchange("dlx", exchangeDeclarationFrom("direct"))),
  ).toContain("received 'direct' but current is 'topic'");
  const durable = declarationFrom({ durable: false });
  expect(topology.declareQueue("orders", durable, US).policyExchange).toBe("dlx");
  expect(refusalOf(() => topology.declareQueue("orders", PLAIN, US))).toMatch(/^406/);
});

test("queues get names of their own, and exclusive ones an owner", () => {
  const topology = new Topology();
  const [one, two] = [1, 2].map(() => topology.declareQueue("", PLAIN, US));
  expect([one?.name, two?.name]).toEqual(["amq.gen-1", "amq.gen-2"]);
  expect(one?.owner).toBeUndefined();
  expect(topology.declareQueue("own", declarationFrom({ exclusive: true }), US).owner).toBe(US);
  expect(topology.queues.map(({ name }) => name)).toEqual(["amq.gen-1", "amq.gen-2", "own"]);
});

test("an exchange in use is kept where that matters, and those of the server always", () => {
  const topology = withQueues("q");
  topology.declareExchange("mine", exchangeDeclarationFrom("direct"));
  topology.bind("queue", "q", from("mine", "k"), US);
  const remove = (name: string, ifUnused: boolean) =>
    refusalOf(() => topology.removeExchange(name, ifUnused));
  expect(remove("mine", true)).toContain("exchange 'mine' in vhost '/' in use");
  expect(routesOf(topology, "mine", "k")).toEqual(["q"]);
  expect([remove("mine", false), remove("mine", true)]).toEqual(["accepted", "accepted"]);
  expect(remove("", false)).toContain("operation not permitted on the default exchange");
  expect(remove("amq.direct", false)).toContain("deletion of system exchange 'amq.direct'");
  expect(refusalOf(() => topology.declareExchange("odd", exchangeDeclarationFrom("odd")))).toMatch(
    /^503/,
  );
});

test.each<[string, QueueOptions]>([
  ["x-queue-type stream", { arguments: { "x-queue-type": "stream" } }],
  ["an x-message-ttl of 0", { messageTtl: 0 }],
])("a queue with %s is refused by name", (what, options) => {
  const declared = declarationFrom(options);
  const refusal = refusalOf(() => assertDeclarable("mine", declared, declared.args));
  expect(refusal).toContain(`Not modelled: ${what}`);
});

test("an argument that is given to one declaration alone is told with the type it is sent as", () => {
  const typed = (value: unknown): string | undefined =>
    /of type '(.*)'$/.exec(toldApart(undefined, value))?.[1];
  const values = [
    ...[127, 128, -128, -129, 32_767, 32_768, -32_768, -32_769],
    ...[2_147_483_647, 2_147_483_648, -2_147_483_648, -2_147_483_649],
    ...[1.5, true, "1", {}],
  ];
  expect(values.map(typed)).toEqual([
    ...["byte", "short", "byte", "short", "short", "signedint", "short", "signedint"],
    ...["signedint", "long", "signedint", "long"],
    ...["double", "bool", "longstr", "table"],
  ]);
  expect([toldApart(1, undefined), toldApart(1, 2)]).toEqual([
    "received the value '1' of type 'byte' but current is none",
    "received '1' but current is '2'",
  ]);
});

test("a queue is bound to an exchange that the node had before, whatever its type", () => {
  const topology = withQueues("mine", "dead");
  topology.createExchange("before", "dead");
  topology.bind("queue", "mine", from("before", "any"), US);
  expect(routesOf(topology, "before", "any")).toEqual(["dead", "mine"]);
});
